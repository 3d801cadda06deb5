/* premises.h: what of a worker's process a device must leave as it is: its descriptors, and that it has no children.
 * A worker where that has changed is not to be trusted with another case. */
#ifndef PREMISES_H
#define PREMISES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PREMISES_DESCRIPTORS = 4, PREMISES_HELPERS = 8 };

struct premises {
    struct {
        dev_t device;
        ino_t inode;
    } files[PREMISES_DESCRIPTORS]; /* descriptors 0 to 3: input, output, errors, the socket */
    pid_t helpers[PREMISES_HELPERS];
    int helper_count; /* processes that the device started when it was opened, and keeps */
};

/* How it is now, with the device open. */
void premises_note(struct premises *premises);

/* Whether that has changed; what happened goes to `text`: "the device closed descriptor 1". */
bool premises_harmed(const struct premises *premises, char *text, size_t size);

#endif
