/* dxmodel.h: models of DxDispatch, for `assay dispatch`: buffers, DirectML operators, and commands that dispatch, print
 * and write files. Members of the JSON file mean what DxDispatch documents; comments and trailing commas are allowed.
 *
 * An input may be bound to the buffer and offset of an output if the operator supports that (testcase.h).
 *
 * Not supported, and refused with an error that names them: the dispatchables hlsl, onnx and dmlSerializedGraph,
 * images, deferred buffers, and bindings at initialisation. */
#ifndef EXCHANGE_DXMODEL_H
#define EXCHANGE_DXMODEL_H

#include "harness/trial/arena.h"
#include "harness/spec/opdesc.h"
#include "harness/trial/plugin.h"
#include "harness/load/load.h"

#include <stdio.h>

struct dxmodel_buffer {
    const char *name;
    const char *source; /* the file that the initial values come from; null: the model */
    unsigned type;      /* of the initial values; DML_TENSOR_DATA_TYPE_UNKNOWN: several types */
    uint8_t *initial;
    uint64_t initial_size, initial_offset, size; /* bytes */
    uint64_t initial_count;                      /* elements; of several types: 0 */
    struct block block;                          /* set by dxmodel_execute() */
};

struct dxmodel_dispatchable {
    const char *name;
    const struct spec *spec;
    struct opdesc desc;
    DML_EXECUTION_FLAGS flags;
    assay_operator *op; /* this and `compiled` are set by dxmodel_execute() */
    assay_compiled *compiled;
};

struct dxmodel_binding {
    int buffer;      /* index; -1: none, for an optional tensor */
    uint64_t offset; /* bytes */
};

struct dxmodel_command {
    enum { DXMODEL_DISPATCH, DXMODEL_PRINT, DXMODEL_WRITE } kind;
    int dispatchable;                                    /* DISPATCH: index */
    struct dxmodel_binding bindings[OPDESC_MAX_TENSORS]; /* DISPATCH: by tensor item */
    int buffer;                                          /* PRINT, WRITE: index */
    bool verbose;                                        /* PRINT: one element per line, with its bits */
    const char *path;                                    /* WRITE: below the folder of outputs */
    int spool;                                           /* WRITE: descriptor of a memory file with the contents */
    uint32_t dims, sizes[32];                            /* WRITE: shape of a .npy file; dims 0: one dimension */
};

struct dxmodel {
    const char *file;
    struct pool pool;
    struct dxmodel_buffer *buffers;
    struct dxmodel_dispatchable *dispatchables;
    struct dxmodel_command *commands;
    int buffer_count, dispatchable_count, command_count;
};

/* Reads a model. EXIT_HARNESS: something in it is wrong or not supported; the message says where. Free with
 * dxmodel_free(), also after an error. */
int dxmodel_load(struct dxmodel *model, const char *file, const struct spec_set *specs, struct error *error);
void dxmodel_free(struct dxmodel *model);

/* The settings of a run of a model. */
struct dxmodel_run {
    FILE *out; /* gets the printed text; not standard output, which the device may write to */
    struct plugin *device;
    struct arena *arena;
    const char *folder; /* folder of writeFile's paths, for messages */
    uint64_t iterations;
    char *where;       /* receives what is being done, for the parent process in case this one dies */
    size_t where_size; /* bytes */
};

/* Runs the commands and prints the same as DxDispatch. writeFile writes to the spools. EXIT_FAILURES: the device
 * refuses a call or does it wrong; EXIT_HARNESS: a result cannot be printed or written. Does not free all memory that
 * it allocates: the process is expected to end. */
int dxmodel_execute(struct dxmodel *model, const struct dxmodel_run *run, struct error *error);

/* Prints the elements of a buffer like DxDispatch. Returns false if the buffer has no single data type. */
bool dxmodel_print(FILE *out, const struct dxmodel_buffer *buffer, const uint8_t *data, bool verbose);

/* Opens a spool, a file in memory, for each writeFile. Call once, before the fork of the process that executes the
 * model. */
int dxmodel_open_spools(struct dxmodel *model, struct error *error);

/* Copies the spools to files below `folder` and closes them. Makes folders as needed, does not follow links, and writes
 * nothing outside `folder`. EXIT_HARNESS: a path is not allowed, or a file cannot be written. */
int dxmodel_write_files(const struct dxmodel *model, const char *folder, struct error *error);

#endif
