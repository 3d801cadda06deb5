/* recorded.h: results that DxDispatch recorded, as a device behind the interface of device.h: recorded:FOLDER, or
 * recorded:level=5_0,FOLDER if they come from an implementation with no more than that feature level.
 *
 * The folder is one that `repro --export dxdispatch` wrote and DxDispatch then ran. It has the outputs as .npy
 * files or, in dxdispatch.txt, the error of creating or compiling the operator. If dxdispatch.txt is there, it must
 * report that each output was written: otherwise the files may be those of an earlier run. The device repeats these
 * results for the one case of the folder, so that the case is run and judged like any other. */
#ifndef EXCHANGE_RECORDED_H
#define EXCHANGE_RECORDED_H

#include "harness/load/load.h"
#include "harness/trial/plugin.h"
#include "harness/case/testcase.h"

struct recorded {
    struct testcase c;
    struct pool pool;
    char name[128];            /* of the adapter that DxDispatch ran on; "" if not known */
    HRESULT created, compiled; /* results of creating and compiling the operator; S_OK unless an error was recorded */
    bool accepted;             /* DxDispatch reported that both succeeded */
    char message[400];         /* the line that reported the error; "" */
    uint32_t written;          /* bit i: DxDispatch reported that it wrote the output of field i */
    struct literal outputs[OPDESC_MAX_TENSORS]; /* by field: `count` bytes in the tensor's layout */
    struct literal before[OPDESC_MAX_TENSORS];  /* the same, before the dispatch; null data: not known */
};

/* Reads a folder. EXIT_HARNESS: a file is missing or malformed; the message has its path. Free with recorded_free(),
 * also after an error. */
int recorded_load(struct recorded *r, const char *folder, const struct spec_set *specs, struct error *error);
void recorded_free(struct recorded *r);

/* The device, for the program's list of built-in devices. */
extern const struct builtin_device recorded_device;

#endif
