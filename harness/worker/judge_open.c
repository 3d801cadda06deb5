/* judge_open.c: has the device's process open the device, and close it. */
#include "harness/worker/judge_process.h"

#include "harness/load/image.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *place_text(struct judge *j, const char *text)
{
    return judge_copy_to_exchange(j, text, strlen(text) + 1);
}

/* Copies the device's information from the answer of its process. */
static void take_opened(struct judge *j, const char *device, struct error *error)
{
    const struct exchange_opened *said = &j->link.exchange->opened;
    struct exchange_opened opened;
    memcpy(&opened, said, sizeof opened);
    opened.message[sizeof opened.message - 1] = opened.changed[sizeof opened.changed - 1] = '\0';
    j->device.info = opened.info;
    j->device.data_types = opened.data_types;
    j->device.denied = opened.denied;
    j->device.info.name[sizeof opened.info.name - 1] = '\0';
    j->device.info.driver[sizeof opened.info.driver - 1] = '\0';
    j->device.info.version[sizeof opened.info.version - 1] = '\0';
    if (error->status != EXIT_AS_EXPECTED)
        return;
    if (opened.status != EXIT_AS_EXPECTED)
        error_set(error, EXIT_NO_DEVICE, "%s", opened.message);
    else
        plugin_check_level(&j->device.info, error);
    error_context(error, "device '%s'", device);
    if (error->status == EXIT_AS_EXPECTED)
        snprintf(error->text, sizeof error->text, "%s", opened.changed);
}

/* Puts the device's path and arguments into the exchange, for its process. */
static void name_device(struct judge *j, const struct worker_config *config, struct error *error)
{
    char path[PATHS_SIZE] = "", name[PATHS_SIZE];
    struct exchange *exchange = j->link.exchange;
    const char *arguments = j->arguments = plugin_split(config->device, name, sizeof name);
    if (!plugin_builtin(config->builtins, config->device) && plugin_find(config->device, path, error))
        return;
    exchange->path = place_text(j, path);
    exchange->arguments = place_text(j, arguments);
    if (!exchange->path || !exchange->arguments)
        error_set(error, EXIT_NO_DEVICE, "device '%.64s…': its arguments are too long", config->device);
}

static void ask_to_open(struct judge *j)
{
    link_send(&j->link, HOST_OPEN, 0, false);
}

static int open_specs(struct spec_set *specs, const struct worker_config *config, struct error *error)
{
    bool taken = config->kept && spec_image_take(specs, config->specs, WIRE_SPECS);
    return taken ? 0 : spec_set_open(specs, config->specs, error);
}

/* Waits until the harness wants the device: a spare worker opens it when another worker has ended. */
static void wait_to_open(void)
{
    struct wire_header header;
    enum profile_stage before = profile_enter(PROFILE_WAIT);
    if (!wire_read(WIRE_SOCKET, &header, sizeof header) || header.type != WIRE_OPEN)
        _exit(EXIT_AS_EXPECTED); /* the harness does not need this worker */
    profile_enter(before);
}

/* Sets an error that names the need, and the limit of the process if it has one. */
static void no_addresses(struct error *error)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        error_set(error, EXIT_HARNESS,
                  "no address space for the tensors: a worker reserves %d GiB, and may have %llu MiB; "
                  "to lift the limit: ulimit -v unlimited",
                  LINK_LEAST_GIB, (unsigned long long)limit.rlim_cur >> 20);
    else
        error_set(error, EXIT_HARNESS,
                  "no address space for the tensors: a worker reserves %d GiB, of which parts are "
                  "in use",
                  LINK_LEAST_GIB);
}

void judge_start(struct judge *j, const struct worker_config *config, struct error *error)
{
    if (plugin_builtin(config->builtins, config->device))
        link_send(&j->link, HOST_BUILTIN, 0, false);
    if (!link_open(&j->link, WIRE_EXCHANGE))
        no_addresses(error);
    else
        name_device(j, config, error);
    const bool named = error->status == EXIT_AS_EXPECTED;
    if (named && !config->spare)
        ask_to_open(j);
    struct arena_sharing sharing = link_sharing(&j->link);
    j->setup = (struct trial_setup){.device = &j->device,
                                    .reference = &j->reference,
                                    .arena = arena_new_shared(&sharing),
                                    .memo = config->repeated ? trial_memo_new() : NULL,
                                    .recent = &j->recent,
                                    .dump = config->dump,
                                    .half = config->half};
    j->measure_ns = config->measure_ms * (uint64_t)1000000;
    if (named && open_specs(&j->specs, config, error) == 0)
        plugin_open_reference(&j->reference, error);
    if (named && config->spare) {
        wait_to_open();
        ask_to_open(j);
    }
    if (named) {
        link_wait(&j->link);
        take_opened(j, config->device, error);
    }
    atomic_store(&j->progress->notice.pending,
                 0); /* the harness reports at the end which actions were denied while the device was opened */
}

/* The last call is checked like any other, but no case is to blame: the harness reports the device's deeds. */
void judge_close_device(struct judge *j)
{
    char changed[sizeof j->link.exchange->changed], what[sizeof changed + 40];
    link_send(&j->link, HOST_CLOSE, 0, true);
    link_wait(&j->link);
    link_wait_check(&j->link);
    judge_copy_text(changed, sizeof changed, j->link.exchange->changed, sizeof changed);
    snprintf(what, sizeof what, "%s, while the device was closed", changed);
    if (*changed)
        judge_give_up(j, what);
    link_wait_end(&j->link);
}
