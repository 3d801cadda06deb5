/* marshal.h: converts an opdesc to the documented C structs, as the spec's list of fields lays them out, and back. */
#ifndef SPEC_MARSHAL_H
#define SPEC_MARSHAL_H

#include "harness/spec/opdesc.h"
#include "harness/spec/spec.h"

/* Memory for one description. `op` points into this struct and into the opdesc that it was made from. */
struct marshal {
    DML_OPERATOR_DESC op;
    DML_TENSOR_DESC tensors[OPDESC_MAX_FIELDS];
    DML_BUFFER_TENSOR_DESC buffers[OPDESC_MAX_FIELDS];
    _Alignas(8) unsigned char body[OPDESC_MAX_FIELDS * 8]; /* the DML_…_OPERATOR_DESC */
};

/* Fills in `m`. `desc` must outlive it. */
void marshal_desc(const struct spec *spec, const struct opdesc *desc, struct marshal *m);

/* Makes `desc`, which need not be initialised. Reads only what device.h says is safe to read. */
void marshal_read(const struct spec *spec, const DML_OPERATOR_DESC *op, struct opdesc *desc);

#endif
