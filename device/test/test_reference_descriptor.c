/* test_reference_descriptor.c: device/common/descriptor.h: the rules for the tensors of all operators. */
#include "device/test/test_reference_setup.h"

static void test_operator_types(void)
{
    char message[64] = "";
    DML_OPERATOR_DESC desc = {DML_OPERATOR_INVALID, &s};

    ok(descriptor_read(NULL, LEVEL(6_4), descriptor_is_indexed, &s.out, message, sizeof message) == E_INVALIDARG &&
           strstr(message, "null"),
       "null description");
    ok(descriptor_read(&desc, LEVEL(6_4), descriptor_is_indexed, &s.out, message, sizeof message) == E_INVALIDARG &&
           strstr(message, "type 0"),
       "type INVALID");
    desc.Type = (DML_OPERATOR_TYPE)178;
    ok(descriptor_read(&desc, LEVEL(6_4), descriptor_is_indexed, &s.out, message, sizeof message) == E_INVALIDARG &&
           strstr(message, "type 178"),
       "type past the last");
    desc.Type = DML_OPERATOR_UNFOLD;
    ok(descriptor_read(&desc, LEVEL(6_4), descriptor_is_indexed, &s.out, message, sizeof message) ==
               DXGI_ERROR_UNSUPPORTED &&
           strstr(message, "177"),
       "the last type is unsupported");
    desc.Type = DML_OPERATOR_ELEMENT_WISE_IDENTITY;
    ok(descriptor_read(&desc, LEVEL(1_0), descriptor_is_indexed, &s.out, message, sizeof message) ==
           DXGI_ERROR_UNSUPPORTED,
       "another type is unsupported");
    desc = (DML_OPERATOR_DESC){DML_OPERATOR_GATHER, NULL};
    ok(descriptor_read(&desc, LEVEL(6_4), descriptor_is_indexed, &s.out, message, sizeof message) == E_INVALIDARG &&
           strstr(message, "Desc"),
       "null Desc");
    ok(descriptor_read(&desc, LEVEL(6_4), descriptor_is_indexed, &s.out, NULL, 0) == E_INVALIDARG,
       "without a message buffer");
    strcpy(message, "kept");
    ok(descriptor_read(&desc, LEVEL(6_4), descriptor_is_indexed, &s.out, message, 0) == E_INVALIDARG &&
           !strcmp(message, "kept"),
       "no room for a message");
    ok(descriptor_read(&desc, LEVEL(6_4), descriptor_is_indexed, &s.out, message, 2) == E_INVALIDARG && !message[1],
       "room for one letter");
}

static void test_levels(void)
{
    static const struct {
        DML_OPERATOR_TYPE type;
        DML_FEATURE_LEVEL before, introduced;
    } cases[] = {
        {DML_OPERATOR_GATHER, (DML_FEATURE_LEVEL)0x0F00, LEVEL(1_0)},
        {DML_OPERATOR_SCATTER_ELEMENTS, LEVEL(1_0), LEVEL(2_0)},
        {DML_OPERATOR_GATHER_ELEMENTS, LEVEL(2_0), LEVEL(2_1)},
        {DML_OPERATOR_GATHER_ND, LEVEL(2_0), LEVEL(2_1)},
        {DML_OPERATOR_SCATTER_ND, LEVEL(2_0), LEVEL(2_1)},
        {DML_OPERATOR_GATHER_ND1, LEVEL(2_1), LEVEL(3_0)},
        {DML_OPERATOR_NONZERO_COORDINATES, LEVEL(2_1), LEVEL(3_0)},
    };
    for (int i = 0; i < ALL; i++) {
        base(cases[i].type, cases[i].before);
        rejects("introduced", "the level before the operator's introduction");
        base(cases[i].type, cases[i].introduced);
        accepts("the level of the operator's introduction");
        base(cases[i].type, LEVEL(6_4));
        accepts("the highest level");
    }
}

/* Tells whether the operator's table at a level has a type for the input: written a second time, for this test. */
static int in_table(DML_OPERATOR_TYPE type, DML_FEATURE_LEVEL level, UINT data_type)
{
    if (data_type == TYPE(FLOAT32) || data_type == TYPE(FLOAT16))
        return 1;
    if (data_type >= TYPE(UINT32) && data_type <= TYPE(INT8))
        return level >= LEVEL(2_1);
    return data_type >= TYPE(FLOAT64) && data_type <= TYPE(INT64) && level >= LEVEL(4_1) &&
           type != DML_OPERATOR_NONZERO_COORDINATES;
}

static void change_data_type(UINT data_type)
{
    for (int at = 0; at < tensor_count(s.type); at++)
        if (s.type == DML_OPERATOR_NONZERO_COORDINATES ? at == 0 : at != 1) {
            s.boxes[at].buffer.DataType = (DML_TENSOR_DATA_TYPE)data_type;
            s.boxes[at].buffer.TotalTensorSizeInBytes = 4096;
        }
}

static void test_types(void)
{
    static const DML_FEATURE_LEVEL tables[] = {LEVEL(1_0), LEVEL(2_0), LEVEL(2_1), LEVEL(3_0), LEVEL(3_1),
                                               LEVEL(4_0), LEVEL(4_1), LEVEL(5_0), LEVEL(6_4)};
    for (int i = 0; i < ALL; i++) {
        int wrong = 0, accepted = 0, wrong_index = 0;
        for (size_t l = 0; l < sizeof tables / sizeof tables[0]; l++) {
            base(all[i], tables[l]);
            if (read_setup() != S_OK)
                continue; /* before the operator was introduced */
            for (UINT t = 0; t < 40; t++) {
                int legal = in_table(all[i], tables[l], t);
                base(all[i], tables[l]);
                change_data_type(t);
                wrong += (read_setup() == S_OK) != legal || (!legal && !strstr(s.message, "InputTensor.DataType"));
                accepted += legal;
                base(all[i], tables[l]);
                s.boxes[1].buffer.DataType = (DML_TENSOR_DATA_TYPE)t;
                s.boxes[1].buffer.TotalTensorSizeInBytes = 4096;
                legal = t == TYPE(UINT32) || (all[i] != DML_OPERATOR_NONZERO_COORDINATES && tables[l] >= LEVEL(3_0) &&
                                              (t == TYPE(INT32) || t == TYPE(UINT64) || t == TYPE(INT64)));
                wrong_index += (read_setup() == S_OK) != legal;
            }
        }
        ok(!wrong && accepted >= 32, "operator %d: data types of %d table entries (%d wrong)", all[i], accepted, wrong);
        ok(!wrong_index, "operator %d: types of the second tensor (%d wrong)", all[i], wrong_index);
    }
    base(DML_OPERATOR_NONZERO_COORDINATES, LEVEL(6_4));
    s.boxes[2].buffer.DataType = TYPE(INT32);
    rejects("OutputCoordinatesTensor.DataType is INT32", "signed coordinates");
}

/* Tests rules that hold for every tensor of every operator. */
static void test_tensor(DML_OPERATOR_TYPE type, int at)
{
    const char *name = field_name(type, at);
    struct box *box = &s.boxes[at];
    UINT64 least;
    UINT size;

#define BASE() base(type, LEVEL(6_4))
    BASE();
    s.tensors[at] = NULL;
    rejects(name, "a null tensor");
    BASE();
    box->tensor.Type = DML_TENSOR_TYPE_INVALID;
    rejects(name, "tensor type INVALID");
    BASE();
    box->tensor.Type = (DML_TENSOR_TYPE)2;
    rejects(name, "an unknown tensor type");
    BASE();
    box->tensor.Desc = NULL;
    rejects(name, "a null buffer description");
    BASE();
    box->buffer.Sizes = NULL;
    rejects(name, "null Sizes");
    for (UINT i = 0; i < 4; i++) {
        BASE();
        box->sizes[i] = 0;
        rejects(name, "a size of 0");
    }
    BASE();
    box->buffer.DimensionCount = 0;
    rejects(name, "no dimensions");
    BASE();
    box->buffer.DimensionCount = 9;
    rejects(name, "nine dimensions");
    BASE();
    box->buffer.Flags = (DML_TENSOR_FLAGS)2;
    rejects(name, "an unknown flag");
    BASE();
    box->buffer.Flags = DML_TENSOR_FLAG_OWNED_BY_DML;
    if (is_output(type, at))
        rejects(name, "OWNED_BY_DML on an output");
    else
        accepts("OWNED_BY_DML on an input");

    BASE();
    least = box->buffer.TotalTensorSizeInBytes;
    box->buffer.TotalTensorSizeInBytes = least - 1;
    rejects(name, "one byte below the minimum");
    box->buffer.TotalTensorSizeInBytes = least + 1;
    accepts("a size that is not a multiple of 4");
    box->buffer.TotalTensorSizeInBytes = UINT64_MAX;
    accepts("a huge size");

    BASE();
    size = descriptor_element_size(box->buffer.DataType);
    for (UINT alignment = 1; alignment < 100; alignment += alignment < 40 ? 1 : 24) {
        int legal = alignment >= size && (alignment & (alignment - 1)) == 0;
        box->buffer.GuaranteedBaseOffsetAlignment = alignment;
        if (legal != (read_setup() == S_OK))
            ok(0, "operator %d, %s: alignment %u", type, name, alignment);
    }
    box->buffer.GuaranteedBaseOffsetAlignment = 1u << 31;
    accepts("the largest alignment");
    box->buffer.GuaranteedBaseOffsetAlignment = size / 2;
    rejects(name, "an alignment below the element size");
    box->buffer.GuaranteedBaseOffsetAlignment = size * 3;
    rejects(name, "an alignment that is not a power of two");
#undef BASE
}

static void test_strides(DML_OPERATOR_TYPE type, int at)
{
    const char *name = field_name(type, at);
    struct box *box = &s.boxes[at];
    int wide;

    base(type, LEVEL(6_4));
    const UINT padded[] = {7, 1000, 100, 7};
    for (UINT i = 0; i < 4; i++) /* strides of dimensions of size 1 are arbitrary */
        box->strides[i] = box->sizes[i] == 1 ? UINT32_MAX : padded[i];
    box->buffer.Strides = box->strides;
    wide = (int)((box->sizes[1] - 1) * 1000 + (box->sizes[2] - 1) * 100 + (box->sizes[3] - 1) * 7 + 1);
    box->buffer.TotalTensorSizeInBytes = (UINT64)wide * 4;
    accepts("padded strides, any stride on a size of 1");
    ok(!s.out.inputs[0].packed || at != 0, "operator %d: padded is not packed", type);
    box->buffer.TotalTensorSizeInBytes -= 1;
    rejects(name, "one byte below what the strides need");

    base(type, LEVEL(6_4));
    if (box->sizes[3] == 1)
        return; /* a count has only sizes of 1 */
    for (UINT i = 0; i < 4; i++)
        box->strides[i] = 0;
    box->strides[2] = 1;
    box->buffer.Strides = box->strides;
    if (is_output(type, at))
        rejects(name, "a stride of 0 on an output");
    else
        accepts("broadcast strides on an input");
    box->strides[3] = 2;
    box->strides[2] = 2 * (box->sizes[3] - 1) - 1;
    box->strides[1] = 500;
    box->buffer.TotalTensorSizeInBytes = 1 << 16;
    accepts("rows that interleave: they reach into each other and share no element");
    box->strides[2] = 2 * (box->sizes[3] - 2);
    if (is_output(type, at))
        rejects(name, "rows of an output that share elements");
    else
        accepts("rows of an input that share elements");
    box->strides[2] = 2 * (box->sizes[3] - 1);
    if (is_output(type, at))
        rejects(name, "rows of an output that share one element");
    box->strides[2]++;
    accepts("rows that just do not meet");
    box->strides[3] = 100;
    box->strides[2] = 1;
    box->strides[1] = 1000;
    accepts("a transposed layout");
    box->strides[3] = UINT32_MAX;
    box->buffer.TotalTensorSizeInBytes = UINT64_MAX;
    rejects(name, "an extent past 2^32-1 elements");
}

static void test_element_limit(void)
{
    /* 65535 x 65537 = 2^32-1 */
    memset(&s, 0, sizeof s);
    s.type = DML_OPERATOR_GATHER;
    s.level = LEVEL(6_4);
    tensor(0, TYPE(UINT8), "65535,65537");
    tensor(1, TYPE(UINT32), "1,1");
    tensor(2, TYPE(UINT8), "1,65537");
    attributes(0, 1, 0);
    accepts("2^32-1 elements");
    tensor(0, TYPE(UINT8), "65536,65536");
    tensor(2, TYPE(UINT8), "1,65536");
    rejects("InputTensor.Sizes are {65536,65536}", "2^32 elements");
    tensor(0, TYPE(UINT8), "4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295,4294967295");
    s.boxes[0].buffer.TotalTensorSizeInBytes = UINT64_MAX;
    rejects("InputTensor.Sizes", "sizes whose product overflows 64 bits");
    tensor(0, TYPE(UINT8), "65536,65536");
    strides(0, "0,1");
    rejects("InputTensor.Sizes", "2^32 elements in few bytes");

    tensor(0, TYPE(UINT8), "5");
    tensor(1, TYPE(UINT32), "3");
    tensor(2, TYPE(UINT8), "3");
    s.boxes[0].buffer.TotalTensorSizeInBytes = 7;
    rejects("InputTensor.TotalTensorSizeInBytes is 7", "the elements' bytes without rounding up to 4");
    s.boxes[0].buffer.TotalTensorSizeInBytes = 8;
    s.boxes[2].buffer.TotalTensorSizeInBytes = 3;
    rejects("OutputTensor.TotalTensorSizeInBytes is 3", "an output without rounding up to 4");
    s.boxes[2].buffer.TotalTensorSizeInBytes = 4;
    accepts("the elements' bytes rounded up to 4");

    tensor(1, TYPE(UINT32), "1,1");
    tensor(2, TYPE(UINT8), "1,65536");
    tensor(0, TYPE(UINT8), "2,65536");
    strides(0, "4294901759,1"); /* last place 4294901759 + 65535 = 2^32-2 */
    accepts("an extent of 2^32-1 elements");
    strides(0, "4294901760,1");
    rejects("InputTensor.Strides", "an extent of 2^32 elements");
    tensor(0, TYPE(UINT8), "65535,65537");
    strides(0, "4294967295,4294967295");
    rejects("InputTensor.Strides", "an extent that overflows 64 bits");
}

static void test_dimension_counts(void)
{
    base(DML_OPERATOR_GATHER_ND, LEVEL(2_1));
    accepts("four dimensions at 2_1");
    nd(DML_OPERATOR_GATHER_ND, "1,2,2,2,2", "1,1,1,2,4", "1,1,1,1,2", 4, 2, 0);
    accepts("five dimensions at 6_4");
    s.level = LEVEL(2_1);
    rejects("InputTensor.DimensionCount is 5; GATHER_ND at feature level 2_1 takes 4 to 4.", "five dimensions at 2_1");
    nd(DML_OPERATOR_SCATTER_ND, "1,1,1,1,1,1,2,2", "1,1,1,1,1,1,3,8", "1,1,1,1,1,1,1,3", 8, 2, 0);
    accepts("eight dimensions and tuples of eight");
}

static void test_contents(void)
{
    nd(DML_OPERATOR_GATHER_ND1, "2,3,4", "2,5,1", "2,5,4", 3, 3, 1);
    strides(0, "20,0,1");
    strides(2, "20,4,1");
    ok(read_setup() == S_OK, "a description to inspect");
    ok(s.out.type == DML_OPERATOR_GATHER_ND1 && s.out.input_count == 2 && s.out.output_count == 1, "type and counts");
    ok(s.out.input_dimension_count == 3 && s.out.indices_dimension_count == 3 && s.out.batch_dimension_count == 1,
       "attributes");
    ok(s.out.inputs[0].strides[0] == 20 && s.out.inputs[0].strides[1] == 0 && !s.out.inputs[0].packed,
       "strides as given");
    ok(s.out.inputs[1].strides[0] == 5 && s.out.inputs[1].strides[2] == 1 && s.out.inputs[1].packed,
       "strides made where none are given");
    ok(s.out.outputs[0].packed && s.out.outputs[0].count == 40 && s.out.outputs[0].bytes == 160,
       "packed strides seen as such");
    ok(s.out.inputs[0].element_size == 4 && s.out.inputs[1].rank == 3 && s.out.inputs[1].type == TYPE(UINT32),
       "element size, rank, type");
    base(DML_OPERATOR_GATHER, LEVEL(6_4));
    strides(0, "99,12,4,1");
    ok(read_setup() == S_OK && s.out.inputs[0].packed, "packed, whatever the strides of sizes of 1");
    base(DML_OPERATOR_SCATTER_ELEMENTS, LEVEL(6_4));
    ok(read_setup() == S_OK && s.out.input_count == 3 && s.out.output_count == 1 && s.out.axis == 2 &&
           s.out.inputs[2].sizes[2] == 5 && s.out.outputs[0].sizes[2] == 3,
       "tensors of a scatter in order");
    base(DML_OPERATOR_GATHER, LEVEL(6_4));
    ok(read_setup() == S_OK && s.out.index_dimensions == 1 && s.out.axis == 2, "attributes of GATHER");
}

int main(void)
{
    test_operator_types();
    test_levels();
    test_types();
    for (int i = 0; i < ALL; i++)
        for (int at = 0; at < tensor_count(all[i]); at++) {
            test_tensor(all[i], at);
            test_strides(all[i], at);
        }
    test_element_limit();
    test_dimension_counts();
    test_contents();
    return tap_done();
}
