/* model.h: ONNX models as bytes of a protobuf file: one node, and what prepares its inputs and its output.
 *
 * A model has no shapes, so one model, and one session, serves every shape. */
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>
#include <stdint.h>

enum { MODEL_INPUTS = 6, MODEL_ATTRIBUTES = 2, MODEL_SIZE = 1024, MODEL_OPSET = 13 };

struct model_attribute {
    const char *name; /* "axis"; null: none */
    int64_t value;    /* of an INT */
    const char *text; /* of a STRING; null: it is an INT */
};

/* Inputs are named "a", "b", "c" and so on, the output is named "y". Types are those of TensorProto.DataType. */
struct model {
    const char *node; /* "GatherND" */
    struct model_attribute attributes[MODEL_ATTRIBUTES];
    int opset; /* 0: MODEL_OPSET */
    int input_count;
    int input_types[MODEL_INPUTS];
    int output_type;
    int has_scale_bias; /* the last two inputs are s and b: the node gets a * s + b instead of a */
    unsigned truths;    /* inputs that the node gets as BOOL, one bit for each */
    int gives_truth;    /* the node's output is a BOOL, which is cast to `output_type` */
};

extern const char *const model_inputs[MODEL_INPUTS];
extern const char *const model_output;

/* Writes the model; returns its size in bytes. */
size_t model_encode(const struct model *model, uint8_t out[MODEL_SIZE]);

#endif
