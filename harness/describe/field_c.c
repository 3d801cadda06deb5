/* field_c.c: members of a description as C source: declarations, and the initialisers that use them. */
#include "harness/describe/field_internal.h"

#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/spec/catalogue.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NAME_SIZE = 160 };

/* A NaN loses its payload. */
static void print_float(float value, FILE *out)
{
    char text[32];
    if (isnan(value) || isinf(value)) {
        fprintf(out, "%s%s", signbit(value) ? "-" : "", isnan(value) ? "NAN" : "INFINITY");
        return;
    }
    snprintf(text, sizeof text, "%.9g", (double)value);
    fprintf(out, "%s%sf", text, strpbrk(text, ".e") ? "" : ".0");
}

/* ---- tensors */

static void print_sizes(FILE *out, const char *name, const char *what, const uint32_t *list, uint32_t count)
{
    fprintf(out, "static const UINT %s_%s[] = {", name, what);
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%u", i ? ", " : "", list[i]);
    fprintf(out, "%s};\n", count ? "" : "0");
}

static void print_buffer(FILE *out, const char *name, const struct opdesc_tensor *t)
{
    if (t->has_sizes)
        print_sizes(out, name, "sizes", t->sizes, t->dims);
    if (t->has_strides)
        print_sizes(out, name, "strides", t->strides, t->dims);
    fprintf(out, "static const DML_BUFFER_TENSOR_DESC %s_buffer = {\n", name);
    if (t->data_type < DATATYPE_COUNT)
        fprintf(out, "    .DataType = DML_TENSOR_DATA_TYPE_%s,\n", datatype_of(t->data_type)->name);
    else
        fprintf(out, "    .DataType = (DML_TENSOR_DATA_TYPE)%uu,\n", t->data_type);
    fprintf(out, "    .Flags = (DML_TENSOR_FLAGS)%uu,\n    .DimensionCount = %u,\n", t->flags, t->dims);
    if (t->has_sizes)
        fprintf(out, "    .Sizes = %s_sizes,\n", name);
    if (t->has_strides)
        fprintf(out, "    .Strides = %s_strides,\n", name);
    fprintf(out, "    .TotalTensorSizeInBytes = %lluu,\n    .GuaranteedBaseOffsetAlignment = %uu,\n};\n",
            (unsigned long long)t->total, t->alignment);
}

void field_declare_c_tensor(const struct field_ref *ref, const char *name, FILE *out)
{
    const struct opdesc_tensor *t = ref->desc ? &field_items(ref)->tensor : NULL;
    if (!t) {
        if (field_given(ref))
            fprintf(out,
                    "static const UINT %s_sizes[] = {1};\n"
                    "static const DML_BUFFER_TENSOR_DESC %s_buffer = {.DataType = DML_TENSOR_DATA_TYPE_FLOAT32, "
                    ".DimensionCount = 1, .Sizes = %s_sizes, .TotalTensorSizeInBytes = 4};\n"
                    "static const DML_TENSOR_DESC %s = {DML_TENSOR_TYPE_BUFFER, &%s_buffer};\n",
                    name, name, name, name, name);
    } else if (t->present) {
        print_buffer(out, name, t);
        fprintf(out, "static const DML_TENSOR_DESC %s = {(DML_TENSOR_TYPE)%uu, &%s_buffer};\n", name, t->type, name);
    }
}

void field_initialise_c_tensor(const struct field_ref *ref, const char *name, FILE *out)
{
    bool given = ref->desc ? field_items(ref)->tensor.present : field_given(ref);
    fprintf(out, given ? "&%s" : "NULL", name);
}

/* Declares 256 zeros as the target of a pointer, since a nested description keeps only that the pointer is not null. */
static bool declare_zeros(const struct field_ref *ref, const char *name, FILE *out)
{
    if (!ref->desc && field_given(ref))
        fprintf(out, "static const uint64_t %s[32];\n", name);
    return !ref->desc || !field_given(ref);
}

void field_declare_c_tensors(const struct field_ref *ref, const char *name, FILE *out)
{
    char element[NAME_SIZE];
    unsigned count = ref->desc ? field_count(ref) : 0;
    if (declare_zeros(ref, name, out))
        return;
    for (unsigned i = 0; i < count; i++) {
        snprintf(element, sizeof element, "%.120s_%u", name, i);
        if (field_items(ref)[i].tensor.present)
            print_buffer(out, element, &field_items(ref)[i].tensor);
    }
    fprintf(out, "static const DML_TENSOR_DESC %s[] = {\n", name);
    for (unsigned i = 0; i < count; i++)
        if (field_items(ref)[i].tensor.present)
            fprintf(out, "    {(DML_TENSOR_TYPE)%uu, &%s_%u_buffer},\n", field_items(ref)[i].tensor.type, name, i);
        else
            fprintf(out, "    {DML_TENSOR_TYPE_INVALID, NULL},\n");
    fprintf(out, "%s};\n", count ? "" : "    {DML_TENSOR_TYPE_INVALID, NULL}\n");
}

/* ---- numbers */

void field_initialise_c_uint(const struct field_ref *ref, const char *name, FILE *out)
{
    (void)name;
    fprintf(out, "%uu", (unsigned)field_value(ref)->number);
}

void field_initialise_c_int(const struct field_ref *ref, const char *name, FILE *out)
{
    (void)name;
    fprintf(out, field_value(ref)->number == INT32_MIN ? "(-2147483647 - 1)" : "%d", (int)field_value(ref)->number);
}

void field_initialise_c_enum(const struct field_ref *ref, const char *name, FILE *out)
{
    const struct spec_enum *constants = ref->fields[ref->at].constants;
    const char *constant = spec_constant_name(constants, field_value(ref)->number);
    (void)name;
    if (constant)
        fprintf(out, "%s_%s", constants->name, constant);
    else
        fprintf(out, "(%s)%uu", constants->name, (unsigned)field_value(ref)->number);
}

void field_initialise_c_float(const struct field_ref *ref, const char *name, FILE *out)
{
    (void)name;
    print_float(field_value(ref)->real, out);
}

void field_initialise_c_size_2d(const struct field_ref *ref, const char *name, FILE *out)
{
    (void)name;
    fprintf(out, "{%uu, %uu}", field_size_2d(ref)[0], field_size_2d(ref)[1]);
}

void field_initialise_c_scalar(const struct field_ref *ref, const char *name, FILE *out)
{
    (void)name;
    fprintf(out, "{{");
    for (int i = 0; i < 8; i++)
        fprintf(out, "%s0x%02x", i ? ", " : "", field_value(ref)->bytes[i]);
    fprintf(out, "}}");
}

/* ---- arrays and pointers */

void field_declare_c_list(const struct field_ref *ref, const char *name, FILE *out)
{
    bool is_signed = field_value(ref)->place.is_signed;
    if (declare_zeros(ref, name, out))
        return;
    fprintf(out, "static const %s %s[] = {", is_signed ? "INT" : "UINT", name);
    for (unsigned i = 0; i < field_count(ref); i++)
        fprintf(out, "%s%" PRId64, i ? ", " : "", opdesc_entry(ref->desc, ref->at, i));
    fprintf(out, "%s};\n", field_count(ref) ? "" : "0");
}

void field_declare_c_floats(const struct field_ref *ref, const char *name, FILE *out)
{
    if (declare_zeros(ref, name, out))
        return;
    fprintf(out, "static const FLOAT %s[] = {", name);
    for (unsigned i = 0; i < field_count(ref); i++) {
        float value;
        memcpy(&value, &field_items(ref)->list[i], sizeof value);
        fprintf(out, "%s", i ? ", " : "");
        print_float(value, out);
    }
    fprintf(out, "%s};\n", field_count(ref) ? "" : "0");
}

void field_declare_c_scale_bias(const struct field_ref *ref, const char *name, FILE *out)
{
    if (!field_given(ref))
        return;
    fprintf(out, "static const DML_SCALE_BIAS %s = {", name);
    print_float(field_value(ref)->scale_bias.scale, out);
    fprintf(out, ", ");
    print_float(field_value(ref)->scale_bias.bias, out);
    fprintf(out, "};\n");
}

void field_initialise_c_scale_bias(const struct field_ref *ref, const char *name, FILE *out)
{
    fprintf(out, field_given(ref) ? "&%s" : "NULL", name);
}

void field_initialise_c_list(const struct field_ref *ref, const char *name, FILE *out)
{
    if (field_given(ref))
        fprintf(out, "%s%s", ref->desc ? "" : "(const void *)", name);
    else
        fprintf(out, "NULL");
}

/* ---- descriptions within a description */

static void declare_nested(const struct field_ref *outer, const struct opdesc_nested *nested, const char *name,
                           FILE *out)
{
    const struct spec_layout *layout = field_nested_layout(outer, nested);
    struct field_ref ref = {0};
    char member[NAME_SIZE];
    for (int i = 0; layout && i < field_nested_count(layout); i++) {
        ref = field_ref_nested(outer, layout, nested, i);
        snprintf(member, sizeof member, "%.80s_%.70s", name, layout->fields[i].name);
        if (field_kind(&ref)->declare_c)
            field_kind(&ref)->declare_c(&ref, member, out);
    }
    if (!nested->has_desc)
        return;
    if (!layout) {
        fprintf(out, "static const uint64_t %s_desc[%d];\n", name, OPDESC_MAX_FIELDS);
        return;
    }
    fprintf(out, "static const DML_%s_OPERATOR_DESC %s_desc = {\n", layout->struct_name, name);
    for (int i = 0; i < field_nested_count(layout); i++) {
        ref = field_ref_nested(outer, layout, nested, i);
        snprintf(member, sizeof member, "%.80s_%.70s", name, layout->fields[i].name);
        fprintf(out, "    .%s = ", layout->fields[i].name);
        field_kind(&ref)->initialise_c(&ref, member, out);
        fprintf(out, ",\n");
    }
    fprintf(out, "};\n");
}

void field_declare_c_operators(const struct field_ref *ref, const char *name, FILE *out)
{
    char element[NAME_SIZE];
    if (declare_zeros(ref, name, out))
        return;
    for (unsigned i = 0; i < field_count(ref); i++) {
        snprintf(element, sizeof element, "%.120s_%u", name, i);
        declare_nested(ref, &field_items(ref)[i].nested, element, out);
    }
    fprintf(out, "static const DML_OPERATOR_DESC %s[] = {\n", name);
    for (unsigned i = 0; i < field_count(ref); i++) {
        const struct opdesc_nested *nested = &field_items(ref)[i].nested;
        const char *type = dml_operator_name((DML_OPERATOR_TYPE)nested->type);
        if (type)
            fprintf(out, "    {DML_OPERATOR_%s, ", type);
        else
            fprintf(out, "    {(DML_OPERATOR_TYPE)%uu, ", nested->type);
        fprintf(out, nested->has_desc ? "&%s_%u_desc},\n" : "NULL},\n", name, i);
    }
    fprintf(out, "%s};\n", field_count(ref) ? "" : "    {DML_OPERATOR_INVALID, NULL}\n");
}
