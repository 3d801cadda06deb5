/* Exports a case as one C file that runs it on a device library, for bug reports and debuggers. */
#include "harness/exchange/export_c.h"

#include "harness/base/datatype.h"
#include "harness/spec/catalogue.h"
#include "harness/describe/field_kind.h"
#include "harness/trial/interpretation.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Text that every file has, before and after the data of the case. */
static const char head[] = "#include \"device.h\"\n"
                           "\n"
                           "#include <dlfcn.h>\n"
                           "#include <math.h>\n"
                           "#include <stdio.h>\n"
                           "#include <string.h>\n"
                           "\n";

static const char open_device[] =
    "static const assay_device_api *api;\n"
    "static assay_device *device;\n"
    "\n"
    "/* LIBRARY[:ARGUMENTS] */\n"
    "static int open_device(char *library)\n"
    "{\n"
    "    const assay_device_api *(*entry)(uint32_t abi);\n"
    "    char message[512] = \"\", *colon = strchr(library, ':');\n"
    "    assay_device_config config = {.size = sizeof config, .arguments = colon ? colon + 1 : \"\"};\n"
    "    if (colon)\n"
    "        *colon = '\\0';\n"
    "    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL), *symbol = handle ? dlsym(handle, "
    "\"assay_device_entry\") : NULL;\n"
    "    memcpy(&entry, &symbol, sizeof entry);\n"
    "    api = symbol ? entry(ASSAY_DEVICE_ABI) : NULL;\n"
    "    if (!api || FAILED(api->create_device(&config, &device, message, sizeof message)))\n"
    "        printf(\"fail: %s: %s\\n\", library, handle ? message : dlerror());\n"
    "    return !device;\n"
    "}\n"
    "\n";

static const char failed[] =
    "static int failed(const char *what, HRESULT status, const char *message)\n"
    "{\n"
    "    printf(\"fail: %s returned 0x%08x: %s\\n\", what, (unsigned)status, *message ? message : "
    "api->message(device));\n"
    "    return 1;\n"
    "}\n"
    "\n";

static const char *usage = "    if (argc != 2)\n"
                           "        return fprintf(stderr, \"usage: %s LIBRARY[:ARGUMENTS]\\n\", argv[0]), 2;\n"
                           "    if (open_device(argv[1]))\n"
                           "        return 1;\n";

/* ---- the data of the case */

void export_c_words(FILE *out, const uint8_t *data, uint64_t total, unsigned bytes)
{
    uint64_t count = (total + bytes - 1) / bytes;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t word = 0;
        memcpy(&word, data + i * bytes, i * bytes + bytes <= total ? bytes : total - i * bytes);
        fprintf(out, "%s0x%0*" PRIx64 ",", i % 8 ? " " : "\n    ", (int)bytes * 2, word);
    }
    fprintf(out, "\n};\n");
}

const char *export_c_name(const struct spec *spec, const char *start, int item, char name[EXPORT_NAME_SIZE])
{
    const struct spec_field *field = spec_tensor_field(spec, item);
    if (field_kinds[field->kind].is_array)
        snprintf(name, EXPORT_NAME_SIZE, "%s%s_%d", start ? start : "", field->name,
                 item - spec_item(spec, spec->tensor_fields[item]));
    else
        snprintf(name, EXPORT_NAME_SIZE, "%s%s", start ? start : "", field->name);
    return name;
}

/* Writes the name of the data of a tensor. */
static const char *export_c_name_of(const struct export *e, int item, char name[EXPORT_NAME_SIZE])
{
    return export_c_name(e->c.spec, e->item, item, name);
}

unsigned export_c_bits(const struct opdesc_tensor *t)
{
    return (unsigned)elements_bytes(datatype_of(t->data_type)->bits, 1) * 8;
}

static void export_c_print_data(FILE *out, const struct export *e, int item)
{
    char text[EXPORT_NAME_SIZE];
    const struct opdesc_tensor *t = &e->c.desc->items[item].tensor;
    unsigned bytes = export_c_bits(t) / 8;
    const char *name = export_c_name_of(e, item, text);
    uint32_t alignment = t->alignment > 16 ? t->alignment : 16;
    bool input = field_is_input(spec_tensor_field(e->c.spec, item));
    fprintf(out, "static _Alignas(%u) uint%u_t %s_%s[] = {", alignment, bytes * 8, name, input ? "data" : "expected");
    export_c_words(out, e->tensors[item], t->total, bytes);
    if (!input)
        fprintf(out, "static _Alignas(%u) uint%u_t %s_data[sizeof %s_expected / %u];\n", alignment, bytes * 8, name,
                name, bytes);
}

/* Prints the enumerations of an operator of one's own: the catalogue's begin with DML_, and are in dml.h. */
static void declare_own_enums(FILE *out, const struct spec_layout *layout)
{
    for (int i = 0; i < layout->field_count; i++) {
        const struct spec_enum *constants = layout->fields[i].constants;
        if (!constants || strncmp(constants->name, "DML_", 4) == 0)
            continue;
        fprintf(out, "#ifndef HAS_%s\n#define HAS_%s\ntypedef enum %s {", constants->name, constants->name,
                constants->name);
        for (int c = 0; c < constants->count; c++)
            fprintf(out, "%s\n    %s_%s = %u", c ? "," : "", constants->name, constants->constants[c].name,
                    constants->constants[c].value);
        fprintf(out, "\n} %s;\n#endif\n", constants->name);
    }
}

void export_c_own_struct(FILE *out, const struct spec_layout *layout)
{
    if (!catalogue_is_own((uint32_t)layout->type))
        return;
    fprintf(out, "\n");
    declare_own_enums(out, layout);
    fprintf(out, "#ifndef DML_OPERATOR_%s\n#define DML_OPERATOR_%s ((DML_OPERATOR_TYPE)%u)\n", layout->name,
            layout->name, (unsigned)layout->type);
    fprintf(out, "typedef struct DML_%s_OPERATOR_DESC {\n", layout->struct_name);
    for (int i = 0; i < layout->field_count; i++) {
        const struct spec_field *field = &layout->fields[i];
        fprintf(out, "    %s%s%s;\n", field->constants ? field->constants->name : field_kinds[field->kind].c_type,
                field->constants ? " " : "", field->name);
    }
    fprintf(out, "} DML_%s_OPERATOR_DESC;\n#endif\n", layout->struct_name);
}

void export_c_description(FILE *out, const struct spec *spec, const struct opdesc *desc, const char *start)
{
    const struct spec_layout *layout = catalogue_layout(spec->catalogue, (uint32_t)spec->type);
    struct field_ref ref = field_ref(spec, desc, 0);
    char name[EXPORT_NAME_SIZE];
    for (; ref.at < spec->field_count; ref.at++) {
        snprintf(name, sizeof name, "%s%s", start, spec->fields[ref.at].name);
        if (field_kind(&ref)->declare_c)
            field_kind(&ref)->declare_c(&ref, name, out);
    }
    export_c_own_struct(out, layout);
    fprintf(out, "\nstatic const DML_%s_OPERATOR_DESC %sdesc = {\n", layout->struct_name, start);
    for (ref.at = 0; ref.at < spec->field_count; ref.at++) {
        snprintf(name, sizeof name, "%s%s", start, spec->fields[ref.at].name);
        fprintf(out, "    .%s = ", spec->fields[ref.at].name);
        field_kind(&ref)->initialise_c(&ref, name, out);
        fprintf(out, ",\n");
    }
    fprintf(out, "};\nstatic const DML_OPERATOR_DESC %sop_desc = {DML_OPERATOR_%s, &%sdesc};\n\n", start, spec->name,
            start);
}

/* Returns the number of bindings. */
static int export_c_print_bindings(FILE *out, const struct testcase *c, bool input)
{
    const struct spec *spec = c->spec;
    const struct opdesc *desc = c->desc;
    char name[EXPORT_NAME_SIZE];
    int count = 0;
    fprintf(out, "    const assay_binding %s[] = {\n", input ? "inputs" : "outputs");
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) {
        if (field_is_input(spec_tensor_field(spec, i)) != input)
            continue;
        int at = testcase_memory_of(c, i);
        if (desc->items[i].tensor.present)
            fprintf(out, "        {.base = %s_data, .size = %lluu},%s\n", export_c_name(spec, "", at, name),
                    (unsigned long long)desc->items[at].tensor.total, at == i ? "" : " /* one memory */");
        else
            fprintf(out, "        {.base = NULL}, /* %s */\n", spec->tensor_names[i]);
        count++;
    }
    if (count == 0)
        fprintf(out, "        {.base = NULL}, /* there are none */\n");
    fprintf(out, "    };\n");
    return count;
}

/* Prints the code that compares an output. An output that depends on other outputs is compared if those are as
 * expected. */
static void print_comparison(FILE *out, const struct export *e, const struct export_comparisons *all, int of)
{
    char name[EXPORT_NAME_SIZE], buffer[EXPORT_NAME_SIZE];
    bool depends = all->list[of].depends;
    for (int i = 0; depends && i < all->count; i++) {
        export_c_name_of(e, all->items[i], name);
        if (!all->list[i].depends)
            fprintf(out, "    same &= is_same(&%s_buffer, %u, %s_data, %s_expected, %u);\n",
                    export_c_name(e->c.spec, e->desc, all->items[i], buffer), datatype_of(all->list[i].type)->bits,
                    name, name, e->literals[all->items[i]].count);
    }
    export_c_name_of(e, all->items[of], name);
    export_c_name(e->c.spec, e->desc, all->items[of], buffer);
    fprintf(out, depends ? "    if (same)\n        wrong |= " : "    wrong |= ");
    export_comparison_call(out, e, all->items[of], name, buffer, &all->list[of]);
    fprintf(out, ";\n");
    if (depends)
        fprintf(out,
                "    else\n"
                "        printf(\"warn: %s is not compared: it depends on other outputs, which are not those "
                "expected\\n\");\n",
                e->c.spec->tensor_names[all->items[of]]);
}

void export_c_compare(FILE *out, const struct export *e, const struct export_comparisons *all)
{
    fprintf(out, "    int wrong = 0%s;\n", all->depends ? ", same = 1" : "");
    for (int i = 0; i < all->count; i++)
        print_comparison(out, e, all, i);
}

/* Prints the code that creates, compiles, dispatches and compares. */
static void export_c_print_run(FILE *out, const struct export *e, const struct export_comparisons *all)
{
    const struct spec *spec = e->c.spec;
    char name[EXPORT_NAME_SIZE], input_name[EXPORT_NAME_SIZE];
    int inputs = export_c_print_bindings(out, &e->c, true), outputs = export_c_print_bindings(out, &e->c, false);
    fprintf(out,
            "    assay_dispatch_item item = {.inputs = inputs, .outputs = outputs, .input_count = %d, "
            ".output_count = %d};\n",
            inputs, outputs);
    fprintf(out, "    assay_dispatch_result result = {.status = E_FAIL};\n"
                 "    if (FAILED(status = api->create_operator(device, &op_desc, &op)))\n"
                 "        return failed(\"create_operator\", status, \"\");\n"
                 "    if (FAILED(status = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &compiled)))\n"
                 "        return failed(\"compile_operator\", status, \"\");\n"
                 "    item.compiled = compiled;\n");
    for (int i = -1; (i = testcase_next_tensor(&e->c, i)) >= 0;) {
        int input = testcase_input_of(&e->c, i);
        if (!field_is_output(spec_tensor_field(spec, i)))
            continue;
        export_c_name_of(e, i, name);
        if (input >= 0)
            fprintf(out, "    memcpy(%s_data, %s_data, sizeof %s_data); /* the input has the output's memory */\n",
                    name, export_c_name_of(e, input, input_name), name);
        else
            fprintf(out,
                    "    for (size_t i = 0; i < sizeof %s_data; i++) /* bytes that are not written stay wrong */\n"
                    "        ((uint8_t *)%s_data)[i] = (uint8_t)~((const uint8_t *)%s_expected)[i];\n",
                    name, name, name);
    }
    fprintf(out, "    status = api->dispatch(device, &item, 1, &result);\n"
                 "    if (FAILED(status) || FAILED(status = result.status))\n"
                 "        return failed(\"dispatch\", status, result.message);\n");
    export_c_compare(out, e, all);
}

/* Prints the code for a case that tests only whether the operator is accepted. */
static void print_creation(FILE *out, const struct export *e)
{
    fprintf(out, "    status = api->create_operator(device, &op_desc, &op);\n"
                 "    if (SUCCEEDED(status))\n"
                 "        status = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &compiled);\n"
                 "    printf(\"%%s: 0x%%08x %%s\\n\", SUCCEEDED(status) ? \"accepted\" : \"rejected\", "
                 "(unsigned)status,\n"
                 "           SUCCEEDED(status) ? \"\" : api->message(device));\n");
    const char *wrong = "SUCCEEDED(status) != (compiled != NULL)";
    if (e->c.expect == EXPECT_REJECTED)
        wrong = "SUCCEEDED(status)";
    else if (e->c.expect == EXPECT_ACCEPTED)
        wrong = "FAILED(status)";
    fprintf(out, "    int wrong = %s;\n", wrong);
}

void export_c_find_comparisons(const struct export *e, struct export_comparisons *all)
{
    *all = (struct export_comparisons){.count = 0};
    for (int i = -1; e->c.expect == EXPECT_RESULTS && (i = testcase_next_tensor(&e->c, i)) >= 0;) {
        if (!field_is_output(spec_tensor_field(e->c.spec, i)))
            continue;
        struct export_comparison *comparison = &all->list[all->count];
        *comparison = export_comparison_of(e, i);
        all->ranged |= comparison->range_count > 0;
        all->depends |= comparison->depends;
        all->items[all->count++] = i;
    }
}

static void export_c_print_all_data(FILE *out, const struct export *e, const struct export_comparisons *all)
{
    char name[EXPORT_NAME_SIZE];
    for (int i = -1; (i = testcase_next_tensor(&e->c, i)) >= 0;)
        if (testcase_memory_of(&e->c, i) == i ||
            (testcase_output_of(&e->c, i) >= 0 && testcase_input_of(&e->c, testcase_output_of(&e->c, i)) == i))
            export_c_print_data(out, e, i);
    if (all->ranged)
        export_comparison_type(out);
    for (int i = 0; i < all->count; i++)
        if (all->list[i].range_count > 0)
            export_comparison_data(out, e, all->items[i], export_c_name_of(e, all->items[i], name));
}

static void export_c_print_file(FILE *out, const struct export *e)
{
    struct export_comparisons all;
    const struct spec *spec = e->c.spec;
    bool results = e->c.expect == EXPECT_RESULTS;
    fprintf(out, "/* %s\n", e->c.name);
    if (e->c.rule >= 0)
        fprintf(out, " * %s: %s\n", spec->rules[e->c.rule].id, spec->rules[e->c.rule].text);
    fprintf(out, " *\n *     cc -std=c11 -I device THIS.c -o case    (device: the folder of device.h and dml.h)\n"
                 " *     ./case ./mydevice.so\n *\n"
                 " * Exits with 0 if the device does as expected, with 1 if not. */\n");
    fputs(head, out);
    export_c_find_comparisons(e, &all);
    if (results)
        export_c_print_all_data(out, e, &all);
    export_c_description(out, spec, e->c.desc, "");
    if (results)
        export_comparison_functions(out, all.list, all.count);
    fprintf(out,
            "%s%sint main(int argc, char **argv)\n{\n"
            "    assay_operator *op = NULL;\n    assay_compiled *compiled = NULL;\n    HRESULT status;\n%s",
            open_device, results ? failed : "", usage);
    if (results)
        export_c_print_run(out, e, &all);
    else
        print_creation(out, e);
    fprintf(out, "    api->destroy_compiled(device, compiled);\n    api->destroy_operator(device, op);\n"
                 "    api->destroy_device(device);\n    return wrong;\n}\n");
}

/* EXIT_USAGE: a C file cannot judge the case. */
static int export_c_check(const struct export *e, struct error *error)
{
    const struct rule *rule = e->c.rule >= 0 ? &e->c.spec->rules[e->c.rule] : NULL;
    if (e->c.expect == EXPECT_RESULTS && rule && rule->behaviour && rule->accepts & ~((uint64_t)1 << OUTCOME_KEPT))
        return error_set(error, EXIT_USAGE,
                         "%s: the documents leave its outputs open, which a C file cannot judge; use --export json",
                         e->c.name);
    return 0;
}

FILE *export_c_open(const char *path, struct error *error)
{
    FILE *out = path ? fopen(path, "w") : stdout;
    if (!out)
        error_set(error, EXIT_HARNESS, "%s: %m", path);
    return out;
}

int export_c_close(FILE *out, const char *path, struct error *error)
{
    bool good = !ferror(out);
    good &= (path ? fclose(out) : fflush(out)) == 0;
    if (good)
        return 0;
    return error_set(error, EXIT_HARNESS, "%s: %s", path ? path : "standard output", strerror(errno));
}

int export_c(const struct export *e, const char *path, struct error *error)
{
    int result = export_c_check(e, error);
    FILE *out = result ? NULL : export_c_open(path, error);
    if (!out)
        return result ? result : EXIT_HARNESS;
    export_c_print_file(out, e);
    return export_c_close(out, path, error);
}
