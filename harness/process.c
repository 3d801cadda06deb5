#include "harness/process.h"

#include "harness/text.h"
#include "harness/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OUTPUT_MOST = 1 << 20, OUTPUT_TAIL = 200 };

/* In the child: descriptors into place, then the program anew. All other descriptors are close-on-exec. */
static _Noreturn void run_child(int socket, int progress, int output, const char *device, const char *specs, bool dump)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    /* Out of the way of 3 and 4 first. */
    socket = fcntl(socket, F_DUPFD_CLOEXEC, 10);
    progress = fcntl(progress, F_DUPFD_CLOEXEC, 10);
    output = fcntl(output, F_DUPFD_CLOEXEC, 10);
    setpgid(0, 0);
    if (null >= 0 && dup2(null, 0) >= 0 && dup2(output, 1) >= 0 && dup2(output, 2) >= 0 &&
        dup2(socket, WORKER_SOCKET) >= 0 && dup2(progress, WORKER_PROGRESS) >= 0)
        execl("/proc/self/exe", "assay", "worker", "--device", device, "--specs", specs, dump ? "--dump" : NULL,
              (char *)NULL);
    _exit(127);
}

bool process_start(struct process *p, const char *device, const char *specs, bool dump)
{
    int sockets[2] = {-1, -1}, progress = memfd_create("progress", MFD_CLOEXEC);
    *p = (struct process){.socket = -1, .output = memfd_create("output", MFD_CLOEXEC), .progress = MAP_FAILED};
    if (progress < 0 || p->output < 0 || ftruncate(progress, sizeof *p->progress) != 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
        goto failed;
    p->progress = mmap(NULL, sizeof *p->progress, PROT_READ | PROT_WRITE, MAP_SHARED, progress, 0);
    if (p->progress == MAP_FAILED)
        goto failed;
    p->pid = fork();
    if (p->pid == 0)
        run_child(sockets[1], progress, p->output, device, specs, dump);
    if (p->pid < 0)
        goto failed;
    setpgid(p->pid, p->pid); /* here too: whichever comes first */
    close(sockets[1]);
    close(progress);
    p->socket = sockets[0];
    fcntl(p->socket, F_SETFL, O_NONBLOCK);
    return true;
failed:
    p->pid = 0;
    for (int i = 0; i < 2; i++)
        if (sockets[i] >= 0)
            close(sockets[i]);
    if (progress >= 0)
        close(progress);
    process_end(p, false, NULL, 0);
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
            return receive(p) && false; /* what it still said before it went is kept */
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

void process_taken(struct process *p)
{
    struct wire_header header;
    memcpy(&header, p->in, sizeof header);
    size_t whole = sizeof header + header.size;
    memmove(p->in, p->in + whole, p->in_used - whole);
    p->in_used -= whole;
}

void process_trim(struct process *p)
{
    struct stat status;
    if (p->pid > 0 && fstat(p->output, &status) == 0 && status.st_size > OUTPUT_MOST) {
        lseek(p->output, 0, SEEK_SET); /* the offset is the worker's too */
        if (ftruncate(p->output, 0) != 0)
            return;
    }
}

static void describe_end(const struct process *p, int status, char *how, size_t size)
{
    char tail[OUTPUT_TAIL + 1], shown[4 * OUTPUT_TAIL];
    struct stat file;
    size_t used;
    if (WIFSIGNALED(status))
        used = (size_t)snprintf(how, size, "killed by SIG%s", sigabbrev_np(WTERMSIG(status)));
    else
        used = (size_t)snprintf(how, size, "exited with status %d", WEXITSTATUS(status));
    if (*p->progress->fault)
        used += (size_t)snprintf(how + used, size - used, " (%.200s)", p->progress->fault);
    if (fstat(p->output, &file) != 0 || file.st_size == 0)
        return;
    off_t from = file.st_size > OUTPUT_TAIL ? file.st_size - OUTPUT_TAIL : 0;
    ssize_t got = pread(p->output, tail, OUTPUT_TAIL, from);
    tail[got > 0 ? got : 0] = '\0';
    while (got > 0 && (tail[got - 1] == '\n' || tail[got - 1] == ' '))
        tail[--got] = '\0';
    text_visible(shown, sizeof shown, tail);
    if (*shown && used < size)
        snprintf(how + used, size - used, "; it printed: %s%s", from > 0 ? "…" : "", shown);
}

/* A process that has been asked to end may hang in the device's last calls: it is given GRACE_MS. */
static void wait_for(pid_t pid, int *status)
{
    enum { GRACE_MS = 5000 };
    struct timespec pause = {.tv_nsec = 1000000};
    for (int waited = 0; waited < GRACE_MS; waited++) {
        pid_t got = waitpid(pid, status, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            return;
        nanosleep(&pause, NULL);
    }
    kill(-pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
}

bool process_end(struct process *p, bool kill_it, char *how, size_t size)
{
    int status = 0;
    if (p->pid > 0) {
        if (kill_it)
            kill(-p->pid, SIGKILL);
        else if (p->socket >= 0)
            shutdown(p->socket, SHUT_RDWR);
        wait_for(p->pid, &status);
        kill(-p->pid, SIGKILL); /* what it may have left behind in its group */
        if (how)
            describe_end(p, status, how, size);
    }
    if (p->socket >= 0)
        close(p->socket);
    if (p->output >= 0)
        close(p->output);
    if (p->progress != MAP_FAILED)
        munmap(p->progress, sizeof *p->progress);
    free(p->out);
    free(p->in);
    *p = (struct process){.socket = -1, .output = -1, .progress = MAP_FAILED};
    return status == 0;
}
