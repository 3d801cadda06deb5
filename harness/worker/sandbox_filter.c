/* sandbox_filter.c: the system calls that the filter refuses, and the calls that it asks about; system_calls.txt says
 * why each other call is harmless. Landlock decides which
 * files a device may write, whatever calls it tries. The filter covers sockets and file attributes, which Landlock does
 * not restrict, and makes denials visible. */
#include "harness/worker/sandbox_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(name) .number = SCMP_SYS(name)
#define NO2 .folder2 = -1, .path2 = -1, .flags = -1
#define AT(folder_, path_) .folder = folder_, .path = path_
#define AND(folder_, path_) .folder2 = folder_, .path2 = path_, .flags = -1
#define OPENS(folder_, path_, flags_) AT(folder_, path_), .folder2 = -1, .path2 = -1, .flags = flags_

enum { IOPRIO_PROCESS = 1 }; /* no header of the C library has it */

static const struct sandbox_call calls[] = {
    {CALL(open), CALL_WRITE, OPENS(-1, 0, 1), .what = "write"},
    {CALL(openat), CALL_WRITE, OPENS(0, 1, 2), .what = "write"},
    {CALL(creat), CALL_WRITE, AT(-1, 0), NO2, .what = "write"},
    {CALL(truncate), CALL_WRITE, AT(-1, 0), NO2, .what = "write"},
    {CALL(mkdir), CALL_WRITE, AT(-1, 0), NO2, .what = "make"},
    {CALL(mkdirat), CALL_WRITE, AT(0, 1), NO2, .what = "make"},
    {CALL(mknod), CALL_WRITE, AT(-1, 0), NO2, .what = "make"},
    {CALL(mknodat), CALL_WRITE, AT(0, 1), NO2, .what = "make"},
    {CALL(symlink), CALL_WRITE, AT(-1, 1), NO2, .what = "make"},
    {CALL(symlinkat), CALL_WRITE, AT(1, 2), NO2, .what = "make"},
    {CALL(link), CALL_WRITE, AT(-1, 1), NO2, .what = "make"},
    {CALL(linkat), CALL_WRITE, AT(2, 3), NO2, .what = "make"},
    {CALL(unlink), CALL_WRITE, AT(-1, 0), NO2, .what = "remove"},
    {CALL(unlinkat), CALL_WRITE, AT(0, 1), NO2, .what = "remove"},
    {CALL(rmdir), CALL_WRITE, AT(-1, 0), NO2, .what = "remove"},
    {CALL(rename), CALL_WRITE, AT(-1, 0), AND(-1, 1), .what = "rename"},
    {CALL(renameat), CALL_WRITE, AT(0, 1), AND(2, 3), .what = "rename"},
    {CALL(renameat2), CALL_WRITE, AT(0, 1), AND(2, 3), .what = "rename"},
    /* Landlock does not check these: they are refused wherever the file is. */
    {CALL(chmod), CALL_CHANGE, AT(-1, 0), NO2, .what = "change the mode of"},
    {CALL(fchmod), CALL_CHANGE, AT(0, -1), NO2, .what = "change the mode of"},
    {CALL(fchmodat), CALL_CHANGE, AT(0, 1), NO2, .what = "change the mode of"},
    {CALL(chown), CALL_CHANGE, AT(-1, 0), NO2, .what = "change the owner of"},
    {CALL(lchown), CALL_CHANGE, AT(-1, 0), NO2, .what = "change the owner of"},
    {CALL(fchown), CALL_CHANGE, AT(0, -1), NO2, .what = "change the owner of"},
    {CALL(fchownat), CALL_CHANGE, AT(0, 1), NO2, .what = "change the owner of"},
    {CALL(utime), CALL_CHANGE, AT(-1, 0), NO2, .what = "change the times of"},
    {CALL(utimes), CALL_CHANGE, AT(-1, 0), NO2, .what = "change the times of"},
    {CALL(futimesat), CALL_CHANGE, AT(0, 1), NO2, .what = "change the times of"},
    {CALL(utimensat), CALL_CHANGE, AT(0, 1), NO2, .what = "change the times of"},
    {CALL(setxattr), CALL_CHANGE, AT(-1, 0), NO2, .what = "change attributes of"},
    {CALL(lsetxattr), CALL_CHANGE, AT(-1, 0), NO2, .what = "change attributes of"},
    {CALL(fsetxattr), CALL_CHANGE, AT(0, -1), NO2, .what = "change attributes of"},
    {CALL(removexattr), CALL_CHANGE, AT(-1, 0), NO2, .what = "change attributes of"},
    {CALL(lremovexattr), CALL_CHANGE, AT(-1, 0), NO2, .what = "change attributes of"},
    {CALL(fremovexattr), CALL_CHANGE, AT(0, -1), NO2, .what = "change attributes of"},
    /* The kernel allows these for any process of the user, such as harness and judge. */
    {CALL(sched_setaffinity), CALL_PROCESS, NO2, .process = 0, .who = -1, .what = "move"},
    {CALL(sched_setscheduler), CALL_PROCESS, NO2, .process = 0, .who = -1, .what = "schedule"},
    {CALL(sched_setparam), CALL_PROCESS, NO2, .process = 0, .who = -1, .what = "schedule"},
    {CALL(sched_setattr), CALL_PROCESS, NO2, .process = 0, .who = -1, .what = "schedule"},
    {CALL(setpriority), CALL_PROCESS, NO2, .process = 1, .who = PRIO_PROCESS, .what = "change the priority of"},
    {CALL(ioprio_set), CALL_PROCESS, NO2, .process = 1, .who = IOPRIO_PROCESS, .what = "change the priority of"},
    {CALL(socket), CALL_SOCKET, AT(-1, -1), NO2},
    {CALL(socketpair), CALL_SOCKET, AT(-1, -1), NO2},
    {CALL(connect), CALL_CONNECT, AT(-1, -1), NO2},
};

enum { CALLS = sizeof calls / sizeof *calls };

/* The filter refuses these calls silently: less common calls for the same purposes, for which programs have a fallback,
 * and calls that make objects which outlive their process. Literal numbers are for calls that the library may be too
 * old to know; the numbers are the same on every architecture. */
static const struct {
    int number, error;
} refused[] = {
    {SCMP_SYS(openat2), ENOSYS},
    {SCMP_SYS(io_uring_setup), ENOSYS},
    {452 /* fchmodat2 */, ENOSYS},
    {463 /* setxattrat */, ENOSYS},
    {466 /* removexattrat */, ENOSYS},
    {SCMP_SYS(open_by_handle_at), EPERM},
    {469 /* file_setattr */, ENOSYS},
    /* Shared memory, semaphores and queues, which outlive their process: those of others have ids and names, too. */
    {SCMP_SYS(shmget), ENOSYS},
    {SCMP_SYS(shmat), ENOSYS},
    {SCMP_SYS(shmctl), ENOSYS},
    {SCMP_SYS(msgget), ENOSYS},
    {SCMP_SYS(msgsnd), ENOSYS},
    {SCMP_SYS(msgrcv), ENOSYS},
    {SCMP_SYS(msgctl), ENOSYS},
    {SCMP_SYS(semget), ENOSYS},
    {SCMP_SYS(semop), ENOSYS},
    {SCMP_SYS(semtimedop), ENOSYS},
    {SCMP_SYS(semctl), ENOSYS},
    {SCMP_SYS(mq_open), ENOSYS},
    {SCMP_SYS(mq_unlink), ENOSYS},
    {SCMP_SYS(add_key), ENOSYS},
    {SCMP_SYS(request_key), ENOSYS},
    {SCMP_SYS(keyctl), ENOSYS},
    /* These calls reach other processes, above all the judge; Landlock denies them, too, and ptrace(). */
    {SCMP_SYS(process_vm_readv), EPERM},
    {SCMP_SYS(process_vm_writev), EPERM},
    {438 /* pidfd_getfd */, EPERM},
    {440 /* process_madvise */, EPERM},
    {448 /* process_mrelease */, EPERM},
    {SCMP_SYS(migrate_pages), EPERM},
    {SCMP_SYS(kcmp), EPERM},
    {SCMP_SYS(perf_event_open), EPERM},
    {SCMP_SYS(bpf), EPERM},
    {SCMP_SYS(setns), EPERM},
    /* These calls change the machine, above all its clocks; root in a container may be allowed to make them. */
    {SCMP_SYS(settimeofday), EPERM},
    {SCMP_SYS(clock_settime), EPERM},
    {SCMP_SYS(clock_adjtime), EPERM},
    {SCMP_SYS(adjtimex), EPERM},
    {SCMP_SYS(sethostname), EPERM},
    {SCMP_SYS(setdomainname), EPERM},
    {SCMP_SYS(reboot), EPERM},
    {SCMP_SYS(kexec_load), EPERM},
    {SCMP_SYS(kexec_file_load), EPERM},
    {SCMP_SYS(init_module), EPERM},
    {SCMP_SYS(finit_module), EPERM},
    {SCMP_SYS(delete_module), EPERM},
    {SCMP_SYS(swapon), EPERM},
    {SCMP_SYS(swapoff), EPERM},
    {SCMP_SYS(acct), EPERM},
    {SCMP_SYS(quotactl), EPERM},
    {443 /* quotactl_fd */, EPERM},
    {SCMP_SYS(iopl), EPERM},
    {SCMP_SYS(ioperm), EPERM},
    {SCMP_SYS(vhangup), EPERM},
    /* Landlock denies these calls, too: they change which files a path names. */
    {SCMP_SYS(mount), EPERM},
    {SCMP_SYS(umount2), EPERM},
    {SCMP_SYS(pivot_root), EPERM},
    {SCMP_SYS(chroot), EPERM},
    {428 /* open_tree */, EPERM},
    {429 /* move_mount */, EPERM},
    {430 /* fsopen */, EPERM},
    {431 /* fsconfig */, EPERM},
    {432 /* fsmount */, EPERM},
    {433 /* fspick */, EPERM},
    {442 /* mount_setattr */, EPERM},
    {467 /* open_tree_attr */, EPERM},
};

/* Requests of ioctl() that change a file which is open for reading only, or type into a terminal. */
static const unsigned long refused_requests[] = {FS_IOC_SETFLAGS,
                                                 FS_IOC32_SETFLAGS,
                                                 FS_IOC_FSSETXATTR,
                                                 FS_IOC_SETVERSION,
                                                 FS_IOC32_SETVERSION,
                                                 FS_IOC_ENABLE_VERITY,
                                                 FS_IOC_SET_ENCRYPTION_POLICY,
                                                 TIOCSTI};

const struct sandbox_call *sandbox_call_of(int number)
{
    for (int i = 0; i < CALLS; i++)
        if (calls[i].number == number)
            return &calls[i];
    return NULL;
}

/* Opening a file to write: any of the flags that imply it. */
static bool add_opening(scmp_filter_ctx filter, uint32_t action, const struct sandbox_call *call)
{
    const struct scmp_arg_cmp when[] = {
        SCMP_CMP(0, SCMP_CMP_MASKED_EQ, O_ACCMODE, O_WRONLY), SCMP_CMP(0, SCMP_CMP_MASKED_EQ, O_ACCMODE, O_RDWR),
        SCMP_CMP(0, SCMP_CMP_MASKED_EQ, O_ACCMODE, O_ACCMODE), SCMP_CMP(0, SCMP_CMP_MASKED_EQ, O_CREAT, O_CREAT),
        SCMP_CMP(0, SCMP_CMP_MASKED_EQ, O_TRUNC, O_TRUNC)};
    bool good = true;
    for (size_t i = 0; i < sizeof when / sizeof *when; i++) {
        struct scmp_arg_cmp flags = when[i];
        flags.arg = (unsigned)call->flags;
        good &= seccomp_rule_add_array(filter, action, call->number, 1, &flags) == 0;
    }
    return good;
}

/* All sockets but Unix streams, which reach nobody before they are connected. */
static bool add_socket(scmp_filter_ctx filter, uint32_t action, const struct sandbox_call *call)
{
    enum { TYPE = 0xf };
    bool good = seccomp_rule_add(filter, action, call->number, 1, SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0)) == 0;
    for (int type = 0; type <= TYPE; type++)
        if (type != SOCK_STREAM)
            good &= seccomp_rule_add(filter, action, call->number, 2, SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0),
                                     SCMP_A1(SCMP_CMP_MASKED_EQ, TYPE, (unsigned)type)) == 0;
    return good;
}

/* A thread may change itself: process 0. */
static bool add_process(scmp_filter_ctx filter, uint32_t action, const struct sandbox_call *call)
{
    struct scmp_arg_cmp process = SCMP_CMP(0, SCMP_CMP_NE, 0, 0);
    process.arg = (unsigned)call->process;
    return seccomp_rule_add_array(filter, action, call->number, 1, &process) == 0 &&
           (call->who < 0 ||
            seccomp_rule_add(filter, action, call->number, 1, SCMP_A0(SCMP_CMP_NE, (uint64_t)call->who, 0)) == 0);
}

/* Landlock before ABI 3 does not restrict truncating a file that is not opened to write. */
static bool add_truncation(scmp_filter_ctx filter)
{
    static const struct {
        int number;
        unsigned flags;
    } opening[] = {{SCMP_SYS(open), 1}, {SCMP_SYS(openat), 2}};
    bool good = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(truncate), 0) == 0;
    for (size_t i = 0; i < sizeof opening / sizeof *opening; i++) {
        const struct scmp_arg_cmp flags =
            SCMP_CMP(opening[i].flags, SCMP_CMP_MASKED_EQ, O_ACCMODE | O_TRUNC, O_RDONLY | O_TRUNC);
        good &= opening[i].number < 0 ||
                seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(EACCES), opening[i].number, 1, &flags) == 0;
    }
    return good;
}

/* The kernel ignores the upper half of the request. */
static bool add_requests(scmp_filter_ctx filter)
{
    bool good = true;
    for (size_t i = 0; i < sizeof refused_requests / sizeof *refused_requests; i++)
        good &= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ioctl), 1,
                                 SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, refused_requests[i])) == 0;
    return good;
}

/* Limits and memory of other processes, such as the harness and the judge. These calls take process 0 for the
 * caller. */
static bool add_other_processes(scmp_filter_ctx filter)
{
    return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 2, SCMP_A0(SCMP_CMP_NE, 0, 0),
                            SCMP_A2(SCMP_CMP_NE, 0, 0)) == 0 &&
           seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(move_pages), 1, SCMP_A0(SCMP_CMP_NE, 0, 0)) == 0;
}

static bool add_calls(scmp_filter_ctx filter, const struct sandbox *sandbox, bool asks)
{
    bool good = asks || sandbox->landlock >= LANDLOCK_TRUNCATES || add_truncation(filter);
    for (int i = 0; i < CALLS; i++) {
        const struct sandbox_call *call = &calls[i];
        bool network = call->kind == CALL_SOCKET || call->kind == CALL_CONNECT;
        uint32_t refusal = SCMP_ACT_ERRNO(network ? EACCES : EPERM), action = asks ? SCMP_ACT_NOTIFY : refusal;
        if (call->number < 0 || (network && sandbox->network) || (call->kind == CALL_WRITE && !asks))
            continue;
        if (call->flags >= 0)
            good &= add_opening(filter, action, call);
        else if (call->kind == CALL_SOCKET)
            good &= add_socket(filter, action, call);
        else if (call->kind == CALL_PROCESS)
            good &= add_process(filter, action, call);
        else
            good &= seccomp_rule_add(filter, action, call->number, 0) == 0;
    }
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        good &= refused[i].number < 0 ||
                seccomp_rule_add(filter, SCMP_ACT_ERRNO((unsigned)refused[i].error), refused[i].number, 0) == 0;
    good &= add_requests(filter) && add_other_processes(filter);
    if (!sandbox->landlock) /* Landlock lets a device trace its children, and sanitizers trace the process */
        good &= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(ptrace), 0) == 0;
    return good;
}

/* Gets the BPF program of a filter. The library only writes it to a file. */
static bool export_filter(scmp_filter_ctx filter, struct sock_fprog *out)
{
    struct stat status;
    int file = memfd_create("filter", MFD_CLOEXEC);
    bool good = file >= 0 && seccomp_export_bpf(filter, file) == 0 && fstat(file, &status) == 0;
    size_t size = good ? (size_t)status.st_size : 0;
    out->filter = size ? malloc(size) : NULL;
    good = out->filter && pread(file, out->filter, size, 0) == (ssize_t)size;
    out->len = good ? (unsigned short)(size / sizeof *out->filter) : 0;
    if (file >= 0)
        close(file);
    return good;
}

static bool kernel_has(uint32_t action)
{
    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static void sandbox_filter_make(const struct sandbox *sandbox, bool asks, struct sock_fprog *out)
{
    scmp_filter_ctx filter =
        kernel_has(asks ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ERRNO) ? seccomp_init(SCMP_ACT_ALLOW) : NULL;
    if (filter && (!add_calls(filter, sandbox, asks) || !export_filter(filter, out)))
        out->len = 0;
    if (filter)
        seccomp_release(filter);
}

void sandbox_filters_make(struct sandbox *sandbox)
{
    sandbox_filter_make(sandbox, false, &sandbox->refusing);
    sandbox_filter_make(sandbox, true, &sandbox->asking);
}

bool sandbox_filter_load(const struct sandbox *sandbox, int *listener)
{
    *listener = -1;
    if (sandbox->asking.len > 0) /* fails with EBUSY if a tool that watches this program has a listener */
        *listener =
            (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &sandbox->asking);
    return *listener >= 0 || sandbox->refusing.len == 0 ||
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &sandbox->refusing) == 0;
}
