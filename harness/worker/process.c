#include "harness/worker/process.h"

#include "harness/base/text.h"
#include "harness/worker/orphans.h"

#include <errno.h>
#include <fcntl.h>
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
#include <time.h>
#include <unistd.h>

enum { LIVE_MAX = 256 };

/* The workers that run now: all other children of this process are orphans. */
static pid_t live[LIVE_MAX];
static int live_count;

enum { OUTPUT_MAX = 1 << 20, OUTPUT_TAIL = 200, OUTPUT_PAGE = 4096, KILL_MS = 5000 };

static const struct process none = {.pidfd = -1, .socket = -1, .output = -1, .progress = MAP_FAILED};

/* A worker dies with the harness, `parent`, and is the first process that the kernel kills when memory runs out. */
static void set_death(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0 && write(score, "1000", 4) == 4)
        close(score);
}

/* In the child: moves the descriptors into place and executes the program again. All others are close-on-exec. */
static _Noreturn void run_child(const struct process *p, int socket, int progress, pid_t parent,
                                const struct process_config *c)
{
    const char *words[9] = {"assay", "worker", "--device", c->device, "--specs", c->specs};
    size_t count = 6;
    if (c->dump)
        words[count++] = "--dump";
    if (c->profile)
        words[count++] = "--profile";
    set_death(parent);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    /* First out of the way of descriptors 3 and 4. */
    socket = fcntl(socket, F_DUPFD_CLOEXEC, 10);
    progress = fcntl(progress, F_DUPFD_CLOEXEC, 10);
    int output = fcntl(p->output, F_DUPFD_CLOEXEC, 10);
    setpgid(0, 0);
    if (null >= 0 && dup2(null, 0) >= 0 && dup2(output, 1) >= 0 && dup2(output, 2) >= 0 &&
        dup2(socket, WIRE_SOCKET) >= 0 && dup2(progress, WIRE_PROGRESS) >= 0) {
        sandbox_enter(c->sandbox, &p->sandbox, WIRE_SOCKET);
        execv("/proc/self/exe", (char **)words);
    }
    _exit(127);
}

bool process_start(struct process *p, const struct process_config *config, struct error *error)
{
    pid_t parent = getpid();
    size_t size = offsetof(struct progress, shared) + config->shared_size;
    int sockets[2] = {-1, -1}, progress = memfd_create("progress", MFD_CLOEXEC);
    *p = none;
    orphans_adopt();
    p->output = memfd_create("output", MFD_CLOEXEC);
    if (live_count == LIVE_MAX || !sandbox_prepare(config->device, &p->sandbox, error) || progress < 0 ||
        p->output < 0 || ftruncate(progress, (off_t)size) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        goto failed;
    p->progress_size = size;
    p->progress = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, progress, 0);
    if (p->progress == MAP_FAILED)
        goto failed;
    p->pid = fork();
    if (p->pid == 0)
        run_child(p, sockets[1], progress, parent, config);
    if (p->pid < 0)
        goto failed;
    live[live_count++] = p->pid;
    setpgid(p->pid, p->pid); /* the child does it too: either may run first */
    close(sockets[1]);
    close(progress);
    p->pidfd = pidfd_open(p->pid, 0);
    p->socket = sockets[0];
    sandbox_supervise(config->sandbox, &p->sandbox, p->pid, p->socket, &p->progress->notice);
    fcntl(p->socket, F_SETFL, O_NONBLOCK);
    return true;
failed:
    error_set(error, EXIT_HARNESS, "no worker process can be started: %m"); /* unless the sandbox has said why */
    p->pid = 0;
    for (int i = 0; i < 2; i++)
        if (sockets[i] >= 0)
            close(sockets[i]);
    if (progress >= 0)
        close(progress);
    process_close(p, NULL, NULL, 0);
    return false;
}

static bool reserve(char **buffer, size_t *size, size_t needed)
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
    if (!reserve(&p->out, &p->out_size, p->out_used + size))
        return NULL;
    void *room = p->out + p->out_used;
    p->out_used += size;
    return room;
}

static bool receive(struct process *p)
{
    enum { CHUNK = 256 * 1024 };
    for (;;) {
        if (!reserve(&p->in, &p->in_size, p->in_used + CHUNK))
            return false;
        ssize_t got = recv(p->socket, p->in + p->in_used, CHUNK, 0);
        if (got > 0)
            p->in_used += (size_t)got;
        else if (got == 0)
            return false;
        else if (errno != EINTR)
            return errno == EAGAIN;
        if (got < CHUNK)
            return true;
    }
}

bool process_pump(struct process *p)
{
    while (p->out_done < p->out_used) {
        ssize_t sent = send(p->socket, p->out + p->out_done, p->out_used - p->out_done, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0 && errno == EAGAIN)
            break;
        if (sent <= 0)
            return receive(p) && false; /* keeps what the worker sent before it closed */
        p->out_done += (size_t)sent;
    }
    return receive(p);
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
    off_t end = (status.st_size - OUTPUT_TAIL) / OUTPUT_PAGE * OUTPUT_PAGE; /* keeps the tail and the file offset */
    if (end > 0)
        fallocate(p->output, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, end);
}

/* The exit status or signal, the fault and the pending denial. */
static void describe_end(const struct process *p, char *how, size_t size)
{
    int used, status = p->status;
    if (WIFSIGNALED(status))
        used = snprintf(how, size, "killed by SIG%s", sigabbrev_np(WTERMSIG(status)));
    else
        used = snprintf(how, size, "exited with status %d", WEXITSTATUS(status));
    if (*p->progress->fault)
        used += snprintf(how + used, size - (size_t)used, " (%.200s)", p->progress->fault);
    if (atomic_load(&p->progress->notice.pending))
        snprintf(how + used, size - (size_t)used, "; it %.250s, which was denied", p->progress->notice.text);
}

void process_describe_output(int output, char *how, size_t size)
{
    size_t used = strlen(how);
    char tail[OUTPUT_TAIL + 1], shown[4 * OUTPUT_TAIL];
    struct stat file;
    if (fstat(output, &file) != 0 || file.st_size == 0)
        return;
    off_t from = file.st_size > OUTPUT_TAIL ? file.st_size - OUTPUT_TAIL : 0;
    ssize_t got = pread(output, tail, OUTPUT_TAIL, from);
    tail[got > 0 ? got : 0] = '\0';
    while (got > 0 && (tail[got - 1] == '\n' || tail[got - 1] == ' '))
        tail[--got] = '\0';
    text_visible(shown, sizeof shown, tail);
    if (*shown)
        snprintf(how + used, size - used, "; it printed: %s%s", from > 0 ? "…" : "", shown);
}

void process_terminate(const struct process *p)
{
    kill(-p->pid, SIGTERM);
    kill(-p->pid, SIGCONT);
}

int process_continue(const struct process *p)
{
    siginfo_t info = {0};
    if (p->pid <= 0 || waitid(P_PID, (id_t)p->pid, &info, WSTOPPED | WNOHANG) != 0 || info.si_pid == 0)
        return 0;
    kill(-p->pid, SIGCONT);
    return info.si_status;
}

/* False: it still runs. */
static bool wait_for(pid_t pid, int *status, unsigned most_ms)
{
    struct timespec pause = {.tv_nsec = 1000000};
    for (unsigned waited = 0; waited <= most_ms; waited++) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

bool process_stop(struct process *p, unsigned grace_ms)
{
    if (p->pid <= 0)
        return true;
    if (p->socket >= 0)
        shutdown(p->socket, SHUT_RDWR);
    bool ended = wait_for(p->pid, &p->status, grace_ms); /* the device's last calls may hang */
    kill(-p->pid, SIGKILL);                              /* other processes of its group may remain */
    p->stuck = !ended && !wait_for(p->pid, &p->status, KILL_MS);
    return ended && p->status == 0;
}

int process_kill_orphans(char *name, size_t size)
{
    return orphans_kill(live, live_count, name, size);
}

static void forget(pid_t pid)
{
    for (int i = 0; i < live_count; i++)
        if (live[i] == pid)
            live[i--] = live[--live_count];
}

void process_close(struct process *p, const char *why, char *how, size_t size)
{
    if (how && p->pid > 0) {
        if (why || p->stuck)
            snprintf(how, size, "%s", why ? why : "stuck in the kernel, where it cannot be killed");
        else
            describe_end(p, how, size);
        process_describe_output(p->output, how, size);
    }
    const int files[] = {p->pidfd, p->socket, p->output};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (files[i] >= 0)
            close(files[i]);
    sandbox_clean_up(&p->sandbox);
    if (p->progress != MAP_FAILED)
        munmap(p->progress, p->progress_size);
    free(p->out);
    free(p->in);
    forget(p->pid);
    *p = none;
}
