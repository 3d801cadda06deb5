/* model.h: the models of DxDispatch, as far as DirectML's operators go: buffers, operators, and commands that dispatch,
 * print and write files. Members are named and mean what DxDispatch documents; what is not done here is refused by name.
 *
 * Not done: the dispatchables hlsl, onnx and dmlSerializedGraph, images, deferred buffers, bindings at initialisation,
 * and, since the files are read as JSON, comments and trailing commas. */
#ifndef EXCHANGE_MODEL_H
#define EXCHANGE_MODEL_H

#include "harness/trial/arena.h"
#include "harness/spec/opdesc.h"
#include "harness/trial/plugin.h"
#include "harness/spec/load.h"

#include <stdio.h>

struct model_buffer {
    const char *name;
    unsigned type; /* of the initial values; UNKNOWN: of several types */
    uint8_t *initial;
    uint64_t initial_size, initial_offset, size; /* bytes */
    struct block block;                          /* while it runs */
};

struct model_dispatchable {
    const char *name;
    const struct spec *spec;
    struct opdesc desc;
    DML_EXECUTION_FLAGS flags;
    assay_operator *op; /* while it runs */
    assay_compiled *compiled;
};

struct model_binding {
    int buffer;      /* -1: none, of an optional tensor */
    uint64_t offset; /* bytes */
};

struct model_command {
    enum { MODEL_DISPATCH, MODEL_PRINT, MODEL_WRITE } kind;
    int dispatchable;                                 /* DISPATCH */
    struct model_binding bindings[OPDESC_MAX_FIELDS]; /* DISPATCH: by field */
    int buffer;                                       /* PRINT, WRITE */
    bool verbose;                                     /* PRINT: an element a line, with its bits */
    const char *path;                                 /* WRITE: below the folder of outputs */
    int spool;                                        /* WRITE: descriptor of what is to be in it */
    uint32_t dims, sizes[32];                         /* WRITE: of a .npy file; none: one dimension */
};

struct model {
    const char *file;
    struct pool pool;
    struct model_buffer *buffers;
    struct model_dispatchable *dispatchables;
    struct model_command *commands;
    int buffer_count, dispatchable_count, command_count;
};

/* Reads a model. What is wrong in it, or not done, is EXIT_HARNESS with file and place. Free in any case. */
int model_load(struct model *model, const char *file, const struct spec_set *specs, struct error *error);
void model_free(struct model *model);

/* How a model is run. */
struct model_run {
    FILE *out; /* where to print: not standard output, which is the device's */
    struct plugin *device;
    struct arena *arena;
    const char *folder; /* what writeFile's paths are below, for messages */
    uint64_t iterations;
    char *where; /* what is being done, for whoever finds the process dead; of `where_size` bytes */
    size_t where_size;
};

/* Runs its commands and prints what DxDispatch prints. What the device refuses or does wrong is EXIT_FAILURES, what cannot
 * be printed or written EXIT_HARNESS. Nothing is freed: this is for a process that ends. */
int model_execute(struct model *model, const struct model_run *run, struct error *error);

/* The elements of a buffer as DxDispatch prints them. False: it has no data type. */
bool model_print(FILE *out, const struct model_buffer *buffer, const uint8_t *data, bool verbose);

/* Makes the spools, before the model is executed in another process; once, in any case before model_write_files(). */
int model_open_spools(struct model *model, struct error *error);

/* Writes what was spooled to files below `folder`; folders on the way are made, links not followed, and nothing is reached
 * outside. Closes the spools. */
int model_write_files(const struct model *model, const char *folder, struct error *error);

#endif
