#include "harness/cmd.h"
#include "harness/datatype.h"
#include "harness/process.h"
#include "harness/spec_load.h"
#include "harness/text.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ANSWER_MS = 60000, CLOSE_MS = 5000 };

struct values {
    const char *specs;
};

/* Opens the device in a worker, as a run would, and waits for what it says. */
static bool ask(const char *device, const char *specs, struct wire_hello *hello)
{
    struct process process;
    struct wire_header header;
    const char *body;
    bool alive, heard = false;
    const struct process_config config = {.device = device, .specs = specs};
    if (!process_start(&process, &config)) {
        snprintf(hello->message, sizeof hello->message, "no process could be started");
        return false;
    }
    do {
        struct pollfd wait = {.fd = process.socket, .events = POLLIN};
        if (poll(&wait, 1, ANSWER_MS) <= 0)
            break;
        alive = process_pump(&process);
        heard = process_message(&process, &header, &body);
    } while (alive && !heard);
    heard = heard && header.size == sizeof *hello;
    if (heard)
        memcpy(hello, body, sizeof *hello);
    char how[900] = "";
    process_stop(&process, heard ? CLOSE_MS : 0);
    process_end(&process, NULL, how, sizeof how);
    if (!heard)
        snprintf(hello->message, sizeof hello->message, "its process was %s while opening it", how);
    return heard && hello->status == EXIT_AS_EXPECTED;
}

/* What a device says of itself may be any bytes. */
static void print_text(const char *what, const char *text)
{
    char shown[1024];
    text_visible(shown, sizeof shown, text);
    if (*shown)
        printf("  %-14s %s\n", what, shown);
}

static bool print_device(const char *device, const char *specs)
{
    struct wire_hello hello = {0};
    printf("%s\n", device);
    if (!ask(device, specs, &hello)) {
        printf("  not available: %s\n", hello.message);
        return false;
    }
    const assay_device_info *info = &hello.info;
    print_text("name", info->name);
    print_text("driver", info->driver);
    print_text("version", info->version);
    printf("  feature level  %s\n", info->feature_level ? level_name(info->feature_level) : "none promised");
    printf("  data types    ");
    for (unsigned type = 1; type < DATATYPE_COUNT; type++)
        if (hello.data_types >> type & 1)
            printf(" %s", datatype_of(type)->name);
    printf("\n  largest tensor ");
    if (info->max_tensor_bytes)
        printf("%llu bytes\n", (unsigned long long)info->max_tensor_bytes);
    else
        puts("as memory allows");
    printf("  batch          %u\n", info->max_batch);
    return true;
}

static int run(const void *values, const struct option_list *arguments, struct error *error)
{
    const struct values *v = values;
    char specs[PATHS_SIZE];
    const char *names[64];
    bool all = true;
    int result = paths_folder("specs", v->specs, specs, error);
    if (result)
        return result;
    if (arguments->count == 0) {
        int count = paths_devices(names, 64);
        for (int i = 0; i < count; i++)
            print_device(names[i], specs);
        return 0;
    }
    for (size_t i = 0; i < arguments->count; i++)
        all &= print_device(arguments->items[i], specs);
    return all ? 0 : EXIT_NO_DEVICE;
}

static const struct option options[] = {
    {0, "specs", "DIR", OPTION_STRING, offsetof(struct values, specs), "folder of operator specs"}, {0}};

const struct command cmd_devices = {.name = "devices",
                                    .arguments = "[DEVICE…]",
                                    .summary = "print devices and what each says it supports",
                                    .examples = "assay devices\n"
                                                "assay devices vulkan:device=llvmpipe ./mydevice.so\n",
                                    .notes =
                                        "Without arguments the shipped devices are asked. The exit status is 6 if\n"
                                        "a device that was named cannot be opened.\n",
                                    .options = options,
                                    .values_size = sizeof(struct values),
                                    .run = run};
