/* marshal.h: converts an opdesc to the documented C structs, as the catalogue's list of fields lays them out, and back.
 */
#ifndef DESCRIBE_MARSHAL_H
#define DESCRIBE_MARSHAL_H

#include "harness/spec/opdesc.h"
#include "harness/spec/spec.h"

/* Memory for one description. `op` points into this struct and into the opdesc that it was made from. Members that few
 * descriptions use come last, see marshal_size(). */
struct marshal {
    DML_OPERATOR_DESC op;
    _Alignas(8) unsigned char body[OPDESC_MAX_FIELDS * 8]; /* the DML_…_OPERATOR_DESC */
    DML_TENSOR_DESC tensors[OPDESC_MAX_TENSORS];           /* one for each item */
    DML_BUFFER_TENSOR_DESC buffers[OPDESC_MAX_TENSORS];
    DML_OPERATOR_DESC nested[OPDESC_MAX_NESTED];
    struct {
        _Alignas(8) unsigned char bytes[OPDESC_MAX_FIELDS * 8];
    } bodies[OPDESC_MAX_NESTED];
};

/* Returns the size of the part of a struct marshal that the description uses: no function writes or reads the rest. */
size_t marshal_size(const struct spec *spec, const struct opdesc *desc);

/* Fills in `m`. `desc` must outlive it. In a nested description, a pointer that is not null points to a small FLOAT32
 * tensor, or to zeros. */
void marshal_desc(const struct spec *spec, const struct opdesc *desc, struct marshal *m);

/* Makes `desc`, which need not be initialised. Reads only memory that device.h calls safe to read. */
void marshal_read(const struct spec *spec, const DML_OPERATOR_DESC *op, struct opdesc *desc);

#endif
