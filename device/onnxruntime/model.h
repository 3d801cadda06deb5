/* model.h: ONNX models of a single node, as bytes of a protobuf file.
 *
 * Shapes are left out, so that one model, and one session, serves every shape. About 100 bytes; what is written by hand
 * here is the part of onnx.proto that such a model needs. */
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>
#include <stdint.h>

enum { MODEL_INPUTS = 3, MODEL_SIZE = 512, MODEL_OPSET = 13 };

/* Inputs are named "a", "b", "c" in order, the output "y". Types are those of TensorProto.DataType. */
struct model {
    const char *node;      /* "GatherND" */
    const char *attribute; /* of type INT: "axis"; null: none */
    int64_t value;
    int input_count;
    int input_types[MODEL_INPUTS];
    int output_type;
};

extern const char *const model_inputs[MODEL_INPUTS];
extern const char *const model_output;

/* Writes the model, returns its size, at most MODEL_SIZE. */
size_t model_encode(const struct model *model, uint8_t out[MODEL_SIZE]);

#endif
