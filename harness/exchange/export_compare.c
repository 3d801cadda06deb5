#include "harness/exchange/export_compare.h"

#include "harness/base/datatype.h"
#include "harness/trial/computed.h"
#include "harness/trial/interpretation.h"

#include <inttypes.h>
#include <string.h>

/* ---- text that files have */

static const char element_text[] =
    "/* The bits of element `n`, row-major. Two elements of 4 bits share a byte, the first is in its low half. */\n"
    "static uint64_t element(const DML_BUFFER_TENSOR_DESC *t, unsigned bits, const void *data, uint64_t n)\n"
    "{\n"
    "    uint64_t at = 0, packed = 1, element = 0;\n"
    "    for (UINT d = t->DimensionCount; d-- > 0;) {\n"
    "        at += n % t->Sizes[d] * (t->Strides ? t->Strides[d] : packed);\n"
    "        n /= t->Sizes[d];\n"
    "        packed *= t->Sizes[d];\n"
    "    }\n"
    "    if (bits < 8)\n"
    "        return ((const uint8_t *)data)[at / 2] >> at % 2 * 4 & 15;\n"
    "    memcpy(&element, (const char *)data + at * (bits / 8), bits / 8);\n"
    "    return element;\n"
    "}\n"
    "\n";

static const char compare_text[] =
    "/* Compares the first `count` elements, row-major. Returns 1 if one is wrong. NaNs with another payload and "
    "float32\n"
    " * denormals that were flushed to zero are only reported. */\n"
    "static int compare(const char *name, const DML_BUFFER_TENSOR_DESC *t, unsigned bits, int is_float, const void "
    "*got,\n"
    "                   const void *expected, uint64_t count)\n"
    "{\n"
    "    uint64_t exponents = bits == 16 ? 0x7c00 : bits == 32 ? 0x7f800000 : 0x7ff0000000000000;\n"
    "    uint64_t sign = (uint64_t)1 << (bits - 1);\n"
    "    for (uint64_t n = 0; n < count; n++) {\n"
    "        uint64_t g = element(t, bits, got, n), e = element(t, bits, expected, n);\n"
    "        if (g == e)\n"
    "            continue;\n"
    "        int nans = (g & ~sign) > exponents && (e & ~sign) > exponents;\n"
    "        int flushed = bits == 32 && (e & exponents) == 0 && (g & ~sign) == 0;\n"
    "        int soft = is_float && (nans || flushed);\n"
    "        printf(\"%s: element %llu of %s is 0x%llx, expected 0x%llx\\n\", soft ? \"warn\" : \"fail\",\n"
    "               (unsigned long long)n, name, (unsigned long long)g, (unsigned long long)e);\n"
    "        if (!soft)\n"
    "            return 1;\n"
    "    }\n"
    "    return 0;\n"
    "}\n"
    "\n";

static const char range_text[] =
    "/* Further numbers that are right for an element: from `low` to `high`, given by their bits.\n"
    " * If these are NaNs, every NaN is right. */\n"
    "struct range {\n"
    "    uint64_t element, low, high;\n"
    "};\n"
    "\n";

static const char compare_ranges_text[] =
    "enum kind { UNSIGNED_INTEGER, SIGNED_INTEGER, FLOATING_POINT };\n"
    "\n"
    "static int is_nan(unsigned bits, uint64_t number)\n"
    "{\n"
    "    uint64_t exponents = bits == 16 ? 0x7c00 : bits == 32 ? 0x7f800000 : 0x7ff0000000000000;\n"
    "    return (number & (((uint64_t)1 << (bits - 1)) - 1)) > exponents;\n"
    "}\n"
    "\n"
    "/* The bits of a number as an integer that grows with the number. Both zeros have the same one. */\n"
    "static uint64_t order(enum kind kind, unsigned bits, uint64_t number)\n"
    "{\n"
    "    uint64_t sign = (uint64_t)1 << (bits - 1);\n"
    "    if (kind == UNSIGNED_INTEGER)\n"
    "        return number;\n"
    "    if (kind == SIGNED_INTEGER)\n"
    "        return number ^ sign;\n"
    "    return number & sign ? sign - (number ^ sign) : sign + number;\n"
    "}\n"
    "\n"
    "static int is_in(const struct range *range, enum kind kind, unsigned bits, uint64_t number)\n"
    "{\n"
    "    if (kind == FLOATING_POINT && (is_nan(bits, number) || is_nan(bits, range->low)))\n"
    "        return is_nan(bits, number) && is_nan(bits, range->low);\n"
    "    return order(kind, bits, range->low) <= order(kind, bits, number) &&\n"
    "           order(kind, bits, number) <= order(kind, bits, range->high);\n"
    "}\n"
    "\n"
    "/* Compares the first `count` elements, row-major. Returns 1 if one is neither as expected nor in a range. The "
    "ranges\n"
    " * are in the order of their elements. */\n"
    "static int compare_ranges(const char *name, const DML_BUFFER_TENSOR_DESC *t, enum kind kind, unsigned bits, const "
    "void *got,\n"
    "                          const void *expected, uint64_t count, const struct range *ranges, uint64_t "
    "range_count)\n"
    "{\n"
    "    for (uint64_t n = 0, r = 0; n < count; n++) {\n"
    "        uint64_t g = element(t, bits, got, n), e = element(t, bits, expected, n);\n"
    "        int right = g == e;\n"
    "        for (; r < range_count && ranges[r].element == n; r++)\n"
    "            right |= is_in(&ranges[r], kind, bits, g);\n"
    "        if (right)\n"
    "            continue;\n"
    "        printf(\"fail: element %llu of %s is 0x%llx, expected 0x%llx or what %s_ranges allows\\n\", (unsigned "
    "long "
    "long)n,\n"
    "               name, (unsigned long long)g, (unsigned long long)e, name);\n"
    "        return 1;\n"
    "    }\n"
    "    return 0;\n"
    "}\n"
    "\n";

static const char same_text[] = "/* Returns true if the first `count` elements are as expected, bit for bit. */\n"
                                "static int is_same(const DML_BUFFER_TENSOR_DESC *t, unsigned bits, const void *got, "
                                "const void *expected, uint64_t "
                                "count)\n"
                                "{\n"
                                "    uint64_t n = 0;\n"
                                "    while (n < count && element(t, bits, got, n) == element(t, bits, expected, n))\n"
                                "        n++;\n"
                                "    return n == count;\n"
                                "}\n"
                                "\n";

/* ---- what is right */

static struct computed_output export_compare_output_of(const struct export *e, int item)
{
    return (struct computed_output){.spec = e->c.spec,
                                    .desc = e->c.desc,
                                    .item = item,
                                    .tensors = (const uint8_t *const *)e->tensors,
                                    .rule = e->c.rule};
}

struct listing {
    struct export_comparison *comparison;
    const uint8_t *expected;
    FILE *out; /* null: only counts */
};

/* Returns true if only the expected bits are right. */
static bool is_exact(const struct accept_ranges *right, uint64_t expected)
{
    const struct accept_range *first = right->list;
    bool zero = datatype_of(right->type)->is_float && (expected << (64 - datatype_of(right->type)->bits + 1)) == 0;
    return right->count == 1 && !zero && first->low == expected && first->high == expected &&
           !datatype_is_nan(right->type, expected);
}

/* Writes the value of a number without its bits. */
static void export_compare_print_value(unsigned type, uint64_t bits, char *text, size_t size)
{
    datatype_print(type, &bits, text, size);
    text[strcspn(text, " ")] = '\0';
}

static void print_range(const struct listing *l, uint64_t number, unsigned type, const struct accept_range *range)
{
    int digits = (int)elements_bytes(datatype_of(type)->bits, 1) * 2;
    char low[64], high[64];
    export_compare_print_value(type, range->low, low, sizeof low);
    export_compare_print_value(type, range->high, high, sizeof high);
    fprintf(l->out, "    {%" PRIu64 ", 0x%0*" PRIx64 ", 0x%0*" PRIx64 "}, /* ", number, digits, range->low, digits,
            range->high);
    if (datatype_is_nan(type, range->low))
        fprintf(l->out, "any NaN */\n");
    else if (range->low == range->high)
        fprintf(l->out, "%s */\n", low);
    else
        fprintf(l->out, "from %s to %s */\n", low, high);
}

static void list_ranges(void *context, uint64_t number, uint64_t offset, const struct accept_ranges *right)
{
    struct listing *l = context;
    l->comparison->type = right->type;
    if (is_exact(right, element_get(datatype_of(right->type)->bits, l->expected, offset)))
        return;
    l->comparison->range_count += (uint64_t)right->count;
    for (int i = 0; l->out && i < right->count; i++)
        print_range(l, number, right->type, &right->list[i]);
}

struct export_comparison export_comparison_of(const struct export *e, int item)
{
    struct computed_output output = export_compare_output_of(e, item);
    struct export_comparison comparison = {.type = e->c.desc->items[item].tensor.data_type};
    struct listing l = {.comparison = &comparison, .expected = e->tensors[item]};
    if (!computed_applies(e->c.spec) || interpretation_applies(&e->c))
        return comparison;
    comparison.depends = computed_depends(&output);
    computed_each_range(&output, list_ranges, &l);
    return comparison;
}

/* ---- printing */

void export_comparison_functions(FILE *out, const struct export_comparison comparisons[], int count)
{
    bool exact = false, ranged = false, depends = false;
    for (int i = 0; i < count; i++) {
        ranged |= comparisons[i].range_count > 0;
        exact |= comparisons[i].range_count == 0;
        depends |= comparisons[i].depends;
    }
    fprintf(out, "%s%s%s%s", element_text, exact ? compare_text : "", ranged ? compare_ranges_text : "",
            depends ? same_text : "");
}

void export_comparison_type(FILE *out)
{
    fputs(range_text, out);
}

void export_comparison_data(FILE *out, const struct export *e, int item, const char *name)
{
    struct computed_output output = export_compare_output_of(e, item);
    struct export_comparison ignored = {0};
    struct listing l = {.comparison = &ignored, .expected = e->tensors[item], .out = out};
    fprintf(out, "static const struct range %s_ranges[] = {\n", name);
    computed_each_range(&output, list_ranges, &l);
    fprintf(out, "};\n");
}

static const char *kind_of_number(const struct datatype *type)
{
    if (type->is_float)
        return "FLOATING_POINT";
    return type->is_signed ? "SIGNED_INTEGER" : "UNSIGNED_INTEGER";
}

void export_comparison_call(FILE *out, const struct export *e, int item, const char *name, const char *buffer,
                            const struct export_comparison *comparison)
{
    const struct datatype *type = datatype_of(comparison->type);
    if (comparison->range_count == 0)
        fprintf(out, "compare(\"%s\", &%s_buffer, %u, %d, %s_data, %s_expected, %u)", e->c.spec->tensor_names[item],
                buffer, type->bits, type->is_float, name, name, e->literals[item].count);
    else
        fprintf(out, "compare_ranges(\"%s\", &%s_buffer, %s, %u, %s_data, %s_expected, %u, %s_ranges, %" PRIu64 ")",
                e->c.spec->tensor_names[item], buffer, kind_of_number(type), type->bits, name, name,
                e->literals[item].count, name, comparison->range_count);
}
