/* model.h: ONNX models as bytes of a protobuf file: one node, and the nodes that prepare its inputs and outputs.
 *
 * A model has no shapes, so one model, and one session, serves every shape. */
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>
#include <stdint.h>

enum { MODEL_INPUTS = 70, MODEL_OUTPUTS = 70, MODEL_ATTRIBUTES = 6, MODEL_LIST = 12, MODEL_ORDER = 9 };
enum { MODEL_SIZE = 8192, MODEL_OPSET = 13 };

struct model_attribute {
    const char *name; /* "axis"; null: none */
    int64_t value;    /* value of an INT */
    const char *text; /* value of a STRING; null: it is a number, or a list */
    int is_real;      /* the attribute is a FLOAT: `real` */
    float real;
    size_t count;             /* number of INTS; 0: it is an INT */
    int64_t list[MODEL_LIST]; /* value of INTS */
    size_t real_count;        /* number of FLOATS; 0: it is something else */
    float reals[MODEL_LIST];  /* value of FLOATS */
};

/* Initializers of attributes: an INT, a FLOAT, a STRING and INTS. */
#define MODEL_INT(NAME, VALUE)                                                                                         \
    {                                                                                                                  \
        .name = NAME, .value = VALUE                                                                                   \
    }
#define MODEL_REAL(NAME, VALUE)                                                                                        \
    {                                                                                                                  \
        .name = NAME, .is_real = 1, .real = VALUE                                                                      \
    }
#define MODEL_TEXT(NAME, TEXT)                                                                                         \
    {                                                                                                                  \
        .name = NAME, .text = TEXT                                                                                     \
    }
#define MODEL_INTS(NAME, COUNT, ...)                                                                                   \
    {                                                                                                                  \
        .name = NAME, .count = COUNT, .list = { __VA_ARGS__ }                                                          \
    }

/* Inputs are named "x0", "x1" and so on, outputs "y0", "y1" and so on. Types are those of TensorProto.DataType. */
struct model {
    const char *node; /* "GatherND" */
    struct model_attribute attributes[MODEL_ATTRIBUTES];
    const char *domain; /* domain of the node; null: ONNX's own */
    int opset;          /* version of ONNX's operators; 0: MODEL_OPSET */
    int input_count, output_count;
    int input_types[MODEL_INPUTS], output_types[MODEL_OUTPUTS];
    int order[MODEL_ORDER], order_count; /* the inputs that the node gets, by number; -1: none. 0 of them: all */
    int has_scale_bias;                  /* the last two inputs are s and b: the node gets x0 * s + b instead of x0 */
    uint64_t truths;                     /* a bit for each input that the node gets as BOOL */
    uint64_t casts; /* a bit for each output that the node gives in another type, and that is cast */
};

extern const char *const model_inputs[MODEL_INPUTS];
extern const char *const model_outputs[MODEL_OUTPUTS];

/* Writes the model. Returns its size in bytes. */
size_t model_encode(const struct model *model, uint8_t out[MODEL_SIZE]);

#endif
