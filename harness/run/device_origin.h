/* device_origin.h: finds the origin of a run: the device's file, its revision, and the machine. */
#ifndef RUN_DEVICE_ORIGIN_H
#define RUN_DEVICE_ORIGIN_H

enum { ORIGIN_HASH_SIZE = 17, ORIGIN_BUILD_SIZE = 65, ORIGIN_TEXT_SIZE = 256 };

/* The origin of a run. Every text may be "": not known. */
struct origin {
    char device_hash[ORIGIN_HASH_SIZE];   /* XXH3 of the device's file, 16 hex digits */
    char device_build[ORIGIN_BUILD_SIZE]; /* its ELF build id, hex digits */
    char machine[ORIGIN_TEXT_SIZE];       /* "Linux 6.1.0 x86_64" */
    char cpu[ORIGIN_TEXT_SIZE];           /* the processor's model */
    char label[ORIGIN_TEXT_SIZE], revision[ORIGIN_TEXT_SIZE], branch[ORIGIN_TEXT_SIZE];
};

/* The user's options on the device's build; null: not given. */
struct origin_given {
    const char *label, *revision, *branch;
};

/* Finds all members of the origin. `device` is as given with -d. The file is the device's library. For the device
 * `bridge` it is the program that its command names; for devices that are part of assay, assay itself. Revision and
 * branch that are not given come from the environment of the usual CI systems. Reads files but never runs or loads
 * them. */
void origin_find(struct origin *origin, const char *device, const struct origin_given *given);

#endif
