/* Programs for ARM that run in an emulator load this file first: it starts further programs in the emulator, too. So
 * the kernel needs to know no emulator (binfmt_misc), which containers cannot set. */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int execve(const char *path, char *const arguments[], char *const variables[])
{
    enum { WORDS = 64, PATH = 3 };
    char program[4096], *words[WORDS] = {"qemu", "-0", arguments[0], (char *)path};
    if (strcmp(path, "/proc/self/exe") == 0) {
        ssize_t length = readlink(path, program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
        words[PATH] = program;
    }
    for (int i = 1; arguments[i] && i + PATH + 1 < WORDS; i++)
        words[PATH + i] = arguments[i];
    return (int)syscall(SYS_execve, EMULATOR, words, variables);
}
