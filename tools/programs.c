/* programs.c: many small programs in one executable, which is linked once. A link with the name of a program starts
 * that program. The macro PROGRAMS lists them as PROGRAM(NAME), each with NAME_main(). */
#include <stdio.h>
#include <string.h>

#define PROGRAM(name) int name##_main(int argc, char **argv);
PROGRAMS
#undef PROGRAM

static const struct {
    const char *name;
    int (*main)(int argc, char **argv);
} programs[] = {
#define PROGRAM(name) {#name, name##_main},
    PROGRAMS /* clang-format off */
};
/* clang-format on */

int main(int argc, char **argv)
{
    const char *path = argc ? argv[0] : "", *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (!strcmp(programs[i].name, name))
            return programs[i].main(argc, argv);
    }
    fprintf(stderr, "programs: no program is called '%s'; start it through a link with the name of one\n", name);
    return 2;
}
