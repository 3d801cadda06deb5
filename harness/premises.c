#include "harness/premises.h"

#include "harness/strays.h"

#include <stdio.h>
#include <sys/stat.h>

static const char *const descriptors[PREMISES_DESCRIPTORS] = {"standard input", "standard output", "standard error",
                                                              "the harness's socket"};

void premises_note(struct premises *premises)
{
    for (int i = 0; i < PREMISES_DESCRIPTORS; i++) {
        struct stat status = {0};
        fstat(i, &status);
        premises->files[i].device = status.st_dev;
        premises->files[i].inode = status.st_ino;
    }
    premises->helper_count = strays_find(NULL, 0, premises->helpers, PREMISES_HELPERS);
}

bool premises_harmed(const struct premises *premises, char *text, size_t size)
{
    pid_t stray;
    for (int i = 0; i < PREMISES_DESCRIPTORS; i++) {
        struct stat status;
        bool open = fstat(i, &status) == 0;
        if (!open || status.st_dev != premises->files[i].device || status.st_ino != premises->files[i].inode) {
            snprintf(text, size, "the device %s descriptor %d, %s", open ? "replaced" : "closed", i, descriptors[i]);
            return true;
        }
    }
    if (strays_find(premises->helpers, premises->helper_count, &stray, 1) == 0)
        return false;
    snprintf(text, size, "the device started a process and left it behind");
    return true;
}
