/* descriptor_tables.c: what differs between operators in names and numbers only: data types, feature-level tables,
 * fields. */
#include "device/common/descriptor_internal.h"

const struct type_info descriptor_types[TYPE_TOTAL] = {
    [DML_TENSOR_DATA_TYPE_UNKNOWN] = {"UNKNOWN", 0}, [DML_TENSOR_DATA_TYPE_FLOAT32] = {"FLOAT32", 4},
    [DML_TENSOR_DATA_TYPE_FLOAT16] = {"FLOAT16", 2}, [DML_TENSOR_DATA_TYPE_UINT32] = {"UINT32", 4},
    [DML_TENSOR_DATA_TYPE_UINT16] = {"UINT16", 2},   [DML_TENSOR_DATA_TYPE_UINT8] = {"UINT8", 1},
    [DML_TENSOR_DATA_TYPE_INT32] = {"INT32", 4},     [DML_TENSOR_DATA_TYPE_INT16] = {"INT16", 2},
    [DML_TENSOR_DATA_TYPE_INT8] = {"INT8", 1},       [DML_TENSOR_DATA_TYPE_FLOAT64] = {"FLOAT64", 8},
    [DML_TENSOR_DATA_TYPE_UINT64] = {"UINT64", 8},   [DML_TENSOR_DATA_TYPE_INT64] = {"INT64", 8},
    [DML_TENSOR_DATA_TYPE_UINT4] = {"UINT4", 0},     [DML_TENSOR_DATA_TYPE_INT4] = {"INT4", 0},
};

uint32_t descriptor_element_size(DML_TENSOR_DATA_TYPE type)
{
    return (uint32_t)type < TYPE_TOTAL ? descriptor_types[type].size : 0;
}

#define TYPE(name) (1u << DML_TENSOR_DATA_TYPE_##name)
#define TYPES_FLOAT (TYPE(FLOAT32) | TYPE(FLOAT16))
#define TYPES_TO_32 (TYPES_FLOAT | TYPE(INT32) | TYPE(INT16) | TYPE(INT8) | TYPE(UINT32) | TYPE(UINT16) | TYPE(UINT8))
#define TYPES_TO_64 (TYPES_TO_32 | TYPE(FLOAT64) | TYPE(INT64) | TYPE(UINT64))
#define TYPES_INDEX (TYPE(INT64) | TYPE(INT32) | TYPE(UINT64) | TYPE(UINT32))

/* The six copying operators share these tables. An operator without a table of its own at one of these levels is newer
 * than the level, or its table repeats the older one. SCATTER_ELEMENTS starts at 2_0, with the table headed 1_0. */
static const struct table copy_tables[] = {
    {DML_FEATURE_LEVEL_4_1, {[KIND_DATA] = {TYPES_TO_64, 1, 8}, [KIND_INDICES] = {TYPES_INDEX, 1, 8}}},
    {DML_FEATURE_LEVEL_3_0, {[KIND_DATA] = {TYPES_TO_32, 1, 8}, [KIND_INDICES] = {TYPES_INDEX, 1, 8}}},
    {DML_FEATURE_LEVEL_2_1, {[KIND_DATA] = {TYPES_TO_32, 4, 4}, [KIND_INDICES] = {TYPE(UINT32), 4, 4}}},
    {DML_FEATURE_LEVEL_1_0, {[KIND_DATA] = {TYPES_FLOAT, 4, 4}, [KIND_INDICES] = {TYPE(UINT32), 4, 4}}},
};

static const struct table nonzero_tables[] = {
    {DML_FEATURE_LEVEL_4_0,
     {[KIND_DATA] = {TYPES_TO_32, 1, 8},
      [KIND_COUNT] = {TYPE(UINT32), 1, 8},
      [KIND_COORDINATES] = {TYPE(UINT32), 2, 8}}},
    {DML_FEATURE_LEVEL_3_0,
     {[KIND_DATA] = {TYPES_TO_32, 4, 5},
      [KIND_COUNT] = {TYPE(UINT32), 4, 5},
      [KIND_COORDINATES] = {TYPE(UINT32), 4, 5}}},
};

/* clang-format off */
#define AT(owner, name) #name, offsetof(DML_##owner##_OPERATOR_DESC, name)
#define GATHER_FIELDS(owner)                                                                 \
    {AT(owner, InputTensor), 0, KIND_DATA}, {AT(owner, IndicesTensor), 0, KIND_INDICES},     \
    {AT(owner, OutputTensor), 1, KIND_DATA}
#define SCATTER_FIELDS(owner)                                                                \
    {AT(owner, InputTensor), 0, KIND_DATA}, {AT(owner, IndicesTensor), 0, KIND_INDICES},     \
    {AT(owner, UpdatesTensor), 0, KIND_DATA}, {AT(owner, OutputTensor), 1, KIND_DATA}
#define AXIS(owner) {AT(owner, Axis), offsetof(struct descriptor, axis)}
#define INPUT_COUNT(owner) {AT(owner, InputDimensionCount), offsetof(struct descriptor, input_dimension_count)}
#define INDICES_COUNT(owner) {AT(owner, IndicesDimensionCount), offsetof(struct descriptor, indices_dimension_count)}

static const struct operator_rules operators[] = {
    {"GATHER", DML_OPERATOR_GATHER, DML_FEATURE_LEVEL_1_0, copy_tables, 3, 2,
     {GATHER_FIELDS(GATHER)},
     {AXIS(GATHER), {AT(GATHER, IndexDimensions), offsetof(struct descriptor, index_dimensions)}},
     descriptor_check_gather},
    {"GATHER_ELEMENTS", DML_OPERATOR_GATHER_ELEMENTS, DML_FEATURE_LEVEL_2_1, copy_tables, 3, 1,
     {GATHER_FIELDS(GATHER_ELEMENTS)},
     {AXIS(GATHER_ELEMENTS)},
     descriptor_check_elements},
    {"GATHER_ND", DML_OPERATOR_GATHER_ND, DML_FEATURE_LEVEL_2_1, copy_tables, 3, 2,
     {GATHER_FIELDS(GATHER_ND)},
     {INPUT_COUNT(GATHER_ND), INDICES_COUNT(GATHER_ND)},
     descriptor_check_nd},
    {"GATHER_ND1", DML_OPERATOR_GATHER_ND1, DML_FEATURE_LEVEL_3_0, copy_tables, 3, 3,
     {GATHER_FIELDS(GATHER_ND1)},
     {INPUT_COUNT(GATHER_ND1), INDICES_COUNT(GATHER_ND1),
      {AT(GATHER_ND1, BatchDimensionCount), offsetof(struct descriptor, batch_dimension_count)}},
     descriptor_check_nd},
    {"SCATTER_ELEMENTS", DML_OPERATOR_SCATTER_ELEMENTS, DML_FEATURE_LEVEL_2_0, copy_tables, 4, 1,
     {SCATTER_FIELDS(SCATTER_ELEMENTS)},
     {AXIS(SCATTER_ELEMENTS)},
     descriptor_check_elements},
    {"SCATTER_ND", DML_OPERATOR_SCATTER_ND, DML_FEATURE_LEVEL_2_1, copy_tables, 4, 2,
     {SCATTER_FIELDS(SCATTER_ND)},
     {INPUT_COUNT(SCATTER_ND), INDICES_COUNT(SCATTER_ND)},
     descriptor_check_nd},
    {"NONZERO_COORDINATES", DML_OPERATOR_NONZERO_COORDINATES, DML_FEATURE_LEVEL_3_0, nonzero_tables, 3, 0,
     {{AT(NONZERO_COORDINATES, InputTensor), 0, KIND_DATA},
      {AT(NONZERO_COORDINATES, OutputCountTensor), 1, KIND_COUNT},
      {AT(NONZERO_COORDINATES, OutputCoordinatesTensor), 1, KIND_COORDINATES}},
     {{0}},
     descriptor_check_nonzero},
};
/* clang-format on */

const struct operator_rules *descriptor_find_rules(DML_OPERATOR_TYPE type)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (operators[i].type == type)
            return &operators[i];
    return NULL;
}
