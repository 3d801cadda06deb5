#include "device/vulkan/plan_map.h"

#include "device/common/number.h"
#include "device/vulkan/nest.h"
#include "device/vulkan/plan_internal.h"

#include <string.h>

/* Which operators have a formula for each kind of number. */
enum { FOR_FLOATS = 1, FOR_REALS = 2, FOR_WHOLES = 4, FOR_BITS = 8 };

static uint8_t formulas_of(DML_OPERATOR_TYPE type)
{
    uint8_t formulas = 0;
#define FORMULAS(NAME, KINDS)                                                                                          \
    if (type == DML_OPERATOR_##NAME)                                                                                   \
        formulas |= KINDS;
#define FLOATS(NAME, FORMULA) FORMULAS(NAME, FOR_FLOATS)
#define REALS(NAME, FORMULA) FORMULAS(NAME, FOR_REALS)
#define WHOLES(NAME, FORMULA) FORMULAS(NAME, FOR_WHOLES)
#define NUMBERS(NAME, FORMULA) FORMULAS(NAME, FOR_REALS | FOR_WHOLES)
#define BITS(NAME, FORMULA) FORMULAS(NAME, FOR_BITS)
#include "device/vulkan/shaders/map_formulas.inc"
    return formulas;
}

int plan_map_computes(DML_OPERATOR_TYPE type)
{
    return formulas_of(type) != 0;
}

static int is_signed(DML_TENSOR_DATA_TYPE type)
{
    return type == DML_TENSOR_DATA_TYPE_INT8 || type == DML_TENSOR_DATA_TYPE_INT16 ||
           type == DML_TENSOR_DATA_TYPE_INT32 || type == DML_TENSOR_DATA_TYPE_INT64;
}

/* The unsigned type of the same width. */
static DML_TENSOR_DATA_TYPE bits_type(DML_TENSOR_DATA_TYPE type)
{
    uint32_t size = descriptor_element_size(type);
    return size == 1   ? DML_TENSOR_DATA_TYPE_UINT8
           : size == 2 ? DML_TENSOR_DATA_TYPE_UINT16
           : size == 4 ? DML_TENSOR_DATA_TYPE_UINT32
                       : DML_TENSOR_DATA_TYPE_UINT64;
}

/* What the kernel computes with. */
struct numbers {
    enum pipeline_kernel kernel;
    uint32_t width; /* bits */
    int are_bits;
};

static const struct tensor *tensor_of(const struct descriptor *descriptor, uint32_t i)
{
    return i < descriptor->input_count ? &descriptor->inputs[i] : &descriptor->outputs[0];
}

/* Integers are scaled exactly by such numbers. */
static int is_small_integer(FLOAT value)
{
    return value >= -0x1p31f && value <= 0x1p31f && value == (FLOAT)(int64_t)value;
}

static struct numbers choose_numbers(const struct descriptor *descriptor, int has_int64, int has_float64)
{
    const DML_SCALE_BIAS *scale_bias = descriptor->has_scale_bias ? &descriptor->scale_bias : NULL;
    uint32_t formulas = formulas_of(descriptor->type), widest = 0;
    int integers = 1, has_double = 0, has_signed = 0, has_uint32 = 0, has_integer = 0;
    for (uint32_t i = 0; i <= descriptor->input_count; i++) {
        const struct tensor *tensor = tensor_of(descriptor, i);
        int is_input = i < descriptor->input_count, is_float = number_is_float(tensor->type);
        integers &= !is_float;
        has_double |= tensor->type == DML_TENSOR_DATA_TYPE_FLOAT64;
        has_signed |= is_input && is_signed(tensor->type);
        has_uint32 |= is_input && tensor->type == DML_TENSOR_DATA_TYPE_UINT32;
        has_integer |= is_input && !is_float;
        widest = widest < tensor->element_size ? tensor->element_size : widest;
    }
    if (formulas & FOR_BITS)
        return (struct numbers){PIPELINE_MAP_UINT, widest == 8 ? 64 : 32, 1};
    if (integers && (formulas & FOR_WHOLES) && !scale_bias)
        return (struct numbers){has_signed ? PIPELINE_MAP_INT : PIPELINE_MAP_UINT,
                                widest == 8 || (has_signed && has_uint32) ? 64 : 32, 0};
    if (integers && (formulas & FOR_WHOLES) && has_int64 && is_small_integer(scale_bias->Scale) &&
        is_small_integer(scale_bias->Bias))
        return (struct numbers){has_signed || widest < 8 ? PIPELINE_MAP_INT : PIPELINE_MAP_UINT, 64, 0};
    if (formulas & FOR_FLOATS)
        return (struct numbers){PIPELINE_MAP_FUNCTION, 32, 0};
    /* A 32-bit float neither holds every integer nor its power. A conversion to a float rounds once all the same. */
    int wants_double = has_integer && descriptor->type != DML_OPERATOR_CAST && has_float64;
    return (struct numbers){PIPELINE_MAP_REAL, has_double || wants_double ? 64 : 32, 0};
}

/* Whether the operator copies the elements of its input. */
static int is_copy(const struct descriptor *descriptor)
{
    return (descriptor->type == DML_OPERATOR_ELEMENT_WISE_IDENTITY && !descriptor->has_scale_bias) ||
           (descriptor->type == DML_OPERATOR_CAST && descriptor->inputs[0].type == descriptor->outputs[0].type);
}

const char *plan_map_lack(const struct descriptor *descriptor, const struct vk *vk)
{
    struct numbers numbers = choose_numbers(descriptor, vk->has_int64, vk->has_float64);
    if (!vk->has_8bit || !vk->has_16bit)
        return "access to 8-bit and 16-bit elements";
    if (is_copy(descriptor))
        return NULL;
    if (numbers.kernel == PIPELINE_MAP_REAL && numbers.width == 64 && !vk->has_float64)
        return "64-bit floats";
    for (uint32_t i = 0; i <= descriptor->input_count; i++) {
        if ((numbers.width == 64 || tensor_of(descriptor, i)->element_size == 8) && !vk->has_int64)
            return "64-bit integers";
    }
    return NULL;
}

/* ---- attributes */

/* Puts a number into a parameter, as the kernel's numbers are; a whole one, if those are integers. */
static void set_number(const struct numbers *numbers, double value, uint32_t out[2])
{
    float single = (float)value;
    if (numbers->kernel == PIPELINE_MAP_INT || numbers->kernel == PIPELINE_MAP_UINT)
        memcpy(out, &(int64_t){(int64_t)value}, sizeof(int64_t));
    else if (numbers->width == 64)
        memcpy(out, &value, sizeof value);
    else
        memcpy(out, &single, sizeof single);
}

/* Puts an element of the output's type into a parameter. */
static void set_element(const struct numbers *numbers, DML_TENSOR_DATA_TYPE type, const void *element, uint32_t out[2])
{
    uint64_t whole = numbers->are_bits ? number_bits(type, element) : (uint64_t)number_whole(type, element);
    if (numbers->kernel == PIPELINE_MAP_INT || numbers->kernel == PIPELINE_MAP_UINT)
        memcpy(out, &whole, sizeof whole);
    else
        set_number(numbers, number_real(type, element), out);
}

/* FLOAT attributes count in the type of the output: integers truncate, FLOAT16 rounds. */
static void set_float(const struct numbers *numbers, DML_TENSOR_DATA_TYPE type, FLOAT value, uint32_t out[2])
{
    uint64_t element = 0;
    number_store_real(type, (double)value, &element);
    set_element(numbers, type, &element, out);
}

static void set_attributes(const struct descriptor *descriptor, const struct numbers *numbers, struct plan_map *p)
{
    const union descriptor_struct *desc = &descriptor->desc;
    DML_TENSOR_DATA_TYPE type = descriptor->outputs[0].type;
    switch (descriptor->type) {
    case DML_OPERATOR_ELEMENT_WISE_CLIP:
        set_float(numbers, type, desc->clip.Min, p->least);
        set_float(numbers, type, desc->clip.Max, p->most);
        break;
    case DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD:
        set_float(numbers, type, desc->clip_grad.Min, p->least);
        set_float(numbers, type, desc->clip_grad.Max, p->most);
        break;
    case DML_OPERATOR_ELEMENT_WISE_THRESHOLD:
        set_float(numbers, type, desc->threshold.Min, p->least);
        break;
    case DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW: /* an exponent, not an element */
        set_number(numbers, (double)desc->constant_pow.Exponent, p->least);
        break;
    case DML_OPERATOR_ELEMENT_WISE_CLIP1:
        set_element(numbers, type, &desc->clip1.Min, p->least);
        set_element(numbers, type, &desc->clip1.Max, p->most);
        break;
    case DML_OPERATOR_ELEMENT_WISE_CLIP_GRAD1:
        set_element(numbers, type, &desc->clip_grad1.Min, p->least);
        set_element(numbers, type, &desc->clip_grad1.Max, p->most);
        break;
    case DML_OPERATOR_FILL_VALUE_CONSTANT:
        set_element(numbers, type, &desc->fill_constant.Value, p->least);
        break;
    case DML_OPERATOR_FILL_VALUE_SEQUENCE:
        set_element(numbers, type, &desc->fill_sequence.ValueStart, p->least);
        set_element(numbers, type, &desc->fill_sequence.ValueDelta, p->most);
        break;
    case DML_OPERATOR_ELEMENT_WISE_ROUND:
        p->mode = (uint32_t)desc->round.RoundingMode;
        break;
    case DML_OPERATOR_ELEMENT_WISE_IS_INFINITY:
        p->mode = (uint32_t)desc->is_infinity.InfinityMode;
        break;
    default:
        break;
    }
    p->is_scaled = (uint32_t)descriptor->has_scale_bias;
    set_number(numbers, (double)descriptor->scale_bias.Scale, p->scale);
    set_number(numbers, (double)descriptor->scale_bias.Bias, p->bias);
}

/* ---- the launch */

static void make_nest(const struct descriptor *descriptor, struct nest *nest)
{
    const struct tensor *output = &descriptor->outputs[0];
    *nest = (struct nest){0};
    for (uint32_t d = 0; d < output->rank; d++) {
        uint32_t stride[PLAN_STRIDES] = {[PLAN_MAP_INPUTS] = output->strides[d]};
        for (uint32_t i = 0; i < descriptor->input_count; i++)
            stride[i] = descriptor->inputs[i].strides[d];
        nest_add(nest, output->sizes[d], stride);
    }
    nest_merge(nest);
}

void plan_map(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    struct nest nest;
    if (is_copy(descriptor)) {
        plan_copy(descriptor, traits, plan);
        return;
    }
    struct numbers numbers = choose_numbers(descriptor, traits->has_int64, traits->has_float64);
    make_nest(descriptor, &nest);
    uint64_t count = nest_count(&nest);
    uint32_t rank = !nest_is_large(count) ? PLAN_DIMENSIONS : nest.rank ? nest.rank : 1;
    struct plan_launch *launch = plan_add_launch(plan, 0, PLAN_MAP_INPUTS + 1, sizeof(struct plan_map));
    struct plan_map *p = &launch->parameters.map;
    p->count = (uint32_t)count;
    p->group_size = plan_group_size(traits, count, PIPELINE_COPY);
    nest_dimensions(&nest, rank, p->dimensions);
    set_attributes(descriptor, &numbers, p);
    launch->groups = (p->count - 1) / p->group_size + 1;
    launch->pipeline = (struct pipeline_key){
        .kernel = (uint8_t)numbers.kernel,
        .width = (uint16_t)numbers.width,
        .specials = {(uint8_t)rank, (uint8_t)descriptor->type, (uint8_t)descriptor->input_count},
    };
    for (uint32_t i = 0; i <= PLAN_MAP_INPUTS; i++) {
        int is_input = i < descriptor->input_count;
        DML_TENSOR_DATA_TYPE type = is_input ? descriptor->inputs[i].type : descriptor->outputs[0].type;
        plan_set_address(launch, i, is_input ? PLAN_INPUT + i : PLAN_OUTPUT, 0); /* what is absent is not read */
        launch->pipeline.specials[3 + i] = (uint8_t)(numbers.are_bits ? bits_type(type) : type);
    }
}
