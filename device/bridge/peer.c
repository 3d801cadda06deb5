#include "device/bridge/peer.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GRACE_MS = 2000, LOG_MAX = 1 << 20, TAIL = 240, PARTS = 64, MEMORY_LEAST = 1 << 20, MEMORY_KEPT = 256 << 20 };
static const char magic[4] = "ASB2";
enum { VERSION_AT = 3 }; /* the digit */

/* The peer's descriptors for requests, answers and shared memory, whose numbers are in its environment. */
enum { PEER_IN = 3, PEER_OUT, PEER_MEMORY, PEER_END, ABOVE_PEER = 10 };
static char variables[][24] = {"ASSAY_BRIDGE_IN=3", "ASSAY_BRIDGE_OUT=4", "ASSAY_BRIDGE_MEMORY=5"};
static const char variables_begin[] = "ASSAY_BRIDGE_";
enum { VARIABLES = sizeof variables / sizeof *variables };

extern char **environ;

/* ---- ending */

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static int64_t peer_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)1000 + now.tv_nsec / 1000000;
}

/* Waits up to GRACE_MS by the clock for the process to end by itself: on a busy machine, a sleep takes longer than it
 * should. Returns true if the process has ended. */
static int has_ended(struct peer *peer, int *status)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const int64_t deadline = peer_now_ms() + GRACE_MS;
    do {
        pid_t got = waitpid(peer->pid, status, WNOHANG);
        if (got == peer->pid || (got < 0 && errno != EINTR))
            return 1;
        nanosleep(&pause, NULL);
    } while (peer_now_ms() < deadline);
    return 0;
}

static void end_process(struct peer *peer)
{
    int status;
    close_fd(&peer->in);
    close_fd(&peer->out);
    if (peer->pid > 0) {
        kill(peer->pid, SIGKILL);
        while (waitpid(peer->pid, &status, 0) < 0 && errno == EINTR)
            ;
    }
    peer->pid = 0;
}

/* Adds the end of the peer's output to the problem, in one line. */
static void add_tail(struct peer *peer)
{
    char tail[TAIL + 1];
    struct stat file;
    size_t used = strlen(peer->problem);
    if (peer->log < 0 || fstat(peer->log, &file) != 0 || file.st_size == 0)
        return;
    off_t from = file.st_size > TAIL ? file.st_size - TAIL : 0;
    ssize_t got = pread(peer->log, tail, TAIL, from);
    for (ssize_t i = 0; i < got; i++)
        if ((unsigned char)tail[i] < ' ')
            tail[i] = ' ';
    while (got > 0 && tail[got - 1] == ' ')
        got--;
    if (got > 0)
        snprintf(peer->problem + used, sizeof peer->problem - used, "; it printed: %s%.*s", from > 0 ? "…" : "",
                 (int)got, tail);
}

int peer_lose(struct peer *peer, const char *format, ...)
{
    va_list arguments;
    if (*peer->problem)
        return 0;
    va_start(arguments, format);
    vsnprintf(peer->problem, sizeof peer->problem, format, arguments);
    va_end(arguments);
    end_process(peer);
    add_tail(peer);
    return 0;
}

/* Returns what to add to the problem of a peer that has not answered yet: it may be one of version 1, which uses
 * standard input and output. */
static const char *version_hint(const struct peer *peer)
{
    return peer->has_answered
               ? ""
               : "; version 2 of the protocol has requests in ASSAY_BRIDGE_IN, and answers in ASSAY_BRIDGE_OUT";
}

/* Loses the peer because it has closed a pipe, most likely because it has ended. */
static int lose_closed(struct peer *peer, const char *which)
{
    int status = 0;
    if (!has_ended(peer, &status))
        return peer_lose(peer, "the peer closed %s", which);
    peer->pid = 0;
    if (WIFSIGNALED(status))
        return peer_lose(peer, "the peer was killed by SIG%s", sigabbrev_np(WTERMSIG(status)));
    return peer_lose(peer, "the peer ended with exit status %d%s", WEXITSTATUS(status),
                     WEXITSTATUS(status) == 0 ? version_hint(peer) : "");
}

/* ---- starting */

/* Moves a descriptor above those that spawn() sets up, so that none is overwritten before it is copied. */
static int move_up(int *fd)
{
    int moved = *fd >= 0 ? fcntl(*fd, F_DUPFD_CLOEXEC, ABOVE_PEER) : -1;
    if (moved < 0)
        return 0;
    close(*fd);
    *fd = moved;
    return 1;
}

/* Returns this process's environment with the variables of the bridge. The caller frees the list. Returns null if there
 * is no memory. */
static char **make_environment(void)
{
    size_t count = 0, used = 0;
    while (environ[count])
        count++;
    char **list = malloc((count + VARIABLES + 1) * sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (strncmp(environ[i], variables_begin, sizeof variables_begin - 1) != 0)
            list[used++] = environ[i];
    for (size_t i = 0; list && i < VARIABLES; i++)
        list[used++] = variables[i];
    if (list)
        list[used] = NULL;
    return list;
}

/* Starts the command. A shell splits it into words and execs the program, so the process is the program itself. Its
 * standard input is empty; its output goes to the log. */
static int spawn(struct peer *peer, const char *command, int in, int out)
{
    static char shell[] = "sh", flag[] = "-c", exec[] = "exec ";
    char *text = malloc(sizeof exec + strlen(command)), *const arguments[] = {shell, flag, text, NULL};
    char **environment = make_environment();
    posix_spawn_file_actions_t actions;
    if (!text || !environment) {
        free(text);
        free(environment);
        return ENOMEM;
    }
    strcpy(text, exec);
    strcat(text, command);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, peer->log, 1);
    posix_spawn_file_actions_adddup2(&actions, peer->log, 2);
    posix_spawn_file_actions_adddup2(&actions, in, PEER_IN);
    posix_spawn_file_actions_adddup2(&actions, out, PEER_OUT);
    posix_spawn_file_actions_adddup2(&actions, peer->shared, PEER_MEMORY);
    posix_spawn_file_actions_addclosefrom_np(&actions, PEER_END); /* the peer gets no other open file */
    int failure = posix_spawn(&peer->pid, "/bin/sh", &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    free(text);
    return failure;
}

int peer_start(struct peer *peer, const char *command, unsigned timeout)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1}, failure;
    *peer = (struct peer){.in = -1,
                          .out = -1,
                          .log = memfd_create("peer", MFD_CLOEXEC),
                          .shared = memfd_create("tensors", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    peer->timeout_ms = (int)timeout * 1000;
    /* Sockets, since writing to a pipe would raise SIGPIPE, and signal handlers are process-wide state. */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0 || pipe2(out, O_CLOEXEC) != 0 ||
        !move_up(&peer->log) || !move_up(&peer->shared) || !move_up(&in[1]) || !move_up(&out[1]) ||
        fcntl(peer->shared, F_ADD_SEALS, F_SEAL_SHRINK) != 0) /* a peer that shrinks it would end this process */
        failure = errno;
    else
        failure = spawn(peer, command, in[1], out[1]);
    close_fd(&in[1]);
    close_fd(&out[1]);
    peer->in = in[0];
    peer->out = out[0];
    if (!failure)
        return 1;
    peer->pid = 0;
    return peer_lose(peer, "the peer cannot be started: %s", strerror(failure));
}

void peer_stop(struct peer *peer)
{
    int status;
    close_fd(&peer->in);
    if (peer->pid > 0 && has_ended(peer, &status))
        peer->pid = 0;
    end_process(peer);
    close_fd(&peer->log);
    close_fd(&peer->shared);
    if (peer->mapped)
        munmap(peer->mapped, peer->mapped_size);
}

char *peer_memory(struct peer *peer, size_t size)
{
    size_t room = peer->mapped_size ? peer->mapped_size : MEMORY_LEAST;
    if (peer->mapped && peer->mapped_size > MEMORY_KEPT)
        madvise(peer->mapped, peer->mapped_size, MADV_REMOVE); /* the pages of a large request are not kept */
    if (size <= peer->mapped_size)
        return peer->mapped;
    while (room < size)
        room *= 2;
    void *mapped = MAP_FAILED;
    if (ftruncate(peer->shared, (off_t)room) == 0)
        mapped = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, peer->shared, 0);
    if (mapped == MAP_FAILED)
        return NULL;
    if (peer->mapped)
        munmap(peer->mapped, peer->mapped_size);
    peer->mapped = mapped;
    peer->mapped_size = room;
    return mapped;
}

/* ---- bytes */

/* Limits the size of the file with the peer's output. */
static void trim_log(struct peer *peer)
{
    struct stat file;
    if (fstat(peer->log, &file) != 0 || file.st_size <= LOG_MAX)
        return;
    lseek(peer->log, 0, SEEK_SET); /* the peer's descriptor has the same offset */
    if (ftruncate(peer->log, 0) != 0)
        return; /* on failure, the file grows */
}

/* Waits until the peer sends a byte or, if `sending`, takes one. Returns POLLIN or POLLOUT; 0 if it stalled and is
 * lost. */
static short wait_for_peer(struct peer *peer, int sending)
{
    struct pollfd fds[2] = {{.fd = peer->out, .events = POLLIN}, {.fd = peer->in, .events = POLLOUT}};
    int ready;
    do
        ready = poll(fds, sending ? 2 : 1, peer->timeout_ms);
    while (ready < 0 && errno == EINTR);
    if (ready > 0)
        return fds[0].revents ? POLLIN : POLLOUT;
    peer_lose(peer, "the peer stalled: in %d s it did not %s%s", peer->timeout_ms / 1000,
              sending ? "take a byte of a request" : "give a byte of an answer", version_hint(peer));
    return 0;
}

/* Reads the available bytes, at least one, into the buffer. */
static int fill_buffer(struct peer *peer)
{
    ssize_t got;
    do
        got = read(peer->out, peer->buffer, sizeof peer->buffer);
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return lose_closed(peer, "ASSAY_BRIDGE_OUT");
    peer->has_answered = true;
    peer->at = 0;
    peer->used = (size_t)got;
    return 1;
}

/* Returns up to 16 bytes of the buffer as printable text. */
static const char *show(const struct peer *peer, char text[20])
{
    size_t count = 0;
    for (size_t i = peer->at; i < peer->used && count < 16; i++)
        text[count++] = peer->buffer[i] >= ' ' && peer->buffer[i] < 127 ? (char)peer->buffer[i] : '.';
    text[count] = 0;
    return text;
}

static int lose_unasked(struct peer *peer)
{
    char text[20];
    return peer_lose(peer, "the peer sent bytes without a request: \"%s\"", show(peer, text));
}

/* Sends as much as fits of the parts from *first on; *done bytes of that part are already sent. Updates both. */
static int send_some(struct peer *peer, const struct peer_bytes *parts, size_t count, size_t *first, size_t *done)
{
    struct iovec pieces[PARTS];
    struct msghdr message = {.msg_iov = pieces};
    for (size_t i = *first; i < count && message.msg_iovlen < PARTS; i++)
        pieces[message.msg_iovlen++] =
            (struct iovec){.iov_base = (void *)(uintptr_t)parts[i].at, .iov_len = parts[i].size};
    pieces[0].iov_base = (char *)pieces[0].iov_base + *done;
    pieces[0].iov_len -= *done;
    ssize_t sent = sendmsg(peer->in, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0)
        return errno == EINTR || errno == EAGAIN || lose_closed(peer, "ASSAY_BRIDGE_IN");
    size_t left = (size_t)sent + *done;
    while (*first < count && left >= parts[*first].size)
        left -= parts[(*first)++].size;
    *done = left;
    return 1;
}

static int send_all(struct peer *peer, const struct peer_bytes *parts, size_t count)
{
    size_t first = 0, done = 0;
    while (first < count && !*peer->problem) {
        short what = wait_for_peer(peer, 1);
        if (what == POLLOUT)
            send_some(peer, parts, count, &first, &done);
        else if (what == POLLIN && fill_buffer(peer))
            return lose_unasked(peer); /* an answer may begin only after the whole request was read */
    }
    return !*peer->problem;
}

int peer_take(struct peer *peer, void *to, size_t size)
{
    char *at = to;
    while (size > 0 && !*peer->problem) {
        size_t there = peer->used - peer->at, taken = there < size ? there : size;
        if (taken > 0) {
            memcpy(at, peer->buffer + peer->at, taken);
            peer->at += taken;
        } else if (!wait_for_peer(peer, 0)) {
            return 0;
        } else if (size < sizeof peer->buffer) {
            fill_buffer(peer);
        } else {
            ssize_t got = read(peer->out, at, size); /* large data goes directly to its place */
            if (got == 0 || (got < 0 && errno != EINTR))
                return lose_closed(peer, "ASSAY_BRIDGE_OUT");
            taken = got > 0 ? (size_t)got : 0;
        }
        at += taken;
        size -= taken;
    }
    return !*peer->problem;
}

int peer_is_quiet(struct peer *peer)
{
    struct pollfd fd = {.fd = peer->out, .events = POLLIN};
    if (peer->at < peer->used)
        return lose_unasked(peer);
    if (*peer->problem || poll(&fd, 1, 0) <= 0)
        return !*peer->problem;
    return fill_buffer(peer) && lose_unasked(peer);
}

/* ---- messages */

/* Writes a number as little-endian bytes. */
static void put_little_endian(unsigned char *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_little_endian(const unsigned char *from, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

int peer_send(struct peer *peer, const char *json, size_t json_size, const struct peer_bytes *parts, size_t count)
{
    unsigned char header[PEER_HEADER];
    struct peer_bytes front[2] = {{header, sizeof header}, {json, json_size}};
    uint64_t data_size = 0;
    trim_log(peer);
    if (!peer_is_quiet(peer))
        return 0;
    for (size_t i = 0; i < count; i++)
        data_size += parts[i].size;
    memcpy(header, magic, sizeof magic);
    put_little_endian(header + 4, json_size, 4);
    put_little_endian(header + 8, data_size, 8);
    return send_all(peer, front, 2) && send_all(peer, parts, count);
}

char *peer_receive(struct peer *peer, size_t *json_size, uint64_t *data_size)
{
    unsigned char header[PEER_HEADER];
    char text[20];
    for (size_t i = 0; i < sizeof header; i++) {
        if (!peer_take(peer, header + i, 1))
            return NULL;
        if (i < sizeof magic && header[i] != (unsigned char)magic[i]) { /* at once: 16 bytes may never come */
            peer->at -= i < peer->at ? i + 1 : peer->at;
            if (i == VERSION_AT && isdigit(header[i]))
                peer_lose(peer, "the peer speaks version %c of the protocol, the bridge version %c", header[i],
                          magic[VERSION_AT]);
            else
                peer_lose(peer, "the peer does not speak the protocol: an answer begins with \"%s\", not \"%.4s\"",
                          show(peer, text), magic);
            return NULL;
        }
    }
    *json_size = (size_t)get_little_endian(header + 4, 4);
    *data_size = get_little_endian(header + 8, 8);
    if (*json_size > PEER_JSON_MAX) {
        peer_lose(peer, "the peer announces %zu bytes of JSON; the limit is %d", *json_size, PEER_JSON_MAX);
        return NULL;
    }
    char *json = malloc(*json_size + 1);
    if (!json)
        peer_lose(peer, "no memory for %zu bytes of an answer", *json_size);
    else if (!peer_take(peer, json, *json_size))
        free(json), json = NULL;
    else
        json[*json_size] = 0;
    return json;
}
