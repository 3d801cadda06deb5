/* model.c: writes the protobuf by hand. Field numbers are those of onnx.proto. */
#include "device/onnxruntime/model.h"

#include <string.h>

enum { VARINT = 0, BYTES = 2 }; /* wire types */
enum { ATTRIBUTE_INT = 2, ATTRIBUTE_STRING = 3, IR_VERSION = 8, TYPE_BOOL = 9 };

const char *const model_inputs[MODEL_INPUTS] = {"a", "b", "c", "d", "e", "f"};
const char *const model_output = "y";

struct writer {
    uint8_t *out;
    size_t size;
};

static void put(struct writer *w, uint64_t number)
{
    for (; number > 127; number >>= 7)
        w->out[w->size++] = (uint8_t)(number | 128);
    w->out[w->size++] = (uint8_t)number;
}

static void put_integer(struct writer *w, unsigned field, uint64_t value)
{
    put(w, field << 3 | VARINT);
    put(w, value);
}

static void put_text(struct writer *w, unsigned field, const char *text)
{
    size_t length = strlen(text);
    put(w, field << 3 | BYTES);
    put(w, length);
    memcpy(w->out + w->size, text, length);
    w->size += length;
}

/* Begins a nested message and leaves two bytes for its size, which end() fills in: a varint may have more bytes than it
 * needs. */
static size_t begin(struct writer *w, unsigned field)
{
    put(w, field << 3 | BYTES);
    w->size += 2;
    return w->size;
}

static void end(struct writer *w, size_t start)
{
    size_t size = w->size - start;
    w->out[start - 2] = (uint8_t)(size | 128);
    w->out[start - 1] = (uint8_t)(size >> 7);
}

/* A ValueInfoProto: a name, and the type of a tensor of any shape. */
static void put_value(struct writer *w, unsigned field, const char *name, int element_type)
{
    size_t value = begin(w, field);
    put_text(w, 1, name);
    size_t type = begin(w, 2), tensor = begin(w, 1);
    put_integer(w, 1, (uint64_t)element_type);
    end(w, tensor);
    end(w, type);
    end(w, value);
}

static void put_attribute(struct writer *w, const struct model_attribute *from)
{
    size_t attribute = begin(w, 5);
    put_text(w, 1, from->name);
    if (from->text)
        put_text(w, 4, from->text);
    else
        put_integer(w, 3, (uint64_t)from->value);
    put_integer(w, 20, from->text ? ATTRIBUTE_STRING : ATTRIBUTE_INT);
    end(w, attribute);
}

static void put_node(struct writer *w, const char *name, const char *const *inputs, int input_count, const char *output,
                     const struct model_attribute *attributes, int attribute_count)
{
    size_t node = begin(w, 1);
    for (int i = 0; i < input_count; i++)
        put_text(w, 1, inputs[i]);
    put_text(w, 2, output);
    put_text(w, 4, name);
    for (int i = 0; i < attribute_count && attributes[i].name; i++)
        put_attribute(w, &attributes[i]);
    end(w, node);
}

static void put_cast(struct writer *w, const char *input, const char *output, int type)
{
    struct model_attribute to = {.name = "to", .value = type};
    put_node(w, "Cast", &input, 1, output, &to, 1);
}

/* The nodes, in the order in which they run. */
static void put_nodes(struct writer *w, const struct model *model)
{
    static const char *const truths[MODEL_INPUTS] = {"at", "bt", "ct", "dt", "et", "ft"};
    const char *inputs[MODEL_INPUTS];
    int count = model->input_count - (model->has_scale_bias ? 2 : 0);
    for (int i = 0; i < count; i++)
        inputs[i] = model_inputs[i];
    if (model->has_scale_bias) {
        put_node(w, "Mul", (const char *const[]){"a", model_inputs[count]}, 2, "as", NULL, 0);
        put_node(w, "Add", (const char *const[]){"as", model_inputs[count + 1]}, 2, "ag", NULL, 0);
        inputs[0] = "ag";
    }
    for (int i = 0; i < count; i++)
        if (model->truths >> i & 1) {
            put_cast(w, inputs[i], truths[i], TYPE_BOOL);
            inputs[i] = truths[i];
        }
    put_node(w, model->node, inputs, count, model->gives_truth ? "yt" : model_output, model->attributes,
             MODEL_ATTRIBUTES);
    if (model->gives_truth)
        put_cast(w, "yt", model_output, model->output_type);
}

size_t model_encode(const struct model *model, uint8_t out[MODEL_SIZE])
{
    struct writer w = {.out = out};
    put_integer(&w, 1, IR_VERSION);

    size_t graph = begin(&w, 7);
    put_nodes(&w, model);
    put_text(&w, 2, "g");
    for (int i = 0; i < model->input_count; i++)
        put_value(&w, 11, model_inputs[i], model->input_types[i]);
    put_value(&w, 12, model_output, model->output_type);
    end(&w, graph);

    size_t opset = begin(&w, 8);
    put_integer(&w, 2, model->opset ? (uint64_t)model->opset : MODEL_OPSET);
    end(&w, opset);
    return w.size;
}
