/* fuzz_store.h: searches in a results database (reports/fuzz_schema.sql). */
#ifndef RESULTS_FUZZ_STORE_H
#define RESULTS_FUZZ_STORE_H

#include "harness/fuzz/search.h"

/* What earlier searches left. */
struct fuzz_past {
    struct fuzz_seed *seeds; /* smallest and original descriptions of all findings, then what was kept for what it
                              * reached; each once, in order */
    size_t seed_count;
    uint64_t next; /* chunk to go on with, of this device, seed and shard; 0: there was none */
};

/* Makes the database if there is none. What does not fit the specs any more is left out. */
int fuzz_store_load(const char *path, const struct fuzz_search_config *config, struct fuzz_past *past,
                    struct error *error);
void fuzz_store_free(struct fuzz_past *past);

/* Adds a search, in one piece, or puts what there is now in the place of what was saved of it: `id` is 0 at first. */
enum fuzz_store_state { FUZZ_STORE_RUNNING, FUZZ_STORE_DONE, FUZZ_STORE_INTERRUPTED };
int fuzz_store_save(const char *path, const struct fuzz_search *search, enum fuzz_store_state state, int64_t *id,
                    struct error *error);

/* The smallest description of a finding, its rule and kind as numbers. EXIT_NO_MATCH: there is none of that id. */
int fuzz_store_find(const char *path, const struct spec_set *specs, int64_t id, struct fuzz_finding *out,
                    struct error *error);

#endif
