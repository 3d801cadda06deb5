/* formulas.h: computes operators by the formulas of their specs, as the harness does: right, with a mistake of the
 * harness's table (harness/trial/mistake.h), or by specs whose text a bug has changed. */
#ifndef FORMULAS_H
#define FORMULAS_H

#include "device/device.h"
#include "device/mutants/bugs.h"

#include "harness/trial/computed.h"
#include "harness/trial/mistake.h"

struct formulas;

/* Opens the specs, for a bug that changes their text as `changes` says: lines of "text => other text" (null: no bug).
 * `only`: the bug is in this operator alone (0: in all). What has no formula, a device of `api` computes that is right.
 * Returns null, with a message, if the changed texts are no specs or nothing is changed. */
struct formulas *formulas_open(const assay_device_api *api, const char *changes, DML_OPERATOR_TYPE only, char *message,
                               size_t size);
void formulas_close(struct formulas *formulas);

/* Names the folder of the specs, before any are loaded. Returns that folder; null: none was named. */
void formulas_use_folder(const char *path);
const char *formulas_folder(void);

/* Checks a description by the rules of its spec: S_OK, E_INVALIDARG, or DXGI_ERROR_UNSUPPORTED if there is no spec.
 * The checks of device/common know documented operators only. */
HRESULT formulas_check(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, char *message, size_t size);

/* Returns the spec of an operator; null: it has none, or the specs could not be loaded. */
const struct spec *formulas_right(DML_OPERATOR_TYPE type);

/* A description, with the specs of its operator. */
struct reading {
    const struct spec *right, *wrong;       /* wrong: with the changes of the bug; null: none are loaded */
    bool computed;                          /* every output has a formula */
    const struct computed_liberty *liberty; /* the device takes it, with the changed spec; null: none */
    struct opdesc desc;
};

/* Reads a description. The caller frees `*out`. E_FAIL, with a message: there is no spec. */
HRESULT formulas_read(const struct formulas *formulas, const DML_OPERATOR_DESC *desc, struct reading **out,
                      char *message, size_t size);

/* Computes the outputs among the tensors, by item, by the specs as they are or by the changed ones. Returns false, and
 * writes nothing, if memory runs out. */
bool formulas_compute(const struct reading *reading, bool wrong, uint8_t *const tensors[]);

/* Computes an item: right, or with the bug. Returns false if memory runs out. */
bool formulas_run(const struct reading *reading, const assay_dispatch_item *item, enum bug bug);

/* Computes an item with the mistake. Returns false, and writes nothing, if it cannot be made there. */
bool formulas_err(struct formulas *formulas, const struct reading *reading, const assay_dispatch_item *item,
                  const struct mistake *mistake, int site);

#endif
