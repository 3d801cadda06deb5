/* faults_reach.c: attempts to leave the sandbox: files, sockets, all memory. The attempts ignore whether they succeed.
 * The environment variables MUTANT_FILE and MUTANT_PORT name the targets. */
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

/* Returns MUTANT_FILE; by default, a file in the home folder. */
static const char *target(void)
{
    static char path[4096];
    const char *given = getenv("MUTANT_FILE"), *home = getenv("HOME");
    snprintf(path, sizeof path, "%s", given ? given : "");
    if (!given)
        snprintf(path, sizeof path, "%s/assay-mutant-was-here", home ? home : "");
    return path;
}

static struct sockaddr_in target_address(void)
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

/* Writes a file like write_file(), by a program. */
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
    char folder[4096]; /* a missing folder: mkdir() of an existing one fails outside the sandbox, too */
    (void)s;
    snprintf(folder, sizeof folder, "%s-folder", target());
    return mkdir(access(target(), F_OK) == 0 ? folder : target(), 0777) == 0 ? S_OK : S_OK;
}

static HRESULT connect_tcp(const struct strike *s)
{
    struct sockaddr_in to = target_address();
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
    struct sockaddr_in to = target_address();
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    (void)s;
    if (fd >= 0)
        sendto(fd, "here\n", 5, 0, (struct sockaddr *)&to, sizeof to);
    if (fd >= 0)
        close(fd);
    return S_OK;
}

/* Connects to a local server at a path. */
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

/* Allocates until allocation fails. It touches only one page of each piece, so the machine survives if no limit
 * holds. */
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

/* Writes to the folders in which a device may write. */
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
     .what = "a program started by the first dispatch writes a file in the home folder",
     .kind = BUG_OPEN,
     .before = write_file_by_child},
    {.name = "cut-file", .what = "dispatch truncates a file in the home folder", .before = cut_file},
    {.name = "remove-file", .what = "dispatch removes a file in the home folder", .before = remove_file},
    {.name = "rename-file", .what = "dispatch renames a file in the home folder", .before = rename_file},
    {.name = "change-mode", .what = "dispatch makes a file in the home folder writable for all", .before = change_mode},
    {.name = "make-folder", .what = "dispatch creates a folder in the home folder", .before = make_folder},
    {.name = "connect", .what = "dispatch connects to a port (TCP)", .before = connect_tcp},
    {.name = "send", .what = "dispatch sends to a port (UDP)", .before = send_udp},
    {.name = "connect-unix", .what = "dispatch connects to a local server (AF_UNIX)", .before = connect_unix},
    {.name = "exhaust-memory", .what = "dispatch allocates all memory", .before = exhaust_memory},
    {.name = "use-scratch",
     .what = "the first dispatch writes into its scratch folder",
     .kind = BUG_OPEN,
     .before = use_scratch},
};

const unsigned reach_fault_count = sizeof reach_faults / sizeof *reach_faults;
