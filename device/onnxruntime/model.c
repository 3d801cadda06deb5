/* model.c: writes the protobuf by hand. Field numbers are those of onnx.proto. */
#include "device/onnxruntime/model.h"

#include <string.h>

enum { VARINT = 0, BYTES = 2 }; /* wire types */
enum { ATTRIBUTE_INT = 2, IR_VERSION = 8 };

const char *const model_inputs[MODEL_INPUTS] = {"a", "b", "c"};
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

static void put_attribute(struct writer *w, const char *name, int64_t value)
{
    size_t attribute = begin(w, 5);
    put_text(w, 1, name);
    put_integer(w, 3, (uint64_t)value);
    put_integer(w, 20, ATTRIBUTE_INT);
    end(w, attribute);
}

size_t model_encode(const struct model *model, uint8_t out[MODEL_SIZE])
{
    struct writer w = {.out = out};
    put_integer(&w, 1, IR_VERSION);

    size_t graph = begin(&w, 7), node = begin(&w, 1);
    for (int i = 0; i < model->input_count; i++)
        put_text(&w, 1, model_inputs[i]);
    put_text(&w, 2, model_output);
    put_text(&w, 4, model->node);
    if (model->attribute)
        put_attribute(&w, model->attribute, model->value);
    end(&w, node);
    put_text(&w, 2, "g");
    for (int i = 0; i < model->input_count; i++)
        put_value(&w, 11, model_inputs[i], model->input_types[i]);
    put_value(&w, 12, model_output, model->output_type);
    end(&w, graph);

    size_t opset = begin(&w, 8);
    put_integer(&w, 2, MODEL_OPSET);
    end(&w, opset);
    return w.size;
}
