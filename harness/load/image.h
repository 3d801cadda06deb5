/* image.h: compiled specs in a file that this program wrote when it was built. Reading it maps the file, so that a
 * command pays for the operators that it uses: what it does not look at stays on the disk. The Lua functions of the
 * specs are not in it. */
#ifndef LOAD_IMAGE_H
#define LOAD_IMAGE_H

#include "harness/load/load.h"

/* Writes a set that spec_set_load_apart() loaded. The file is valid for this build of the program and these contents of
 * the set's folder. EXIT_HARNESS: it cannot be written. */
int spec_image_write(const struct spec_set *set, const char *path, struct error *error);

/* Reads the specs of `folder` from the file at `path`, which stays open: set->kept. False: there is none, it is not
 * valid for this program and these specs, or it is damaged; then `set` is empty. */
bool spec_image_read(struct spec_set *set, const char *folder, const char *path);

/* Takes the specs from the open file that another process of this program has read, and so checked: that takes longer
 * than everything else that a worker does until it is ready. False: there is no room for it; then `set` is empty. */
bool spec_image_take(struct spec_set *set, const char *folder, int file);

/* Reads the specs of `folder` from the file that was made when the program was built; loads them if it is not valid.
 * Does what spec_set_load() does otherwise, but the set may have no script. */
int spec_set_open(struct spec_set *set, const char *folder, struct error *error);

/* The same, but what must be loaded is loaded as spec_set_load_apart() does. */
int spec_set_open_apart(struct spec_set *set, const char *folder, struct error *error);

#endif
