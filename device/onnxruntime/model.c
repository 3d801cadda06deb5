/* model.c: writes the protobuf by hand. Field numbers are those of onnx.proto. */
#include "device/onnxruntime/model.h"

#include <string.h>

enum { VARINT = 0, BYTES = 2, FIXED32 = 5 }; /* wire types */
enum {
    ATTRIBUTE_FLOAT = 1,
    ATTRIBUTE_INT = 2,
    ATTRIBUTE_STRING = 3,
    ATTRIBUTE_FLOATS = 6,
    ATTRIBUTE_INTS = 7,
    IR_VERSION = 8,
    TYPE_BOOL = 9
};

/* Names, 70 of them: a letter and a number each. */
#define TEN(TENS) TENS "0", TENS "1", TENS "2", TENS "3", TENS "4", TENS "5", TENS "6", TENS "7", TENS "8", TENS "9"
#define SEVENTY(LETTER)                                                                                                \
    {                                                                                                                  \
        TEN(LETTER), TEN(LETTER "1"), TEN(LETTER "2"), TEN(LETTER "3"), TEN(LETTER "4"), TEN(LETTER "5"),              \
            TEN(LETTER "6")                                                                                            \
    }

const char *const model_inputs[MODEL_INPUTS] = SEVENTY("x");
const char *const model_outputs[MODEL_OUTPUTS] = SEVENTY("y");

struct writer {
    uint8_t *out;
    size_t size;
};

static void model_put(struct writer *w, uint64_t number)
{
    for (; number > 127; number >>= 7)
        w->out[w->size++] = (uint8_t)(number | 128);
    w->out[w->size++] = (uint8_t)number;
}

static void model_put_integer(struct writer *w, unsigned field, uint64_t value)
{
    model_put(w, field << 3 | VARINT);
    model_put(w, value);
}

static void model_put_real(struct writer *w, unsigned field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    model_put(w, field << 3 | FIXED32);
    for (int shift = 0; shift < 32; shift += 8)
        w->out[w->size++] = (uint8_t)(bits >> shift);
}

static void model_put_text(struct writer *w, unsigned field, const char *text)
{
    size_t length = strlen(text);
    model_put(w, field << 3 | BYTES);
    model_put(w, length);
    memcpy(w->out + w->size, text, length);
    w->size += length;
}

/* Begins a nested message and leaves two bytes for its size, which model_end() fills in: a varint may have more bytes
 * than it needs. */
static size_t model_begin(struct writer *w, unsigned field)
{
    model_put(w, field << 3 | BYTES);
    w->size += 2;
    return w->size;
}

static void model_end(struct writer *w, size_t start)
{
    size_t size = w->size - start;
    w->out[start - 2] = (uint8_t)(size | 128);
    w->out[start - 1] = (uint8_t)(size >> 7);
}

/* A ValueInfoProto: a name, and the type of a tensor of any shape. */
static void put_value(struct writer *w, unsigned field, const char *name, int element_type)
{
    size_t value = model_begin(w, field);
    model_put_text(w, 1, name);
    size_t type = model_begin(w, 2), tensor = model_begin(w, 1);
    model_put_integer(w, 1, (uint64_t)element_type);
    model_end(w, tensor);
    model_end(w, type);
    model_end(w, value);
}

static uint64_t attribute_type(const struct model_attribute *attribute)
{
    if (attribute->text)
        return ATTRIBUTE_STRING;
    if (attribute->is_real)
        return ATTRIBUTE_FLOAT;
    if (attribute->real_count)
        return ATTRIBUTE_FLOATS;
    return attribute->count ? ATTRIBUTE_INTS : ATTRIBUTE_INT;
}

static void put_attribute(struct writer *w, const struct model_attribute *from)
{
    size_t attribute = model_begin(w, 5);
    model_put_text(w, 1, from->name);
    if (from->text)
        model_put_text(w, 4, from->text);
    else if (from->is_real)
        model_put_real(w, 2, from->real);
    else if (!from->count && !from->real_count)
        model_put_integer(w, 3, (uint64_t)from->value);
    for (size_t i = 0; i < from->real_count; i++)
        model_put_real(w, 7, from->reals[i]);
    for (size_t i = 0; i < from->count; i++)
        model_put_integer(w, 8, (uint64_t)from->list[i]);
    model_put_integer(w, 20, attribute_type(from));
    model_end(w, attribute);
}

/* Writes a node. `domain`: that of the operator `name`; null: ONNX's own. */
static void put_node(struct writer *w, const char *domain, const char *name, const char *const *inputs, int input_count,
                     const char *const *outputs, int output_count, const struct model_attribute *attributes,
                     int attribute_count)
{
    size_t node = model_begin(w, 1);
    for (int i = 0; i < input_count; i++)
        model_put_text(w, 1, inputs[i]);
    for (int i = 0; i < output_count; i++)
        model_put_text(w, 2, outputs[i]);
    model_put_text(w, 4, name);
    if (domain)
        model_put_text(w, 7, domain);
    for (int i = 0; i < attribute_count && attributes[i].name; i++)
        put_attribute(w, &attributes[i]);
    model_end(w, node);
}

static void put_cast(struct writer *w, const char *input, const char *output, int type)
{
    struct model_attribute to = MODEL_INT("to", type);
    put_node(w, NULL, "Cast", &input, 1, &output, 1, &to, 1);
}

/* Writes a node of two inputs that computes the next version of the first one, whose name its output has. */
static void put_step(struct writer *w, const char *name, const char **first, const char *second, const char *output)
{
    put_node(w, NULL, name, (const char *const[]){*first, second}, 2, &output, 1, NULL, 0);
    *first = output;
}

/* The nodes, in the order in which they run. */
static void put_nodes(struct writer *w, const struct model *model)
{
    static const char *const truths[MODEL_INPUTS] = SEVENTY("t"), *const before[MODEL_OUTPUTS] = SEVENTY("b");
    const char *inputs[MODEL_INPUTS], *outputs[MODEL_OUTPUTS];
    int count = model->input_count - (model->has_scale_bias ? 2 : 0);
    for (int i = 0; i < count; i++)
        inputs[i] = model_inputs[i];
    if (model->has_scale_bias) {
        put_step(w, "Mul", &inputs[0], model_inputs[count], "scaled");
        put_step(w, "Add", &inputs[0], model_inputs[count + 1], "biased");
    }
    for (int i = 0; i < count; i++)
        if (i < 64 && model->truths >> i & 1) {
            put_cast(w, inputs[i], truths[i], TYPE_BOOL);
            inputs[i] = truths[i];
        }
    for (int i = 0; i < model->order_count; i++)
        inputs[i] = model->order[i] < 0 ? "" : model_inputs[model->order[i]];
    count = model->order_count ? model->order_count : count;
    for (int i = 0; i < model->output_count; i++)
        outputs[i] = i < 64 && model->casts >> i & 1 ? before[i] : model_outputs[i];
    put_node(w, model->domain, model->node, inputs, count, outputs, model->output_count, model->attributes,
             MODEL_ATTRIBUTES);
    for (int i = 0; i < model->output_count; i++)
        if (outputs[i] != model_outputs[i])
            put_cast(w, outputs[i], model_outputs[i], model->output_types[i]);
}

size_t model_encode(const struct model *model, uint8_t out[MODEL_SIZE])
{
    struct writer w = {.out = out};
    model_put_integer(&w, 1, IR_VERSION);

    size_t graph = model_begin(&w, 7);
    put_nodes(&w, model);
    model_put_text(&w, 2, "g");
    for (int i = 0; i < model->input_count; i++)
        put_value(&w, 11, model_inputs[i], model->input_types[i]);
    for (int i = 0; i < model->output_count; i++)
        put_value(&w, 12, model_outputs[i], model->output_types[i]);
    model_end(&w, graph);

    size_t opset = model_begin(&w, 8);
    model_put_integer(&w, 2, model->opset ? (uint64_t)model->opset : MODEL_OPSET);
    model_end(&w, opset);
    if (model->domain) {
        opset = model_begin(&w, 8);
        model_put_text(&w, 1, model->domain);
        model_put_integer(&w, 2, 1);
        model_end(&w, opset);
    }
    return w.size;
}
