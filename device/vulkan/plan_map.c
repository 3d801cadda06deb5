#include "device/vulkan/plan_map.h"

#include "device/common/number.h"
#include "device/vulkan/nest.h"
#include "device/vulkan/plan_internal.h"

#include <string.h>

/* The kinds of numbers for which each operator has a formula. */
enum { FOR_FLOATS = 1, FOR_REALS = 2, FOR_WHOLES = 4, FOR_BITS = 8, FOR_COMPOSITES = 16 };

static uint8_t formulas_of(DML_OPERATOR_TYPE type)
{
    uint8_t formulas = 0;
#define FORMULAS(NAME, KINDS)                                                                                          \
    if (type == DML_OPERATOR_##NAME)                                                                                   \
        formulas |= KINDS;
#define FLOATS(NAME, FORMULA) FORMULAS(NAME, FOR_FLOATS)
#define COMPOSITES(NAME, FORMULA) FORMULAS(NAME, FOR_COMPOSITES)
#define REALS(NAME, FORMULA) FORMULAS(NAME, FOR_REALS)
#define WHOLES(NAME, FORMULA) FORMULAS(NAME, FOR_WHOLES)
#define NUMBERS(NAME, FORMULA) FORMULAS(NAME, FOR_REALS | FOR_WHOLES)
#define BITS(NAME, FORMULA) FORMULAS(NAME, FOR_BITS)
#include "device/vulkan/shaders/map_formulas.inc"
#define ACTIVATES(NAME, FORMULA) COMPOSITES(ACTIVATION_##NAME, FORMULA)
#include "device/vulkan/shaders/map_activations.inc"
#undef ACTIVATES
    return formulas;
}

int plan_map_computes(DML_OPERATOR_TYPE type)
{
    return formulas_of(type) != 0;
}

int plan_activates(DML_OPERATOR_TYPE type)
{
    int found = type == DML_OPERATOR_INVALID;
#define ACTIVATES(NAME, FORMULA) found |= type == DML_OPERATOR_ACTIVATION_##NAME;
#include "device/vulkan/shaders/map_activations.inc"
    return found;
}

static int is_signed_type(DML_TENSOR_DATA_TYPE type)
{
    return type == DML_TENSOR_DATA_TYPE_INT8 || type == DML_TENSOR_DATA_TYPE_INT16 ||
           type == DML_TENSOR_DATA_TYPE_INT32 || type == DML_TENSOR_DATA_TYPE_INT64 ||
           type == DML_TENSOR_DATA_TYPE_INT4;
}

/* Returns the unsigned type of the same width. */
static DML_TENSOR_DATA_TYPE bits_type(DML_TENSOR_DATA_TYPE type)
{
    uint32_t size = descriptor_element_size(type);
    switch (size) {
    case 1:
        return DML_TENSOR_DATA_TYPE_UINT8;
    case 2:
        return DML_TENSOR_DATA_TYPE_UINT16;
    case 4:
        return DML_TENSOR_DATA_TYPE_UINT32;
    default:
        return DML_TENSOR_DATA_TYPE_UINT64;
    }
}

/* ---- operands */

enum { NONE = PLAN_OPERANDS };

/* The tensors that are x, y, z of the formulas, and the scalars. */
static const struct arrangement {
    DML_OPERATOR_TYPE type; /* INVALID: all other operators */
    uint8_t inputs[PLAN_MAP_INPUTS], scalars[PLAN_MAP_SCALARS];
} arrangements[] = {
    {DML_OPERATOR_ELEMENT_WISE_QUANTIZED_LINEAR_ADD,
     {PLAN_INPUT, PLAN_INPUT + 3, NONE},
     {PLAN_INPUT + 1, PLAN_INPUT + 2, PLAN_INPUT + 4, PLAN_INPUT + 5, PLAN_INPUT + 6, PLAN_INPUT + 7}},
    {DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR,
     {PLAN_INPUT, PLAN_OUTPUT + 1, PLAN_OUTPUT + 2},
     {NONE, NONE, NONE, NONE, NONE, NONE}},
    {DML_OPERATOR_INVALID, {PLAN_INPUT, PLAN_INPUT + 1, PLAN_INPUT + 2}, {NONE, NONE, NONE, NONE, NONE, NONE}},
};

static const struct arrangement *arrangement_of(DML_OPERATOR_TYPE type)
{
    const struct arrangement *arrangement = arrangements;
    while (arrangement->type != DML_OPERATOR_INVALID && arrangement->type != type)
        arrangement++;
    return arrangement;
}

/* Returns a tensor; null if the operator has no such tensor, or it is absent. */
static const struct tensor *tensor_at(const struct descriptor *descriptor, uint32_t operand)
{
    if (operand >= PLAN_OUTPUT)
        return operand - PLAN_OUTPUT < descriptor->output_count ? &descriptor->outputs[operand - PLAN_OUTPUT] : NULL;
    return operand < descriptor->input_count && descriptor->inputs[operand].rank ? &descriptor->inputs[operand] : NULL;
}

/* The tensors that a kernel walks: those of x, y, z that are given, then the output. */
struct walked {
    uint32_t count; /* number of tensors without the output */
    const struct tensor *tensors[PLAN_MAP_INPUTS + 1];
};

static struct walked walked_by(const struct descriptor *descriptor)
{
    const struct arrangement *arrangement = arrangement_of(descriptor->type);
    struct walked walked = {0};
    while (walked.count < PLAN_MAP_INPUTS && tensor_at(descriptor, arrangement->inputs[walked.count])) {
        walked.tensors[walked.count] = tensor_at(descriptor, arrangement->inputs[walked.count]);
        walked.count++;
    }
    walked.tensors[walked.count] = &descriptor->outputs[0];
    return walked;
}

/* ---- numbers */

/* The kind of numbers that the kernel computes with. */
struct numbers {
    enum pipeline_kernel kernel;
    uint32_t width; /* bits */
    int are_bits;
};

/* Tells whether a scale or a bias leaves the scaling of integers exact. */
static int is_small_integer(FLOAT value)
{
    return value >= -0x1p31f && value <= 0x1p31f && value == (FLOAT)(int64_t)value;
}

static struct numbers choose_numbers(const struct descriptor *descriptor, int has_int64, int has_float64)
{
    const DML_SCALE_BIAS *scale_bias = descriptor->has_scale_bias ? &descriptor->scale_bias : NULL;
    const struct walked walked = walked_by(descriptor);
    uint32_t formulas = formulas_of(descriptor->type), widest = 0;
    int integers = 1, has_double = 0, has_signed = 0, has_uint32 = 0, has_integer = 0;
    for (uint32_t i = 0; i <= walked.count; i++) {
        const struct tensor *tensor = walked.tensors[i];
        int is_input = i < walked.count, is_float = number_is_float(tensor->type);
        integers &= !is_float;
        has_double |= tensor->type == DML_TENSOR_DATA_TYPE_FLOAT64;
        has_signed |= is_input && is_signed_type(tensor->type);
        has_uint32 |= is_input && tensor->type == DML_TENSOR_DATA_TYPE_UINT32;
        has_integer |= is_input && !is_float;
        widest = widest < tensor->element_size ? tensor->element_size : widest;
    }
    if (formulas & FOR_BITS)
        return (struct numbers){PIPELINE_MAP_UINT, widest == 8 ? 64 : 32, 1};
    if (integers && descriptor->type == DML_OPERATOR_ACTIVATION_SHRINK) /* its attributes are beyond its type */
        return (struct numbers){PIPELINE_MAP_INT, 64, 0};
    if (integers && (formulas & FOR_WHOLES) && !scale_bias)
        return (struct numbers){has_signed ? PIPELINE_MAP_INT : PIPELINE_MAP_UINT,
                                widest == 8 || (has_signed && has_uint32) ? 64 : 32, 0};
    if (integers && (formulas & FOR_WHOLES) && has_int64 && is_small_integer(scale_bias->Scale) &&
        is_small_integer(scale_bias->Bias))
        return (struct numbers){has_signed || widest < 8 ? PIPELINE_MAP_INT : PIPELINE_MAP_UINT, 64, 0};
    if (formulas & FOR_COMPOSITES)
        return (struct numbers){PIPELINE_MAP_COMPOSITE, 32, 0};
    if (formulas & FOR_FLOATS)
        return (struct numbers){PIPELINE_MAP_FUNCTION, 32, 0};
    /* A 32-bit float neither holds every integer nor its power. A conversion to a float rounds only once in any
     * case. */
    int wants_double = has_integer && descriptor->type != DML_OPERATOR_CAST && has_float64;
    return (struct numbers){PIPELINE_MAP_REAL, has_double || wants_double ? 64 : 32, 0};
}

/* Tells whether the operator copies the elements of its input. */
static int is_copy(const struct descriptor *descriptor)
{
    return (descriptor->type == DML_OPERATOR_ELEMENT_WISE_IDENTITY && !descriptor->has_scale_bias) ||
           descriptor->type == DML_OPERATOR_ACTIVATION_IDENTITY ||
           (descriptor->type == DML_OPERATOR_CAST && descriptor->inputs[0].type == descriptor->outputs[0].type);
}

const char *plan_map_lack(const struct descriptor *descriptor, const struct vk *vk)
{
    const struct walked walked = walked_by(descriptor);
    struct numbers numbers = choose_numbers(descriptor, vk->has_int64, vk->has_float64);
    if (!vk->has_8bit || !vk->has_16bit)
        return "access to 8-bit and 16-bit elements";
    if (is_copy(descriptor))
        return NULL;
    if (!plan_activates(descriptor->activation))
        return "a formula of the fused activation";
    if (descriptor->type == DML_OPERATOR_DYNAMIC_QUANTIZE_LINEAR && !vk->has_subgroups)
        return "ballots and arithmetic in subgroups";
    if (numbers.kernel == PIPELINE_MAP_REAL && numbers.width == 64 && !vk->has_float64)
        return "64-bit floats";
    for (uint32_t i = 0; i <= walked.count; i++) {
        if ((numbers.width == 64 || walked.tensors[i]->element_size == 8) && !vk->has_int64)
            return "64-bit integers";
    }
    return NULL;
}

/* ---- attributes */

/* Puts a number into a parameter, in the format of the kernel's numbers; `whole` counts if those are integers. */
static void set_number(const struct numbers *numbers, double value, uint32_t out[2])
{
    float single = (float)value;
    if (numbers->kernel == PIPELINE_MAP_INT || numbers->kernel == PIPELINE_MAP_UINT)
        memcpy(out, &(int64_t){(int64_t)number_truncated(value)}, sizeof(int64_t));
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

/* Puts an attribute into a parameter. FLOAT attributes count in the type of the output: integers truncate, FLOAT16
 * rounds. */
static void set_float(const struct numbers *numbers, DML_TENSOR_DATA_TYPE type, FLOAT value, uint32_t out[2])
{
    uint64_t element = 0;
    number_store_real(type, (double)value, &element);
    set_element(numbers, type, &element, out);
}

static void map_set_attributes(const struct descriptor *descriptor, const struct numbers *numbers, struct plan_map *p)
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
    case DML_OPERATOR_ELEMENT_WISE_CONSTANT_POW: /* an exponent is no element */
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
    if (descriptor->activation) {
        set_number(numbers, (double)descriptor->activation_attributes[0], p->least);
        set_number(numbers, (double)descriptor->activation_attributes[1], p->most);
    }
    p->is_scaled = (uint32_t)descriptor->has_scale_bias;
    set_number(numbers, (double)descriptor->scale_bias.Scale, p->scale);
    set_number(numbers, (double)descriptor->scale_bias.Bias, p->bias);
}

/* ---- the launch */

/* Makes the loops. A tensor with fewer elements than the output in a dimension has one element for each block: there
 * are two loops then, over the blocks and within one. */
static void map_make_nest(const struct walked *walked, struct nest *nest)
{
    const struct tensor *output = walked->tensors[walked->count];
    *nest = (struct nest){0};
    for (uint32_t d = 0; d < output->rank; d++) {
        uint32_t outer[PLAN_STRIDES] = {0}, inner[PLAN_STRIDES] = {0}, size = output->sizes[d], blocks = size;
        for (uint32_t i = 0; i < walked->count; i++)
            blocks = walked->tensors[i]->sizes[d] < blocks ? walked->tensors[i]->sizes[d] : blocks;
        for (uint32_t i = 0; i <= walked->count; i++) {
            const struct tensor *tensor = walked->tensors[i];
            uint32_t at = i < walked->count ? i : PLAN_MAP_INPUTS;
            int is_whole = tensor->sizes[d] == size;
            outer[at] = is_whole ? size / blocks * tensor->strides[d] : tensor->strides[d];
            inner[at] = is_whole ? tensor->strides[d] : 0;
        }
        nest_add(nest, blocks, outer);
        nest_add(nest, size / blocks, inner);
    }
    nest_merge(nest);
}

static uint32_t choose_rank(const struct nest *nest)
{
    if (nest_is_large(nest_count(nest)))
        return nest->rank ? nest->rank : 1;
    return nest->rank <= PLAN_DIMENSIONS ? PLAN_DIMENSIONS : PLAN_MAP_DIMENSIONS;
}

/* Tells whether an invocation may take four adjacent elements of each tensor at once: they lie in the same order,
 * without gaps, and the kernel's numbers are of 32 bits. */
static int is_adjacent(const struct walked *walked, const struct nest *nest, const struct numbers *numbers)
{
    if (numbers->width != 32 || nest->rank != 1 || nest->size[0] % 4)
        return 0;
    for (uint32_t i = 0; i <= walked->count; i++) {
        uint32_t bits = walked->tensors[i]->element_bits;
        if (nest->stride[0][i < walked->count ? i : PLAN_MAP_INPUTS] != 1 || (bits != 8 && bits != 16 && bits != 32))
            return 0;
    }
    return 1;
}

/* Tells whether no tensor is longer than `bytes`. */
static int reaches(const struct walked *walked, uint64_t bytes)
{
    for (uint32_t i = 0; i < walked->count; i++) {
        if (walked->tensors[i]->bytes > bytes)
            return 0;
    }
    return bytes > 0;
}

void plan_map(const struct descriptor *descriptor, const struct pipeline_traits *traits, uint32_t pass,
              struct plan *plan)
{
    struct nest nest;
    if (is_copy(descriptor)) {
        plan_copy(descriptor, traits, plan);
        return;
    }
    const struct arrangement *arrangement = arrangement_of(descriptor->type);
    const struct walked walked = walked_by(descriptor);
    struct numbers numbers = choose_numbers(descriptor, traits->has_int64, traits->has_float64);
    map_make_nest(&walked, &nest);
    uint32_t rank = choose_rank(&nest);
    size_t bytes = offsetof(struct plan_map, dimensions) + rank * sizeof(struct plan_dimension);
    struct plan_launch *launch = plan_add_launch(plan, pass, PLAN_MAP_INPUTS + 1 + PLAN_MAP_SCALARS, bytes);
    struct plan_map *p = &launch->parameters.map;
    p->count = (uint32_t)nest_count(&nest);
    p->group_size = plan_group_size(traits, p->count, PIPELINE_MAP);
    nest_dimensions(&nest, rank, p->dimensions);
    map_set_attributes(descriptor, &numbers, p);
    launch->groups = (p->count - 1) / p->group_size + 1;
    for (uint32_t i = 0; i < PLAN_MAP_SCALARS; i++) { /* absent scalars are not read */
        int is_given = tensor_at(descriptor, arrangement->scalars[i]) != NULL;
        p->given |= (uint32_t)is_given << i;
        plan_set_address(launch, PLAN_MAP_INPUTS + 1 + i, is_given ? arrangement->scalars[i] : PLAN_OUTPUT, 0);
    }
    uint32_t each = p->group_size / traits->group_size;
    uint8_t together = each >= traits->move[PIPELINE_MAP].together ? traits->move[PIPELINE_MAP].together : 1;
    int adjacent = is_adjacent(&walked, &nest, &numbers);
    int texels =
        adjacent && p->count % 8 == 0 && p->group_size % 8 == 0 && each >= 16 && reaches(&walked, traits->texel_bytes);
    adjacent = texels || (adjacent && together == 4);
    if (texels)
        together = 8;
    else if (adjacent && each >= 8)
        together = 8;
    launch->pipeline = (struct pipeline_key){
        .kernel = (uint8_t)numbers.kernel,
        .width = (uint16_t)numbers.width,
        .specials = {(uint8_t)rank, (uint8_t)descriptor->type,
                     (uint8_t)walked.count, [7] = (uint8_t)descriptor->activation, [8] = p->given != 0, [9] = together,
                     [10] = (uint8_t)adjacent},
    };
    if (texels)
        plan_set_texels(launch, (1u << walked.count) - 1, PLAN_MAP_INPUTS, descriptor->outputs[0].bytes, traits);
    for (uint32_t i = 0; i <= PLAN_MAP_INPUTS; i++) {
        int is_input = i < walked.count;
        DML_TENSOR_DATA_TYPE type = walked.tensors[is_input ? i : walked.count]->type;
        plan_set_address(launch, i, is_input ? arrangement->inputs[i] : PLAN_OUTPUT, 0);
        launch->pipeline.specials[3 + i] = (uint8_t)(numbers.are_bits ? bits_type(type) : type);
    }
}
