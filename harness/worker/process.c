#include "harness/worker/process.h"

#include "harness/base/cgroup.h"
#include "harness/base/clock.h"
#include "harness/base/paths.h"
#include "harness/base/profile.h"
#include "harness/base/text.h"
#include "harness/host/host.h"
#include "harness/host/orphans.h"
#include "harness/load/load.h"
#include "harness/trial/link.h"
#include "harness/worker/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIVE_MAX = 256, DYING_MAX = 16 };

/* `live`: the processes of workers that have not been waited for; all other children of this process are orphans.
 * `dying`: the processes of killed judges among them. */
static pid_t live[LIVE_MAX], dying[LIVE_MAX];
static int live_count, dying_count;

enum { OUTPUT_MAX = 1 << 20, OUTPUT_TAIL = 200, OUTPUT_PAGE = 4096, KILL_MS = 5000, JUDGE_MS = 500, AWAKE_MS = 100 };

static const struct process none = {.pidfd = -1, .socket = -1, .output = -1, .progress = MAP_FAILED};

/* A descriptor of the parent and its number in the child. */
struct inherited {
    int file, number;
};

/* ---- in the children */

/* The order in which the kernel kills processes when memory runs out: higher scores first. */
#define DEVICE_SCORE "1000"
#define JUDGE_SCORE "500"

/* Lets the kernel kill this child when the harness, `parent`, ends, and before the harness when memory runs out. */
static void set_death(pid_t parent, const char *score)
{
    prctl(PR_SET_DUMPABLE, 1); /* a child that is not dumpable, like the harness, could not write its score */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0 && write(file, score, strlen(score)) > 0)
        close(file);
}

/* Moves descriptors into place. Standard input and output stay if `output` is -1. All other descriptors are
 * close-on-exec. */
static bool inherit(int output, const struct inherited *files, size_t count)
{
    enum { MOST = 5, ASIDE = 10 };
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC), moved[MOST];
    const bool stay = output < 0;
    output = stay ? -1 : fcntl(output, F_DUPFD_CLOEXEC, ASIDE);
    for (size_t i = 0; i < count; i++) /* first out of the way of each other */
        moved[i] = fcntl(files[i].file, F_DUPFD_CLOEXEC, ASIDE);
    bool good = stay || (null >= 0 && dup2(null, 0) >= 0 && dup2(output, 1) >= 0 && dup2(output, 2) >= 0);
    for (size_t i = 0; i < count; i++)
        good = good && dup2(moved[i], files[i].number) >= 0;
    return good;
}

/* Returns true if the specs were read from a file that the worker can inherit. */
static bool is_kept(const struct process_config *c)
{
    return c->set && c->set->kept > 0;
}

static void execute_worker(const struct process_config *c)
{
    const char *words[16] = {"assay", "worker", "--device", c->device, "--specs", c->specs};
    char measure_ms[16];
    size_t count = 6;
    if (c->spare)
        words[count++] = "--spare";
    if (is_kept(c))
        words[count++] = "--kept";
    if (c->shared_size == 0)
        words[count++] = "--apart";
    if (c->dump)
        words[count++] = "--dump";
    if (c->half)
        words[count++] = "--half";
    if (c->repeated)
        words[count++] = "--repeated";
    if (c->profile)
        words[count++] = "--profile";
    if (c->measure_ms > 0) {
        snprintf(measure_ms, sizeof measure_ms, "%u", c->measure_ms);
        words[count++] = "--measure";
        words[count++] = measure_ms;
    }
    execv("/proc/self/exe", (char **)words);
}

/* Makes the command line: the words of the debugger, the program, and its arguments. */
static void execute_debugger(char *const *debugger, const char *program, const char *const *arguments)
{
    enum { WORDS_MAX = 256 };
    const char *words[WORDS_MAX];
    size_t count = 0;
    while (*debugger && count < WORDS_MAX - 6)
        words[count++] = *debugger++;
    words[count++] = program;
    while (*arguments)
        words[count++] = *arguments++;
    words[count] = NULL;
    execvp(words[0], (char **)words);
}

/* Makes the process group the one that reads from the terminal, if there is one. */
static void take_terminal(pid_t group)
{
    void (*before)(int) = signal(SIGTTOU, SIG_IGN);
    if (isatty(STDIN_FILENO))
        tcsetpgrp(STDIN_FILENO, group);
    signal(SIGTTOU, before);
}

/* Executes the program. Its arguments tell a device nothing but its name and the folder of the specs. */
static void execute_host(const struct process_config *c)
{
    char path[PATHS_SIZE], program[PATHS_SIZE];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    paths_host(path);
    const char *const words[] = {"assay-device", c->device, program, c->specs, NULL};
    if (c->debugger)
        execute_debugger(c->debugger, path, words + 1);
    else
        execv(path, (char **)(uintptr_t)words);
    fprintf(stderr, "%s: %m", c->debugger ? c->debugger[0] : path);
}

/* ---- ending */

static void process_forget(pid_t pid)
{
    for (int i = 0; i < live_count; i++)
        if (live[i] == pid)
            live[i--] = live[--live_count];
}

static bool process_is_over(pid_t pid, int *status)
{
    pid_t got = (pid_t)TEMP_FAILURE_RETRY(waitpid(pid, status, WNOHANG));
    return got == pid || got < 0;
}

bool process_wait_for(pid_t pid, int *status, unsigned most_ms)
{
    uint64_t end = clock_ns() + most_ms * (uint64_t)1000000, now;
    struct pollfd ended = {.fd = -1, .events = POLLIN};
    bool over;
    while (!(over = process_is_over(pid, status)) && (now = clock_ns()) < end) {
        if (ended.fd < 0)
            ended.fd = pidfd_open(pid, 0);
        uint64_t left_ms = ended.fd < 0 ? 1 : (end - now) / 1000000 + 1;
        poll(&ended, 1, left_ms < INT_MAX ? (int)left_ms : INT_MAX);
    }
    if (ended.fd >= 0)
        close(ended.fd);
    return over;
}

/* Waits for judges that have died since they were killed, and forgets them. */
static void reap_judges(void)
{
    int status;
    for (int i = 0; i < dying_count; i++)
        if (process_is_over(dying[i], &status)) {
            process_forget(dying[i]);
            dying[i--] = dying[--dying_count];
        }
}

/* Waits like process_wait_for(). Meanwhile a signal stops no process of the worker for long. */
static bool wait_awake(const struct process *p, pid_t pid, int *status, unsigned most_ms)
{
    bool over, judge;
    while (!(over = process_wait_for(pid, status, most_ms < AWAKE_MS ? most_ms : AWAKE_MS)) && most_ms > AWAKE_MS) {
        most_ms -= AWAKE_MS;
        process_continue(p, &judge);
    }
    return over;
}

/* Waits for the judge, then kills it. Returns true if the judge ended by itself. A killed judge needs some time to free
 * its memory. Nobody waits for that: not even the next worker, if they share a processor. */
static bool end_judge(struct process *p, unsigned most_ms)
{
    if (p->judge <= 0)
        return true;
    bool ended = wait_awake(p, p->judge, &p->judge_status, most_ms);
    if (ended) {
        process_forget(p->judge);
    } else {
        sched_setscheduler(p->judge, SCHED_IDLE, &(struct sched_param){0});
        kill(p->judge, SIGKILL);
        dying[dying_count++] = p->judge;
    }
    p->judge = 0;
    return ended;
}

/* ---- starting */

/* The files and sockets that a worker is started with. */
struct start {
    int progress, exchange;
    int worker[2];  /* sockets between the harness and the worker, */
    int device[2];  /* between the judge and the device's process, */
    int sandbox[2]; /* and between the harness and the process that enters the sandbox */
};

static pid_t start_judge(const struct process *p, const struct start *s, const struct process_config *config)
{
    const struct inherited files[] = {{s->worker[1], WIRE_SOCKET},
                                      {s->progress, WIRE_PROGRESS},
                                      {s->device[0], WIRE_DEVICE},
                                      {s->exchange, WIRE_EXCHANGE},
                                      {is_kept(config) ? config->set->kept - 1 : -1, WIRE_SPECS}};
    pid_t parent = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    set_death(parent, JUDGE_SCORE);
    setpgid(0, 0);
    if (inherit(p->output, files, sizeof files / sizeof *files - !is_kept(config)))
        execute_worker(config);
    _exit(127);
}

/* Starts the process that the device runs in. */
static pid_t start_device(const struct process *p, const struct start *s, const struct process_config *config)
{
    const struct inherited here[] = {{s->worker[1], WIRE_SOCKET},
                                     {s->progress, WIRE_PROGRESS},
                                     {is_kept(config) ? config->set->kept - 1 : -1, WIRE_SPECS}},
                           apart[] = {{s->device[1], HOST_SOCKET}};
    const bool judged = config->shared_size == 0;
    pid_t parent = getpid(), pid = fork();
    if (pid != 0)
        return pid;
    set_death(parent, DEVICE_SCORE);
    setpgid(0, 0);
    if (p->debugged)
        take_terminal(getpid());
    int handshake = fcntl(s->sandbox[1], F_DUPFD_CLOEXEC, 10);
    if (inherit(p->debugged ? -1 : p->output, judged ? apart : here, judged ? 1 : 2 + is_kept(config))) {
        sandbox_enter(config->sandbox, &p->sandbox, handshake);
        if (judged)
            execute_host(config);
        else
            execute_worker(config);
    }
    _exit(127);
}

static bool make_files(struct process *p, struct start *s, const struct process_config *config)
{
    const bool judged = config->shared_size == 0;
    p->progress_size = offsetof(struct progress, shared) + config->shared_size;
    p->output = memfd_create("output", MFD_CLOEXEC);
    s->progress = memfd_create("progress", MFD_CLOEXEC);
    if (p->output < 0 || s->progress < 0 || ftruncate(s->progress, (off_t)p->progress_size) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->worker) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->sandbox) != 0)
        return false;
    p->progress = mmap(NULL, p->progress_size, PROT_READ | PROT_WRITE, MAP_SHARED, s->progress, 0);
    if (p->progress == MAP_FAILED || !judged)
        return p->progress != MAP_FAILED;
    s->exchange = memfd_create("exchange", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (s->exchange < 0 || ftruncate(s->exchange, (off_t)link_exchange_size()) != 0 ||
        fcntl(s->exchange, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, s->device) != 0)
        return false;
    const void *exchange = mmap(NULL, sizeof(struct exchange), PROT_READ, MAP_SHARED, s->exchange, 0);
    p->exchange = exchange == MAP_FAILED ? NULL : exchange;
    return p->exchange != NULL;
}

static void close_all(const int *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (files[i] >= 0)
            close(files[i]);
}

bool process_start(struct process *p, const struct process_config *config, struct error *error)
{
    struct start s = {-1, -1, {-1, -1}, {-1, -1}, {-1, -1}};
    *p = none;
    p->debugged = config->debugger != NULL;
    p->kills = cgroup_read("").kills;
    orphans_adopt();
    reap_judges();
    if (dying_count >= DYING_MAX) /* judges end slowly on a busy machine */
        process_wait_judges();
    prctl(PR_SET_DUMPABLE, 0); /* no device can reach into this process, even without Landlock */
    bool good =
        live_count + 1 < LIVE_MAX && sandbox_prepare(config->device, &p->sandbox, error) && make_files(p, &s, config);
    if (is_kept(config))
        pool_inherit(&config->set->pool, false); /* each child becomes another program at once */
    if (good && p->exchange) {
        p->judge = start_judge(p, &s, config);
        good = p->judge > 0;
        if (good)
            live[live_count++] = p->judge;
    }
    if (good) {
        p->pid = start_device(p, &s, config);
        good = p->pid > 0;
    }
    if (is_kept(config))
        pool_inherit(&config->set->pool, true);
    if (good) {
        live[live_count++] = p->pid;
        setpgid(p->pid, p->pid); /* the child does it too: either may run first */
        p->pidfd = pidfd_open(p->pid, 0);
        close_all(&s.sandbox[1], 1);
        s.sandbox[1] = -1;
        sandbox_supervise(config->sandbox, &p->sandbox, p->pid, s.sandbox[0], &p->progress->notice);
    }
    p->socket = s.worker[0];
    if (p->socket >= 0)
        fcntl(p->socket, F_SETFL, O_NONBLOCK);
    const int files[] = {s.progress, s.exchange, s.worker[1], s.device[0], s.device[1], s.sandbox[0], s.sandbox[1]};
    close_all(files, sizeof files / sizeof *files);
    if (good)
        return true;
    error_set(error, EXIT_HARNESS, "no worker process can be started: %m"); /* unless the sandbox has said why */
    p->pid = 0;
    end_judge(p, 0);
    process_close(p);
    return false;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

bool process_open(struct process *p)
{
    const struct wire_header header = {.type = WIRE_OPEN};
    void *message = has_ended(p->pid) || has_ended(p->judge) ? NULL : process_send(p, sizeof header);
    if (!message)
        return false;
    memcpy(message, &header, sizeof header);
    process_flush(p);
    return true;
}

/* ---- the activity of a worker */

struct process_activity process_activity(const struct process *p)
{
    const struct progress *progress = p->progress;
    struct process_activity now = {.step = atomic_load_explicit(&progress->step, memory_order_acquire),
                                   .stage = atomic_load(&progress->stage),
                                   .index = atomic_load(&progress->index)};
    uint32_t call = atomic_load(&progress->call), at = p->exchange ? atomic_load(&p->exchange->at) : 0;
    now.calling = (call == HOST_CREATE || call == HOST_DESTROY) && at < atomic_load(&progress->call_count);
    if (now.calling) {
        now.stage = STAGE_CASE;
        now.index = at;
    }
    return now;
}

bool process_advanced(const struct process_activity *before, const struct process_activity *now)
{
    if (now->calling && before->calling && now->index <= before->index)
        return now->index < before->index && now->step != before->step; /* another batch */
    return now->calling != before->calling || now->step != before->step || now->index != before->index;
}

uint64_t process_memory(const struct process *p)
{
    return profile_memory(p->pid) + (p->judge ? profile_memory(p->judge) : 0);
}

/* ---- messages */

static bool process_reserve(char **buffer, size_t *size, size_t needed)
{
    if (needed <= *size)
        return true;
    size_t larger = needed * 2 + 65536;
    char *moved = realloc(*buffer, larger);
    if (!moved)
        return false;
    *buffer = moved;
    *size = larger;
    return true;
}

void *process_send(struct process *p, size_t size)
{
    if (p->out_done == p->out_used)
        p->out_done = p->out_used = 0;
    if (!process_reserve(&p->out, &p->out_size, p->out_used + size))
        return NULL;
    void *room = p->out + p->out_used;
    p->out_used += size;
    return room;
}

static bool process_receive(struct process *p)
{
    enum { CHUNK = 256 * 1024 };
    for (;;) {
        if (!process_reserve(&p->in, &p->in_size, p->in_used + CHUNK))
            return false;
        ssize_t got = recv(p->socket, p->in + p->in_used, CHUNK, 0);
        if (got > 0)
            p->in_used += (size_t)got;
        else if (got < 0 && errno == EINTR)
            continue;
        else if (got < 0 && errno == EAGAIN)
            return true;
        else {
            p->closed = true;
            return false;
        }
        if (got < CHUNK)
            return true;
    }
}

/* Returns false if the worker has closed its end. */
static bool send_some(struct process *p)
{
    while (p->out_done < p->out_used) {
        ssize_t sent = send(p->socket, p->out + p->out_done, p->out_used - p->out_done, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN)
            break;
        if (sent <= 0)
            return false;
        p->out_done += (size_t)sent;
    }
    return true;
}

void process_flush(struct process *p)
{
    send_some(p);
}

bool process_pump(struct process *p)
{
    bool open = send_some(p);
    return process_receive(p) && open; /* this also keeps the messages that the worker sent before it closed */
}

bool process_message(const struct process *p, struct wire_header *header, const char **body)
{
    if (p->in_used < sizeof *header)
        return false;
    memcpy(header, p->in, sizeof *header);
    *body = p->in + sizeof *header;
    return p->in_used - sizeof *header >= header->size;
}

void process_drop_message(struct process *p)
{
    struct wire_header header;
    memcpy(&header, p->in, sizeof header);
    size_t whole = sizeof header + header.size;
    memmove(p->in, p->in + whole, p->in_used - whole);
    p->in_used -= whole;
}

void process_trim_output(struct process *p)
{
    struct stat status;
    if (p->pid <= 0 || fstat(p->output, &status) != 0 || status.st_blocks * (off_t)512 <= OUTPUT_MAX)
        return;
    off_t end = (status.st_size - OUTPUT_TEXT) / OUTPUT_PAGE * OUTPUT_PAGE; /* keeps the tail and the file offset */
    if (end > 0)
        fallocate(p->output, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, end);
}

/* Returns the cause of the process's death; "" if it is not known. The text may have no terminating zero. */
static const char *fault_of(const struct process *p)
{
    return p->exchange && !*p->progress->fault ? p->exchange->fault : p->progress->fault;
}

bool process_harmed(const struct process *p, char *why, size_t size)
{
    bool gave_up = atomic_load(&p->progress->stage) == STAGE_HARMED;
    bool harmed = gave_up || (!p->failed && p->exchange && p->exchange->harmed == EXCHANGE_HARMED);
    if (harmed)
        snprintf(why, size, "%.390s", fault_of(p));
    return harmed;
}

/* Describes the process's end: the exit status or signal, the fault and the pending denial. */
static void describe_end(const struct process *p, char *how, size_t size)
{
    int used, status = p->failed ? p->judge_status : p->status;
    const char *who = p->failed ? "assay's own process was " : "", *fault = fault_of(p);
    if (p->starved)
        used = snprintf(how, size,
                        "%skilled by the kernel, since the control group has no memory left (%llu MiB are allowed)",
                        who, (unsigned long long)cgroup_read("").memory >> 20);
    else if (WIFSIGNALED(status))
        used = snprintf(how, size, "%skilled by SIG%s", who, sigabbrev_np(WTERMSIG(status)));
    else if (p->debugged)
        used = snprintf(how, size, "ended under the debugger, which exited with status %d", WEXITSTATUS(status));
    else
        used = snprintf(how, size, "%sexited with status %d", p->failed ? "assay's own process " : "",
                        WEXITSTATUS(status));
    if (*fault)
        used += snprintf(how + used, size - (size_t)used, " (%.200s)", fault);
    if (atomic_load(&p->progress->notice.pending))
        snprintf(how + used, size - (size_t)used, "; it %.250s, which was denied", p->progress->notice.text);
}

void process_describe_output(int output, char *how, size_t size)
{
    size_t used = strlen(how);
    char tail[OUTPUT_TAIL + 4], shown[4 * OUTPUT_TAIL];
    if (!output_read(output, 0, tail, sizeof tail))
        return;
    text_visible(shown, sizeof shown, tail);
    snprintf(how + used, size - used, "; it printed: %s", shown);
}

void process_printed(const struct process *p, char *text)
{
    output_read(p->output, 0, text, OUTPUT_TEXT);
}

void process_terminate(const struct process *p)
{
    kill(-p->pid, SIGTERM); /* the judge waits for the device's process, and is ended after it */
    kill(-p->pid, SIGCONT);
}

/* Continues the group of a child if a signal has stopped the child. Returns that signal, or 0. */
static int continue_group(pid_t pid)
{
    siginfo_t info = {0};
    if (pid <= 0 || waitid(P_PID, (id_t)pid, &info, WSTOPPED | WNOHANG) != 0 || info.si_pid == 0)
        return 0;
    kill(-pid, SIGCONT);
    return info.si_status;
}

int process_continue(const struct process *p, bool *judge)
{
    int device_signal = continue_group(p->pid), judge_signal = continue_group(p->judge);
    *judge = judge_signal != 0;
    return *judge ? judge_signal : device_signal;
}

static bool is_killed(int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* Returns true if a process has exited because its judge is gone, as it says: it need not be true. */
static bool is_orphaned(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == HOST_ORPHANED;
}

/* Returns true if the judge has ended by itself: nothing else closes its end of the socket. A judge that ends may close
 * the socket to the device's process a little earlier. */
static bool judge_has_left(const struct process *p)
{
    struct pollfd end = {.fd = p->socket, .events = POLLRDHUP};
    siginfo_t device = {0};
    bool orphaned = waitid(P_PID, (id_t)p->pid, &device, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                    device.si_code == CLD_EXITED && device.si_status == HOST_ORPHANED;
    return p->closed || poll(&end, 1, orphaned ? JUDGE_MS : 0) > 0;
}

bool process_stop(struct process *p, unsigned grace_ms)
{
    if (p->pid <= 0)
        return true;
    const bool judged = p->judge > 0;
    p->failed = judged && judge_has_left(p);
    if (p->failed)
        end_judge(p, KILL_MS);
    /* A process that is killed at once must not begin to end by itself: the programs that it starts then would outlive
     * it. */
    if (p->socket >= 0 && grace_ms > 0)
        shutdown(p->socket, SHUT_RDWR);
    bool ended = wait_awake(p, p->pid, &p->status, grace_ms); /* the device's last calls may hang */
    bool starved = ended && is_killed(p->status);
    kill(-p->pid, SIGKILL); /* other processes of its group may remain */
    p->stuck = !ended && !process_wait_for(p->pid, &p->status, KILL_MS);
    process_forget(p->pid);
    bool good = ended && p->status == 0;
    p->in_order = good || (ended && is_orphaned(p->status));
    /* A judge whose device ended well only frees its memory, which takes long on a busy machine. */
    bool judge_ended = end_judge(p, p->in_order ? KILL_MS : 0);
    if (judge_ended && WIFSIGNALED(p->judge_status)) /* a device that has not ended may have waited for it */
        p->failed |= judged && (!ended || p->in_order);
    if (p->failed)
        starved = is_killed(p->judge_status);
    p->starved = starved && cgroup_read("").kills > p->kills;
    return judge_ended && good && (!judged || p->judge_status == 0);
}

void process_wait_judges(void)
{
    int status;
    for (int i = 0; i < dying_count; i++)
        process_wait_for(dying[i], &status, KILL_MS);
    reap_judges();
}

int process_kill_orphans(char *name, size_t size)
{
    reap_judges();
    return orphans_kill(live, live_count, name, size);
}

void process_describe(const struct process *p, const char *why, bool output, char *how, size_t size)
{
    *how = '\0';
    if (p->pid <= 0)
        return;
    if (why || p->stuck)
        snprintf(how, size, "%s", why ? why : "stuck in the kernel, where it cannot be killed");
    else
        describe_end(p, how, size);
    if (output)
        process_describe_output(p->output, how, size);
}

void process_close(struct process *p)
{
    const int files[] = {p->pidfd, p->socket, p->output};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] >= 0)
            close(files[i]);
    sandbox_clean_up(&p->sandbox);
    if (p->progress != MAP_FAILED)
        munmap(p->progress, p->progress_size);
    if (p->exchange)
        munmap((void *)(uintptr_t)p->exchange, sizeof *p->exchange);
    free(p->out);
    free(p->in);
    if (p->debugged)
        take_terminal(getpgrp());
    *p = none;
}
