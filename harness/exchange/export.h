/* export.h: exports a case with all of its data: as a file of cases, one C file, or a folder with a model for
 * DxDispatch. */
#ifndef EXCHANGE_EXPORT_H
#define EXCHANGE_EXPORT_H

#include "harness/base/error.h"
#include "harness/load/load.h"
#include "harness/case/testcase.h"

/* The kinds of exports, the values of --export, ended by null. */
extern const char *const export_names[];

struct export
{
    struct testcase c; /* if results are expected, its literals give every element */
    struct literal literals[OPDESC_MAX_TENSORS];
    const char *item, *desc; /* the start of names in C, of data and of descriptions; null: nothing */
    bool half;               /* the model for DxDispatch allows FLOAT32 to be computed in FLOAT16: set by the caller */
    uint8_t *tensors[OPDESC_MAX_TENSORS]; /* by field, in the tensor's layout: inputs filled, outputs as expected */
};

/* Makes an export of a case: fills the inputs from `seed`, the seed of the case, and computes with the reference device
 * the outputs that the case does not give. Free with export_free(), also after an error. EXIT_USAGE: the tensors are
 * too large; EXIT_HARNESS: the reference device does not run the case, or out of memory. */
int export_make(struct export *e, const struct testcase *c, uint64_t seed, struct error *error);
void export_free(struct export *e);

/* Each export returns EXIT_HARNESS if it cannot write. `path` null: standard output. */

/* Writes the case as a file of cases (casefile.h). */
int export_json(const struct export *e, const struct spec_set *specs, const char *path, struct error *error);

/* Writes one C file. The program runs the case on the device library that its command line names, and exits with 0 if
 * the device does as expected, with 1 if not. If formulas judge an output, the file has the right values of each
 * element (export_compare.h). EXIT_USAGE: the outputs are open, and no formula says which values are right. */
int export_c(const struct export *e, const char *path, struct error *error);

/* Writes one C file that makes the calls of a sequence (sequence/lifecycle.h), with the data of all items, and
 * judges the results of the calls and each item. It leaves out descriptions that a device does not support, or does
 * wrong alone, as the judge does. `seed`: that of the case. EXIT_USAGE: the sequence tests the resources that a
 * process uses; or as for export_make(). */
int export_sequence_c(const struct testcase *c, const struct spec_set *specs, uint64_t seed, const char *path,
                      struct error *error);

/* Makes a folder with model.json and the .npy files that it reads, the expected outputs, and case.json, by which `assay
 * verify` judges the outputs that DxDispatch wrote. EXIT_USAGE: a model cannot express the case, or the folder is not
 * empty. */
int export_dxdispatch(const struct export *e, const struct spec_set *specs, const char *folder, struct error *error);

/* Returns the bytes of a buffer for the tensor: whole elements, and a multiple of 4 as in DxDispatch. */
uint64_t export_buffer_bytes(const struct opdesc_tensor *t);

/* The files in such a folder. A tensor has TENSOR.npy for inputs and for outputs that DxDispatch wrote,
 * TENSOR.before.npy and TENSOR.expected.npy for outputs: `what` is "", ".before" or ".expected". */
#define EXPORT_CASE "case.json"
#define EXPORT_LOG "dxdispatch.txt" /* the output of DxDispatch */
#define EXPORT_ACCEPTED "accepted"  /* resource that the model prints once the operator has been accepted */
void export_tensor_file(char *path, size_t size, const char *folder, const char *tensor, const char *what);

#endif
