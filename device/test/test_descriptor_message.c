/* test_descriptor_message.c: the sentences of rejections are those that snprintf() writes, in room of any size; the
 * sentences about descriptions that no case can have. */
#include "device/common/descriptor_internal.h"
#include "tools/tap.h"

#include <math.h>
#include <string.h>

enum { ROOM = 160 };

static struct rejection why;
static const struct reader reader = {.why = &why};
static char expected[ROOM];

/* Tells whether the sentence kept is `expected`, cut at the end of rooms of every size, and nothing is written past
 * them. */
static int is_as_expected(void)
{
    for (size_t size = 1; size < ROOM; size++) {
        char got[ROOM];
        size_t length = strlen(expected) < size ? strlen(expected) : size - 1;
        memset(got, '#', sizeof got);
        descriptor_message(&why, got, size);
        if (strlen(got) != length || memcmp(got, expected, length) != 0 || got[size] != '#') {
            note("in %zu bytes: \"%.*s\", expected \"%s\"", size, ROOM, got, expected);
            return 0;
        }
    }
    return 1;
}

#define is_same(...)                                                                                                   \
    (snprintf(expected, sizeof expected, __VA_ARGS__), (void)REJECT(&reader, __VA_ARGS__), is_as_expected())

static void test_conversions(void)
{
    static const unsigned numbers[] = {0,   1,    9,     10,         15,         16,         99,
                                       100, 4095, 65536, 1000000000, 0x7fffffff, 0x80000000, 4294967295};
    static const double reals[] = {0, -0.0, 1, -1.5, 0.1, 1e-5, 123456789, 1e300, 1.0 / 3};
    int good = 1;
    ok(is_same("nothing to convert"), "text alone");
    ok(is_same("%s", "") && is_same("%s", "text") && is_same("a %s, %s%s.", "b", "", "c"), "texts");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        good &= is_same("%u", numbers[i]) && is_same("at [%u] is 0x%x;", numbers[i], numbers[i]) &&
                is_same("%d and %d", (int)numbers[i], -(int)(numbers[i] / 2));
    ok(good, "whole numbers");
    ok(is_same("%d", -2147483647 - 1), "the least int");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        good &= is_same("%llu.", (unsigned long long)numbers[i]) && is_same("%llu bytes", numbers[i] * 4294967297ull) &&
                is_same("%llu", 18446744073709551615ull - numbers[i]) &&
                is_same("%llu", 4294967296ull * 10 + numbers[i]);
    ok(good, "numbers of 64 bits");
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        good &= is_same("is %g, not", reals[i]);
    ok(good && is_same("%g %g %g", (double)INFINITY, -(double)INFINITY, (double)NAN), "real numbers");
    ok(is_same("%%") && is_same("100%% of %u%%", 5u), "percent signs");
    ok(is_same("%s.Strides[%u] is %u, within the %llu elements%s", "OutputTensor", 2u, 77u, 12345678901ull, "."),
       "all together");
}

/* Returns a text as a sentence has it that consists of this text alone. */
static const char *written(const char *text)
{
    static char sentence[ROOM];
    (void)REJECT(&reader, "%s", text);
    descriptor_message(&why, sentence, sizeof sentence);
    return sentence;
}

/* Macros that write every text to the same slot. */
#define text_of_sizes(...) (why.text_count = 0, written(descriptor_text_of_sizes(&reader, __VA_ARGS__)))
#define text_of_types(...) (why.text_count = 0, written(descriptor_text_of_types(&reader, __VA_ARGS__)))
#define text_of_level(...) (why.text_count = 0, written(descriptor_text_of_level(&reader, __VA_ARGS__)))
#define text_of_type(...) (why.text_count = 0, written(descriptor_text_of_type(&reader, __VA_ARGS__)))

static void test_texts(void)
{
    static const uint32_t sizes[] = {0, 1, 23, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295};
    ok(!strcmp(text_of_sizes(sizes, 0), "{}") && !strcmp(text_of_sizes(sizes, 1), "{0}") &&
           !strcmp(text_of_sizes(sizes, 3), "{0,1,23}") &&
           !strcmp(text_of_sizes(sizes, 8), "{0,1,23,4294967295,4294967295,4294967295,4294967295,4294967295}"),
       "sizes");
    ok(!strcmp(text_of_types(0), "") && !strcmp(text_of_types(2), "FLOAT32") &&
           !strcmp(text_of_types(1 << DML_TENSOR_DATA_TYPE_FLOAT16 | 1 << DML_TENSOR_DATA_TYPE_INT4), "FLOAT16, INT4"),
       "sets of types");
    ok(strstr(text_of_types(UINT32_MAX), "UINT4, INT4") != NULL, "all types");
    ok(!strcmp(text_of_level(DML_FEATURE_LEVEL_1_0), "1_0") && !strcmp(text_of_level(DML_FEATURE_LEVEL_6_4), "6_4") &&
           !strcmp(text_of_level((DML_FEATURE_LEVEL)0x12f00), "18_15"),
       "levels");
    ok(!strcmp(text_of_type(DML_TENSOR_DATA_TYPE_FLOAT32), "FLOAT32") &&
           !strcmp(text_of_type(4294967295), "4294967295, which is not a data type"),
       "types");
    why.text_count = 0;
    const char *type = descriptor_text_of_type(&reader, 77),
               *level = descriptor_text_of_level(&reader, DML_FEATURE_LEVEL_5_2),
               *types = descriptor_text_of_types(&reader, 6);
    (void)REJECT(&reader, "%s: %s, %s", type, level, types);
    snprintf(expected, sizeof expected, "77, which is not a data type: 5_2, FLOAT32, FLOAT16");
    ok(is_as_expected(), "three texts in one sentence: %s", expected);
}

static int any(DML_OPERATOR_TYPE type)
{
    (void)type;
    return 1;
}

/* Checks the sentence about an element of an array, which is put together when the name of the element is gone. */
static void test_element_names(void)
{
    static struct descriptor out;
    const UINT sizes[] = {1, 1, 1, 1};
    const DML_BUFFER_TENSOR_DESC good = {.DataType = DML_TENSOR_DATA_TYPE_FLOAT32,
                                         .DimensionCount = 4,
                                         .Sizes = sizes,
                                         .TotalTensorSizeInBytes = 4},
                                 bad = {.DataType = DML_TENSOR_DATA_TYPE_FLOAT32, .DimensionCount = 4};
    const DML_TENSOR_DESC inputs[] = {{DML_TENSOR_TYPE_BUFFER, &good}, {DML_TENSOR_TYPE_BUFFER, &bad}};
    const DML_JOIN_OPERATOR_DESC join = {.InputCount = 2, .InputTensors = inputs, .OutputTensor = inputs};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_JOIN, &join};
    char message[64] = "";
    ok(descriptor_validate(&desc, DML_FEATURE_LEVEL_6_4, any, &out, &why) == E_INVALIDARG, "a list of two tensors");
    descriptor_message(&why, message, sizeof message);
    ok(!strcmp(message, "InputTensors[1].Sizes is null."), "%s", message);
    ok(descriptor_read(&desc, DML_FEATURE_LEVEL_6_4, any, &out, message, 16) == E_INVALIDARG &&
           !strcmp(message, "InputTensors[1]"),
       "in a short room: %s", message);
    ok(descriptor_validate(&desc, DML_FEATURE_LEVEL_6_4, any, &out, NULL) == E_INVALIDARG, "nobody reads it");
}

/* Reads a description, with room for a message of so many bytes. Returns whether the result and a part of the message
 * are as expected. */
static int reads_as(const DML_OPERATOR_DESC *desc, HRESULT result, char *message, size_t room, const char *part)
{
    static struct descriptor out;
    return descriptor_read(desc, DML_FEATURE_LEVEL_6_4, descriptor_is_indexed, &out, message, room) == result &&
           (!message || strstr(message, part));
}

static void test_no_description(void)
{
    char message[64] = "";
    DML_OPERATOR_DESC desc = {.Type = DML_OPERATOR_INVALID};
    ok(reads_as(NULL, E_INVALIDARG, message, sizeof message, "description is null"), "no description: %s", message);
    ok(reads_as(&desc, E_INVALIDARG, message, sizeof message, "type 0"), "type INVALID: %s", message);
    desc.Type = (DML_OPERATOR_TYPE)178;
    ok(reads_as(&desc, E_INVALIDARG, message, sizeof message, "type 178"), "type past the last: %s", message);
    desc.Type = DML_OPERATOR_UNFOLD;
    ok(reads_as(&desc, DXGI_ERROR_UNSUPPORTED, message, sizeof message, "type 177"), "the last type: %s", message);
    desc.Type = DML_OPERATOR_GATHER;
    ok(reads_as(&desc, E_INVALIDARG, message, sizeof message, "null Desc"), "no Desc: %s", message);
    ok(reads_as(&desc, E_INVALIDARG, NULL, 0, ""), "without a message buffer");
    strcpy(message, "kept");
    ok(reads_as(&desc, E_INVALIDARG, message, 0, "kept"), "no room for a message");
    ok(reads_as(&desc, E_INVALIDARG, message, 2, "") && !message[1], "room for one letter");
}

int main(void)
{
    test_no_description();
    test_conversions();
    test_texts();
    test_element_names();
    return tap_done();
}
