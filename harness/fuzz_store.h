/* fuzz_store.h: searches in a results database (reports/fuzz_schema.sql). */
#ifndef FUZZ_STORE_H
#define FUZZ_STORE_H

#include "harness/fuzz_hunt.h"

/* What earlier searches left. */
struct fuzz_past {
    struct fuzz_seed *seeds; /* smallest and original descriptions of all findings, each once, in order */
    size_t seed_count;
    uint64_t next; /* chunk to go on with, of this device, seed and shard; 0: there was none */
};

/* Makes the database if there is none. What does not fit the specs any more is left out. */
int fuzz_store_load(const char *path, const struct fuzz_hunt_config *config, struct fuzz_past *past,
                    struct error *error);
void fuzz_store_free(struct fuzz_past *past);

/* Adds a search that is over, in one piece. */
int fuzz_store_save(const char *path, const struct fuzz_hunt *hunt, struct error *error);

/* The smallest description of a finding, its rule and kind as numbers. EXIT_NO_MATCH: there is none of that id. */
int fuzz_store_find(const char *path, const struct spec_set *specs, int64_t id, struct fuzz_finding *out,
                    struct error *error);

#endif
