/* fuzz_store.h: stores fuzz searches in a results database (reports/fuzz_schema.sql). Each function opens and closes
 * the database. Errors are EXIT_HARNESS unless stated. */
#ifndef RESULTS_FUZZ_STORE_H
#define RESULTS_FUZZ_STORE_H

#include "harness/fuzz/search.h"

/* The data that earlier searches stored. */
struct fuzz_past {
    struct fuzz_seed *seeds; /* minimal descriptions of all findings, then the original ones, then the corpus;
                              * each description once */
    size_t seed_count;
    uint64_t next; /* first chunk not searched yet with this device, seed and shard; 0: none was searched */
};

/* Loads the data that earlier searches stored; creates the database if it does not exist. Descriptions that no longer
 * fit the specs are left out. Free with fuzz_store_free(), also after an error. */
int fuzz_store_load(const char *path, const struct fuzz_search_config *config, struct fuzz_past *past,
                    struct error *error);
void fuzz_store_free(struct fuzz_past *past);

enum fuzz_store_state { FUZZ_STORE_RUNNING, FUZZ_STORE_DONE, FUZZ_STORE_INTERRUPTED };

/* Saves a search in one transaction. If `*id` is 0, adds it and sets `*id`; else replaces the search that was saved
 * under that id. */
int fuzz_store_save(const char *path, const struct fuzz_search *search, enum fuzz_store_state state, int64_t *id,
                    struct error *error);

/* Reads a finding: its minimal description, kind and rule. EXIT_NO_MATCH: no finding has that id. */
int fuzz_store_find(const char *path, const struct spec_set *specs, int64_t id, struct fuzz_finding *out,
                    struct error *error);

#endif
