/* recorded.h: what was recorded elsewhere as a device, behind the interface of device.h: recorded:FOLDER, or
 * recorded:level=5_0,FOLDER where it ran on something that claims no more than that feature level.
 *
 * The folder is one that `repro --export dxdispatch` wrote, with what came back in it: the outputs as .npy files, or in
 * dxdispatch.txt the error that creating or compiling the operator ended with. The device answers for the one case of
 * that folder, so that whatever runs and judges cases can judge it. */
#ifndef EXCHANGE_RECORDED_H
#define EXCHANGE_RECORDED_H

#include "harness/spec/load.h"
#include "harness/trial/plugin.h"
#include "harness/case/testcase.h"

struct recorded {
    struct testcase c;
    struct pool pool;
    char name[128];            /* what it ran on, as it said */
    HRESULT created, compiled; /* what the calls ended with */
    bool accepted;             /* it was said that they succeeded */
    char message[400];
    struct literal outputs[OPDESC_MAX_FIELDS]; /* by field: `count` bytes, as they lie in memory */
};

/* EXIT_HARNESS: what is missing in the folder or makes no sense, with its path. Free in any case. */
int recorded_load(struct recorded *r, const char *folder, const struct spec_set *specs, struct error *error);
void recorded_free(struct recorded *r);

extern const struct builtin_device recorded_device;

#endif
