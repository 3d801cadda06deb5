/* marshal.h: an opdesc as the documented C structs, laid out by the spec's list of fields, and back. */
#ifndef SPEC_MARSHAL_H
#define SPEC_MARSHAL_H

#include "harness/spec/opdesc.h"
#include "harness/spec/spec.h"

/* Room for one description. What `op` points to is in here, and in the opdesc that it was made from. */
struct marshal {
    DML_OPERATOR_DESC op;
    DML_TENSOR_DESC tensors[OPDESC_MAX_FIELDS];
    DML_BUFFER_TENSOR_DESC buffers[OPDESC_MAX_FIELDS];
    _Alignas(8) unsigned char body[OPDESC_MAX_FIELDS * 8]; /* the DML_…_OPERATOR_DESC */
};

/* Fills in `m`; `desc` must outlive it. */
void marshal_desc(const struct spec *spec, const struct opdesc *desc, struct marshal *m);

/* And back: the fields of `desc`, but not which operator it is. Reads as much as device.h says is safe. */
void marshal_read(const struct spec *spec, const DML_OPERATOR_DESC *op, struct opdesc *desc);

#endif
