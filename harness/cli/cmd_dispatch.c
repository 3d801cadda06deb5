#include "harness/cli/builtins.h"
#include "harness/cli/cmd.h"
#include "harness/host/fault.h"
#include "harness/exchange/dxmodel.h"
#include "harness/worker/process.h"
#include "harness/host/orphans.h"
#include "harness/base/fileuse.h"
#include "harness/base/stream.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define TIMEOUT 60 /* seconds for a model, unless the user says otherwise */

struct values {
    const char *device, *output, *specs;
    struct word_list allow;
    uint64_t iterations, timeout;
};

/* The activity of the device's process, in shared memory: the parent reads it when the process has ended. */
struct trace {
    char where[256], fault[256], error[1024];
};

struct job {
    const struct values *v;
    struct dxmodel *model;
    const char *specs_folder;
    struct sandbox *sandbox;
    struct trace *trace; /* in shared memory */
    int output;          /* descriptor of a file that collects the device's output */
};

/* Opens the device and runs the model; in a process of its own, since a device may crash. */
static int run_here(const struct job *job)
{
    const struct values *v = job->v;
    struct trace *trace = job->trace;
    struct error error = {0};
    struct plugin device;
    FILE *out = stream_open(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10));
    struct dxmodel_run run = {.out = out,
                              .device = &device,
                              .arena = arena_new(),
                              .folder = v->output ? v->output : ".",
                              .iterations = v->iterations,
                              .where = trace->where,
                              .where_size = sizeof trace->where};
    snprintf(trace->where, sizeof trace->where, "opening the device");
    fault_catch(arena_locate, run.arena, trace->fault, sizeof trace->fault);
    dup2(job->output, STDOUT_FILENO);
    dup2(job->output, STDERR_FILENO);
    const struct builtin_device *builtin = plugin_builtin(builtins, v->device);
    struct spec_set specs = {0};
    int result = run.arena && out ? 0 : error_set(&error, EXIT_HARNESS, "out of memory");
    if (result == 0 && builtin)
        result = plugin_load_specs(&specs, builtin, job->specs_folder, &error);
    if (result == 0)
        result = plugin_open(&device, v->device, &specs, builtins, &error);
    if (result == 0) {
        result = dxmodel_execute(job->model, &run, &error);
        plugin_close(&device);
    }
    spec_set_free(&specs);
    if (run.arena)
        arena_free(run.arena);
    if (out && fclose(out) != 0 && result == 0)
        result = error_set(&error, EXIT_HARNESS, "standard output: cannot be written: %m");
    snprintf(trace->error, sizeof trace->error, "%s", error.text);
    return result;
}

/* Waits for the process, at most until the time limit, and returns its exit status or an error. */
static int dispatch_wait_for(pid_t pid, const struct job *job, struct error *error)
{
    const struct values *v = job->v;
    struct trace *trace = job->trace;
    char printed[900] = "";
    int status = 0;
    bool late = !process_wait_for(pid, &status, (unsigned)v->timeout * 1000);
    process_describe_output(job->output, printed, sizeof printed);
    if (late) {
        kill(-pid, SIGKILL);
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        return error_set(error, EXIT_FAILURES, "device '%s': no answer within %llu s while %s", v->device,
                         (unsigned long long)v->timeout, trace->where);
    }
    if (WIFSIGNALED(status))
        return error_set(error, EXIT_FAILURES, "device '%s': killed by SIG%s while %s%s%.200s%s", v->device,
                         sigabbrev_np(WTERMSIG(status)), trace->where, *trace->fault ? ": " : "", trace->fault,
                         printed);
    return WEXITSTATUS(status) ? error_set(error, (enum exit_status)WEXITSTATUS(status), "%.900s", trace->error) : 0;
}

/* Starts the process in the sandbox and returns its id; -1: it could not be started. */
static pid_t dispatch_start(const struct job *job, struct sandbox_process *process, struct error *error)
{
    int sockets[2];
    if (!sandbox_prepare(job->v->device, process, error) ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        return -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        sandbox_enter(job->sandbox, process, sockets[1]);
        _exit(run_here(job));
    }
    close(sockets[1]);
    if (pid > 0)
        sandbox_supervise(job->sandbox, process, pid, sockets[0], NULL);
    close(sockets[0]);
    return pid;
}

static int dispatch_run_apart(struct job *job, struct error *error)
{
    struct sandbox_process process;
    job->trace = mmap(NULL, sizeof *job->trace, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (job->trace == MAP_FAILED)
        return error_set(error, EXIT_HARNESS, "out of memory");
    job->output = memfd_create("output", MFD_CLOEXEC);
    orphans_adopt();
    pid_t pid = dispatch_start(job, &process, error);
    int result = pid < 0 ? error_set(error, EXIT_HARNESS, "cannot start a process for the device: %m")
                         : dispatch_wait_for(pid, job, error);
    orphans_kill(NULL, 0, NULL, 0);
    sandbox_clean_up(&process);
    sandbox_report(job->sandbox, job->v->device);
    munmap(job->trace, sizeof *job->trace);
    close(job->output);
    return result;
}

static int dispatch_check_files(const struct values *v, const struct dxmodel *model, const char *file,
                                struct error *error)
{
    struct fileuse files = {0};
    fileuse_add_device(&files, v->device);
    fileuse_add_plan(&files, v->specs, NULL);
    fileuse_add(&files, FILEUSE_INPUT, "the model", file);
    for (int i = 0; i < model->buffer_count; i++)
        fileuse_add(&files, FILEUSE_INPUT, "sourcePath", model->buffers[i].source);
    for (int i = 0; i < model->command_count; i++) {
        const char *path = model->commands[i].kind == DXMODEL_WRITE ? model->commands[i].path : NULL;
        for (int j = 0; path && j < i; j++) /* a model may write a file several times: the last time counts */
            if (model->commands[j].kind == DXMODEL_WRITE && strcmp(model->commands[j].path, path) == 0)
                path = NULL;
        if (path)
            fileuse_add(&files, FILEUSE_OUTPUT, "writeFile",
                        pool_format(&files.pool, "%s/%s", v->output ? v->output : ".", path));
    }
    return fileuse_check(&files, error);
}

static int cmd_dispatch_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    struct cmd_plan plan;
    struct dxmodel model;
    char path[PATHS_SIZE];
    if (arguments->count != 1)
        return error_set(error, EXIT_USAGE, "dispatch takes one model, a JSON file");
    if (!v->device)
        return error_set(error, EXIT_USAGE, "which device? -d NAME; `assay devices` lists them");
    if (cmd_check_timeout(v->timeout, error))
        return EXIT_USAGE;
    if (v->iterations == 0 || v->iterations > 1000000)
        return error_set(error, EXIT_USAGE, "--iterations: expected 1 to 1000000");
    int result = plugin_find(v->device, path, error);
    if (result == 0)
        result = cmd_load_specs(&(struct cmd_source){.specs = v->specs}, &plan, error);
    if (result)
        return result;
    result = dxmodel_load(&model, arguments->items[0], &plan.specs, error);
    struct job job = {.v = v, .model = &model, .specs_folder = plan.specs_folder};
    if (result == 0)
        result = dispatch_check_files(v, &model, arguments->items[0], error);
    if (result == 0)
        result = cmd_sandbox(&v->allow, &job.sandbox, error);
    if (result == 0)
        result = dxmodel_open_spools(&model, error);
    if (result == 0) {
        result = dispatch_run_apart(&job, error);
        int written = dxmodel_write_files(&model, v->output ? v->output : ".", error);
        result = result ? result : written;
    }
    sandbox_free(job.sandbox);
    dxmodel_free(&model);
    cmd_unload(&plan);
    return result;
}

static const struct option options[] = {
    {'d', "device", "DEVICE", OPTION_STRING, offsetof(struct values, device), CMD_DEVICE_HELP},
    {'i', "iterations", "N", OPTION_UINT, offsetof(struct values, iterations),
     "run each dispatch N times (default: 1)"},
    {0, "output", "DIR", OPTION_STRING, offsetof(struct values, output),
     "existing folder for the files of writeFile (default: the current one)"},
    {0, "timeout", "SECONDS", OPTION_UINT, offsetof(struct values, timeout),
     "time limit for the whole model " CMD_DEFAULT(TIMEOUT)},
    CMD_ALLOW_OPTION(struct values, allow),
    {0, "specs", "DIR", OPTION_STRING, offsetof(struct values, specs), CMD_SPECS_HELP},
    {0}};

static const struct values defaults = {.iterations = 1, .timeout = TIMEOUT};

const struct command cmd_dispatch = {.name = "dispatch",
                                     .arguments = "MODEL.json -d DEVICE",
                                     .summary = "run a DxDispatch model on a device",
                                     .examples = "assay dispatch model.json -d vulkan --output results\n",
                                     .notes =
                                         "Supported are buffers (values, constants, sequences, .npy and raw files),\n"
                                         "DirectML operators that have a spec, and the commands dispatch, print and\n"
                                         "writeFile; comments and trailing commas are allowed. Not supported are\n"
                                         "HLSL, ONNX, serialized graphs, images, deferred buffers and bindings at\n"
                                         "initialisation.\n",
                                     .options = options,
                                     .values_size = sizeof(struct values),
                                     .defaults = &defaults,
                                     .run = cmd_dispatch_run};
