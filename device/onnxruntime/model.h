/* model.h: ONNX models of a single node, as bytes of a protobuf file, about 100 of them.
 *
 * A model has no shapes, so one model, and one session, serves every shape. */
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>
#include <stdint.h>

enum { MODEL_INPUTS = 3, MODEL_SIZE = 512, MODEL_OPSET = 13 };

/* Inputs are named "a", "b", "c" in order, the output is named "y". Types are those of TensorProto.DataType. */
struct model {
    const char *node;      /* "GatherND" */
    const char *attribute; /* "axis", of type INT; null: none */
    int64_t value;         /* of the attribute */
    int input_count;
    int input_types[MODEL_INPUTS];
    int output_type;
};

extern const char *const model_inputs[MODEL_INPUTS];
extern const char *const model_output;

/* Writes the model; returns its size in bytes. */
size_t model_encode(const struct model *model, uint8_t out[MODEL_SIZE]);

#endif
