/* faults_reach.c: what reaches out of the process: files, sockets, memory. A device like this does not care what came of it.
 * MUTANT_FILE and MUTANT_PORT in the environment say where to. */
#include "device/mutants/faults.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* A file in the home folder if nothing is said. */
static const char *target(void)
{
    static char path[4096];
    const char *given = getenv("MUTANT_FILE"), *home = getenv("HOME");
    snprintf(path, sizeof path, "%s", given ? given : "");
    if (!given)
        snprintf(path, sizeof path, "%s/assay-mutant-was-here", home ? home : "");
    return path;
}

static struct sockaddr_in address(void)
{
    const char *port = getenv("MUTANT_PORT");
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)(port ? atoi(port) : 9))};
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return at;
}

static void write_file(void)
{
    int file = open(target(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0)
        return;
    if (write(file, "here\n", 5) == 5)
        close(file);
}

static HRESULT write_file_late(const struct strike *s)
{
    (void)s;
    write_file();
    return S_OK;
}

/* As write_file(), by a program that is started for it. */
static HRESULT write_file_by_child(const struct strike *s)
{
    static int done;
    char command[4200];
    (void)s;
    if (done++)
        return S_OK;
    snprintf(command, sizeof command, "echo here >'%s'", target());
    return system(command) == 0 ? S_OK : S_OK;
}

static HRESULT cut_file(const struct strike *s)
{
    (void)s;
    return truncate(target(), 0) == 0 ? S_OK : S_OK;
}

static HRESULT remove_file(const struct strike *s)
{
    (void)s;
    return unlink(target()) == 0 ? S_OK : S_OK;
}

static HRESULT rename_file(const struct strike *s)
{
    char away[4200];
    (void)s;
    snprintf(away, sizeof away, "%s-away", target());
    return rename(target(), away) == 0 ? S_OK : S_OK;
}

static HRESULT change_mode(const struct strike *s)
{
    (void)s;
    return chmod(target(), 0777) == 0 ? S_OK : S_OK;
}

static HRESULT make_folder(const struct strike *s)
{
    (void)s;
    return mkdir(target(), 0777) == 0 ? S_OK : S_OK;
}

static HRESULT connect_tcp(const struct strike *s)
{
    struct sockaddr_in to = address();
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    (void)s;
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
        write(fd, "here\n", 5) == 5 ? shutdown(fd, SHUT_RDWR) : 0;
    if (fd >= 0)
        close(fd);
    return S_OK;
}

static HRESULT send_udp(const struct strike *s)
{
    struct sockaddr_in to = address();
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    (void)s;
    if (fd >= 0)
        sendto(fd, "here\n", 5, 0, (struct sockaddr *)&to, sizeof to);
    if (fd >= 0)
        close(fd);
    return S_OK;
}

/* To a server of this machine, at a path. */
static HRESULT connect_unix(const struct strike *s)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)s;
    snprintf(to.sun_path, sizeof to.sun_path, "%.100s", target());
    if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
        write(fd, "here\n", 5) == 5 ? shutdown(fd, SHUT_RDWR) : 0;
    if (fd >= 0)
        close(fd);
    return S_OK;
}

/* Until there is no more. Of each piece a page is touched: a limit that did not hold would not be felt. */
static HRESULT exhaust_memory(const struct strike *s)
{
    enum { PIECE = 16 << 20, MOST = 1 << 20 };
    (void)s;
    for (int i = 0; i < MOST; i++) {
        volatile char *piece = malloc(PIECE);
        if (!piece)
            abort();
        *piece = 1;
    }
    return E_OUTOFMEMORY;
}

/* What is its own it may write. */
static HRESULT use_scratch(const struct strike *s)
{
    char path[4200], folder[4096];
    const char *scratch = getenv("TMPDIR");
    static int done;
    (void)s;
    if (done++)
        return S_OK;
    snprintf(folder, sizeof folder, "%s/folder", scratch ? scratch : "");
    snprintf(path, sizeof path, "%s/file", folder);
    mkdir(folder, 0777);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int good = file >= 0 && write(file, "here\n", 5) == 5 && close(file) == 0;
    return good ? S_OK : E_FAIL;
}

const struct fault reach_faults[] = {
    {.name = "write-file", .what = "dispatch writes a file in the home folder", .before = write_file_late},
    {.name = "write-file-open",
     .what = "opening writes a file in the home folder",
     .kind = BUG_OPEN,
     .on_open = write_file},
    {.name = "write-file-child",
     .what = "a program started by the first dispatch writes it",
     .kind = BUG_OPEN,
     .before = write_file_by_child},
    {.name = "cut-file", .what = "dispatch cuts it to nothing", .before = cut_file},
    {.name = "remove-file", .what = "dispatch removes it", .before = remove_file},
    {.name = "rename-file", .what = "dispatch renames it", .before = rename_file},
    {.name = "change-mode", .what = "dispatch lets everybody write it", .before = change_mode},
    {.name = "make-folder", .what = "dispatch makes a folder in the home folder", .before = make_folder},
    {.name = "connect", .what = "dispatch connects to a port (TCP)", .before = connect_tcp},
    {.name = "send", .what = "dispatch sends to a port (UDP)", .before = send_udp},
    {.name = "connect-unix", .what = "dispatch connects to a server of this machine", .before = connect_unix},
    {.name = "exhaust-memory", .what = "dispatch takes all memory there is", .before = exhaust_memory},
    {.name = "use-scratch",
     .what = "the first dispatch writes into the scratch folder",
     .kind = BUG_OPEN,
     .before = use_scratch},
};

const unsigned reach_fault_count = sizeof reach_faults / sizeof *reach_faults;
