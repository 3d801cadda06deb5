/* export.h: a case with all of its contents, as something that runs elsewhere: a file of cases, one file of C, a folder
 * with a model for DxDispatch. */
#ifndef EXCHANGE_EXPORT_H
#define EXCHANGE_EXPORT_H

#include "harness/base/error.h"
#include "harness/spec/load.h"
#include "harness/case/testcase.h"

struct export
{
    struct testcase c; /* where results are expected, its literals give every element */
    struct literal literals[OPDESC_MAX_FIELDS];
    uint8_t *tensors[OPDESC_MAX_FIELDS]; /* by field, as they lie in memory: inputs filled, outputs as expected */
};

/* Fills inputs from the seed of the case, and asks the reference device for the outputs where the case does not give them.
 * EXIT_USAGE: its tensors are too large to be written out. Free in any case. */
int export_make(struct export *e, const struct testcase *c, uint64_t seed, struct error *error);
void export_free(struct export *e);

/* The case as a file of cases (casefile.h), at `path`, or on standard output if that is null. */
int export_json(const struct export *e, const struct spec_set *specs, const char *path, struct error *error);

/* One file of C that runs the case on a device library named on its command line, and exits with 0 if it does as
 * expected, with 1 if not. EXIT_USAGE where that cannot be told without this program. */
int export_c(const struct export *e, const char *path, struct error *error);

/* A new folder: model.json with the .npy files that it reads, what is expected, and case.json, from which `assay verify`
 * judges what was brought back. EXIT_USAGE: DxDispatch cannot say it, or the folder is not empty. */
int export_dxdispatch(const struct export *e, const struct spec_set *specs, const char *folder, struct error *error);

/* Bytes of a buffer that holds the tensor: DxDispatch has multiples of 4, and whole elements. */
uint64_t export_buffer_bytes(const struct opdesc_tensor *t);

/* Names of files in such a folder: of a tensor, with what stands before the ending ("", ".before", ".expected"). */
#define EXPORT_CASE "case.json"
#define EXPORT_LOG "dxdispatch.txt" /* what DxDispatch printed */
#define EXPORT_ACCEPTED "accepted"  /* a resource that is printed once the operator was accepted */
void export_tensor_file(char *path, size_t size, const char *folder, const char *tensor, const char *what);

#endif
