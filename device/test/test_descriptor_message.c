/* test_descriptor_message.c: descriptor_write() writes what vsnprintf() does, however small the room. */
#include "device/common/descriptor_internal.h"
#include "tools/tap.h"

#include <math.h>
#include <string.h>

enum { ROOM = 160 };

/* Whether both write the same into rooms of every size, and leave the bytes after the zero and after the room alone. */
__attribute__((format(printf, 1, 2))) static int is_same(const char *format, ...)
{
    char expected[ROOM], got[ROOM];
    for (size_t size = 1; size < ROOM; size++) {
        va_list arguments;
        memset(expected, '#', sizeof expected);
        memset(got, '#', sizeof got);
        va_start(arguments, format);
        vsnprintf(expected, size, format, arguments);
        va_end(arguments);
        va_start(arguments, format);
        descriptor_write(got, size, format, arguments);
        va_end(arguments);
        if (strcmp(got, expected) != 0 || got[size] != '#') {
            note("in %zu bytes: \"%.*s\", expected \"%s\"", size, ROOM, got, expected);
            return 0;
        }
    }
    return 1;
}

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

static void test_texts(void)
{
    static const uint32_t sizes[] = {0, 1, 23, 4294967295, 4294967295, 4294967295, 4294967295, 4294967295};
    ok(!strcmp(descriptor_text_of_sizes(sizes, 0).at, "{}") && !strcmp(descriptor_text_of_sizes(sizes, 1).at, "{0}") &&
           !strcmp(descriptor_text_of_sizes(sizes, 3).at, "{0,1,23}") &&
           !strcmp(descriptor_text_of_sizes(sizes, 8).at,
                   "{0,1,23,4294967295,4294967295,4294967295,4294967295,4294967295}"),
       "sizes");
    ok(!strcmp(descriptor_text_of_types(0).at, "") && !strcmp(descriptor_text_of_types(2).at, "FLOAT32") &&
           !strcmp(descriptor_text_of_types(1 << DML_TENSOR_DATA_TYPE_FLOAT16 | 1 << DML_TENSOR_DATA_TYPE_INT4).at,
                   "FLOAT16, INT4"),
       "sets of types");
    ok(strstr(descriptor_text_of_types(UINT32_MAX).at, "UINT4, INT4") != NULL, "all types: %s",
       descriptor_text_of_types(UINT32_MAX).at);
    ok(!strcmp(descriptor_text_of_level(DML_FEATURE_LEVEL_1_0).at, "1_0") &&
           !strcmp(descriptor_text_of_level(DML_FEATURE_LEVEL_6_4).at, "6_4") &&
           !strcmp(descriptor_text_of_level((DML_FEATURE_LEVEL)0x12f00).at, "18_15"),
       "levels");
    ok(!strcmp(descriptor_text_of_type(DML_TENSOR_DATA_TYPE_FLOAT32).at, "FLOAT32") &&
           !strcmp(descriptor_text_of_type(4294967295).at, "4294967295, which is not a data type"),
       "types");
}

int main(void)
{
    test_conversions();
    test_texts();
    return tap_done();
}
