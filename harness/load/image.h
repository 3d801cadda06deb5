/* image.h: compiled specs in a file that this program wrote when it was built. Reading maps the file, so that a command
 * pays only for the operators that it uses: the others stay on the disk. The file does not have the Lua functions of
 * the specs. */
#ifndef LOAD_IMAGE_H
#define LOAD_IMAGE_H

#include "harness/load/load.h"

/* Writes a set that spec_set_load_apart() loaded. The file is valid for this build of the program and these contents of
 * the set's folder. Returns 0, or EXIT_HARNESS if it cannot be written. */
int spec_image_write(const struct spec_set *set, const char *path, struct error *error);

/* Reads the specs of `folder` from the file at `path`, which stays open: set->kept. Returns false, with `set` empty, if
 * there is no such file, it is not valid for this program and these specs, or it is damaged. */
bool spec_image_read(struct spec_set *set, const char *folder, const char *path);

/* Takes the specs from the open file that another process of this program has read and checked: a check takes longer
 * than the rest of a worker's start. Returns false, with `set` empty, if there is no room for it. */
bool spec_image_take(struct spec_set *set, const char *folder, int file);

/* Reads the specs of `folder` from the file of the build; loads them if that is not valid. Otherwise as
 * spec_set_load(), but the set may have no script. */
int spec_set_open(struct spec_set *set, const char *folder, struct error *error);

/* Does the same, but loads specs as spec_set_load_apart() does. */
int spec_set_open_apart(struct spec_set *set, const char *folder, struct error *error);

#endif
