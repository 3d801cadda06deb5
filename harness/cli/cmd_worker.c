#include "harness/cli/cmd.h"
#include "harness/cli/builtins.h"
#include "harness/fuzz/task.h"

struct values {
    const char *device, *specs;
    bool spare, kept, apart, dump, half, repeated, profile;
    uint64_t measure;
};

static int cmd_worker_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    (void)arguments;
    if (!v->device || !v->specs)
        return error_set(error, EXIT_USAGE, "the command 'worker' is for assay's own use");
    const struct worker_config config = {.device = v->device,
                                         .specs = v->specs,
                                         .spare = v->spare,
                                         .kept = v->kept,
                                         .builtins = builtins,
                                         .task = fuzz_task,
                                         .dump = v->dump,
                                         .half = v->half,
                                         .repeated = v->repeated,
                                         .measure_ms = (unsigned)v->measure,
                                         .profile = v->profile};
    return v->apart ? worker_judge(&config) : worker_main(&config);
}

static const struct option options[] = {
    {0, "device", "DEVICE", OPTION_STRING, offsetof(struct values, device), "device to open"},
    {0, "specs", "DIR", OPTION_STRING, offsetof(struct values, specs), CMD_SPECS_HELP},
    {0, "spare", NULL, OPTION_FLAG, offsetof(struct values, spare), "wait until the device is to be opened"},
    {0, "kept", NULL, OPTION_FLAG, offsetof(struct values, kept), "take the specs from the file that is open"},
    {0, "apart", NULL, OPTION_FLAG, offsetof(struct values, apart), "judge a device that runs in a process of its own"},
    {0, "dump", NULL, OPTION_FLAG, offsetof(struct values, dump), "send outputs as text, too"},
    {0, "half", NULL, OPTION_FLAG, offsetof(struct values, half), "let the device compute FLOAT32 in FLOAT16"},
    {0, "repeated", NULL, OPTION_FLAG, offsetof(struct values, repeated), "keep what attempts at a case share"},
    {0, "profile", NULL, OPTION_FLAG, offsetof(struct values, profile), "measure time by stage"},
    {0, "measure", "MS", OPTION_UINT, offsetof(struct values, measure), "measure each case for so long"},
    {0}};

const struct command cmd_worker = {.name = "worker",
                                   .arguments = "",
                                   .summary = "judge a device, or run one, in a worker process",
                                   .options = options,
                                   .values_size = sizeof(struct values),
                                   .hidden = true,
                                   .run = cmd_worker_run};
