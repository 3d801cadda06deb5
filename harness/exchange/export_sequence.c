/* Exports a sequence of calls as one C file: the data of its items, a table of its calls, and the program
 * (export_sequence.inc) that makes them. */
#include "harness/exchange/export_c.h"

#include "harness/base/random.h"
#include "harness/describe/desc_text.h"
#include "harness/sequence/sequence.h"

#include "generated/exchange/export_sequence.inc.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, GAP = 64 /* bytes between tensors, at least */ };
static const uint64_t MEMORY_MAX = 64 << 20;

static const char head[] = "#define _POSIX_C_SOURCE 200809L\n"
                           "#include \"device.h\"\n"
                           "\n"
                           "#include <dirent.h>\n"
                           "#include <dlfcn.h>\n"
                           "#include <math.h>\n"
                           "#include <stdio.h>\n"
                           "#include <string.h>\n"
                           "#include <sys/mman.h>\n"
                           "#include <time.h>\n"
                           "\n";

static const char types[] = "\n"
                            "/* A tensor of an item: its bytes before the dispatch. An output has the complement of "
                            "the expected bytes. */\n"
                            "struct tensor {\n"
                            "    uint8_t *at;\n"
                            "    const void *contents;\n"
                            "    size_t size;\n"
                            "    int is_output;\n"
                            "};\n"
                            "\n"
                            "struct item {\n"
                            "    unsigned program, desc;\n"
                            "    const DML_OPERATOR_DESC *op_desc;\n"
                            "    const assay_binding *inputs, *outputs;\n"
                            "    uint32_t input_count, output_count;\n"
                            "    const struct tensor *tensors;\n"
                            "    uint32_t tensor_count;\n"
                            "    int (*wrong)(void);\n"
                            "};\n"
                            "\n"
                            "enum call { OPEN, DESCRIBE, CREATE, COMPILE, DISPATCH, DESTROY_COMPILED, "
                            "DESTROY_OPERATOR, CLOSE, DESTROY_NULL };\n"
                            "\n"
                            "/* A call, with the numbers of the objects that it makes and takes. */\n"
                            "struct step {\n"
                            "    enum call call;\n"
                            "    unsigned device, desc, op, program;\n"
                            "    int hides; /* the tensors, after a dispatch */\n"
                            "    uint32_t item_count;\n"
                            "    const struct item *items[4];\n"
                            "};\n"
                            "\n";

/* ---- where tensors are */

struct spot {
    uint64_t at, base; /* in the memory of the program */
};

/* An item of a dispatch, or of a description alone. */
struct item {
    struct export data;
    char start[24], desc_start[8]; /* of names */
    unsigned program, desc;
    struct spot places[OPDESC_MAX_TENSORS]; /* by item of the description */
    struct export_comparisons compared;
};

struct sequence {
    const struct testcase *c;
    struct testcase descs[LIFECYCLE_DESCS];
    struct opdesc desc_memory[LIFECYCLE_DESCS];
    bool given[LIFECYCLE_DESCS];
    struct lifecycle_step steps[LIFECYCLE_STEPS];
    size_t step_count;
    size_t first_item[LIFECYCLE_STEPS]; /* of a dispatch */
    struct item **items;                /* the items of single descriptions come first; owned, as they are */
    size_t item_count;
    uint64_t memory, alignment; /* bytes of the program's memory */
    struct spot last[STEP_OBJECTS][OPDESC_MAX_TENSORS];
    bool dispatched[STEP_OBJECTS];
};

static uint64_t export_sequence_alignment_of(const struct opdesc_tensor *t)
{
    return t->alignment > 16 ? t->alignment : 16;
}

/* Names the place by another base, if the offset is then legal. */
static void export_sequence_rebase(struct spot *place, uint64_t base, uint64_t alignment)
{
    if (base <= place->at && base % alignment == 0 && (place->at - base) % alignment == 0)
        place->base = base;
}

/* Gives the tensors memory of their own, with the bases that the step wants. */
static void place_new(struct sequence *s, struct item *item, const struct spot *last, bool one_base)
{
    const struct testcase *c = &item->data.c;
    uint64_t lowest = UINT64_MAX;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        const struct opdesc_tensor *t = &c->desc->items[i].tensor;
        uint64_t alignment = export_sequence_alignment_of(t);
        s->memory = (s->memory + alignment - 1) / alignment * alignment;
        s->alignment = alignment > s->alignment ? alignment : s->alignment;
        item->places[i] = (struct spot){s->memory, s->memory};
        s->memory += t->total + GAP;
        if (last)
            export_sequence_rebase(&item->places[i], last[i].base, alignment);
        if (field_is_input(spec_tensor_field(c->spec, i)) && item->places[i].base < lowest)
            lowest = item->places[i].base;
    }
    for (int i = -1; one_base && (i = testcase_next_tensor(c, i)) >= 0;)
        if (field_is_input(spec_tensor_field(c->spec, i)))
            export_sequence_rebase(&item->places[i], lowest, export_sequence_alignment_of(&c->desc->items[i].tensor));
}

/* ---- items */

static int add_item(struct sequence *s, unsigned desc, uint64_t seed, struct item **out, struct error *error)
{
    struct item **more = realloc(s->items, (s->item_count + 1) * sizeof(struct item *));
    struct item *item = more ? calloc(1, sizeof *item) : NULL;
    s->items = more ? more : s->items;
    if (!item)
        return error_set(error, EXIT_HARNESS, "out of memory");
    s->items[s->item_count++] = *out = item;
    item->desc = desc;
    int result = export_make(&item->data, &s->descs[desc], seed, error);
    if (result)
        return result;
    item->data.c.name = s->c->name;
    snprintf(item->desc_start, sizeof item->desc_start, "d%u_", desc);
    item->data.item = item->start;
    item->data.desc = item->desc_start;
    export_c_find_comparisons(&item->data, &item->compared);
    return 0;
}

static int add_alone(struct sequence *s, unsigned desc, uint64_t seed, struct error *error)
{
    struct lifecycle_step steps[LIFECYCLE_ALONE];
    struct item *item;
    size_t count = lifecycle_alone(desc, steps), at = 0;
    while (at < count && steps[at].step.call != STEP_DISPATCH)
        at++;
    int result = add_item(s, desc, sequence_item_seed(seed, &steps[at], 0), &item, error);
    if (result)
        return result;
    snprintf(item->start, sizeof item->start, "alone%u_", desc);
    place_new(s, item, NULL, false);
    return 0;
}

static int add_items(struct sequence *s, size_t at, const struct lifecycle_model *model, uint64_t seed,
                     struct error *error)
{
    const struct lifecycle_step *step = &s->steps[at];
    int result = 0;
    s->first_item[at] = s->item_count;
    for (uint32_t i = 0; i < step->step.item_count && result == 0; i++) {
        const struct lifecycle_item *wanted = &step->items[i];
        struct spot *last = s->last[wanted->compiled];
        struct item *item;
        bool again = false, known = s->dispatched[wanted->compiled];
        for (uint32_t n = 0; n < i; n++)
            again |= step->items[n].compiled == wanted->compiled;
        result = add_item(s, model->compiled[wanted->compiled].desc, sequence_item_seed(seed, step, i), &item, error);
        if (result)
            break;
        item->program = wanted->compiled;
        snprintf(item->start, sizeof item->start, "call%zu_%u_", at, i);
        if (wanted->memory == MEMORY_SAME && known && !again)
            memcpy(item->places, last, sizeof item->places);
        else
            place_new(s, item, wanted->memory == MEMORY_OFFSET && known ? last : NULL, wanted->one_base);
        memcpy(last, item->places, sizeof item->places);
        s->dispatched[wanted->compiled] = true;
        if (s->memory > MEMORY_MAX)
            result = error_set(error, EXIT_USAGE, "%s: its tensors have more than the limit of %llu MiB for exports",
                               s->c->name, (unsigned long long)MEMORY_MAX >> 20);
    }
    return result;
}

/* Draws the calls as the judge does, for a device that supports everything. */
static int make_sequence(struct sequence *s, const struct spec_set *specs, uint64_t seed, struct error *error)
{
    static const struct plugin any = {.data_types = ~0u};
    struct lifecycle_model *model = calloc(1, sizeof *model);
    int result = model ? 0 : error_set(error, EXIT_HARNESS, "out of memory");
    for (unsigned i = 0; i < LIFECYCLE_DESCS && result == 0; i++) {
        struct sequence_draw drawn = {0};
        s->given[i] = sequence_draw_desc(specs, &any, &any.denied, seed, i, &drawn, &s->descs[i], &s->desc_memory[i]);
        if (s->given[i])
            result = add_alone(s, i, seed, error);
    }
    size_t drawn = lifecycle_draw(&s->c->lifecycle, seed, s->steps);
    for (size_t i = 0; i < drawn && result == 0; i++) {
        struct lifecycle_step step = s->steps[i];
        if ((step.step.call == STEP_CREATE && !s->given[step.desc]) || !lifecycle_apply(model, &step))
            continue;
        size_t at = s->step_count++;
        s->steps[at] = step;
        if (step.step.call == STEP_DISPATCH)
            result = add_items(s, at, model, seed, error);
    }
    free(model);
    return result;
}

/* ---- printing */

static void export_sequence_print_data(FILE *out, const struct item *item, int at)
{
    char name[EXPORT_NAME_SIZE];
    const struct testcase *c = &item->data.c;
    const struct opdesc_tensor *t = &c->desc->items[at].tensor;
    unsigned bits = export_c_bits(t);
    bool input = field_is_input(spec_tensor_field(c->spec, at));
    export_c_name(c->spec, item->start, at, name);
    fprintf(out, "static const uint%u_t %s_%s[] = {", bits, name, input ? "contents" : "expected");
    export_c_words(out, item->data.tensors[at], t->total, bits / 8);
    if (!input)
        fprintf(out, "static uint8_t *const %s_data = memory + %llu;\n", name, (unsigned long long)item->places[at].at);
}

/* Returns the number of bindings. */
static int export_sequence_print_bindings(FILE *out, const struct item *item, bool input)
{
    const struct testcase *c = &item->data.c;
    int count = 0;
    fprintf(out, "static const assay_binding %s%s[] = {\n", item->start, input ? "inputs" : "outputs");
    for (int i = -1; (i = spec_next_tensor(c->spec, c->desc, i)) >= 0;) {
        const struct spot *place = &item->places[i];
        if (field_is_input(spec_tensor_field(c->spec, i)) != input)
            continue;
        if (c->desc->items[i].tensor.present)
            fprintf(out, "    {.base = memory + %llu, .offset = %llu, .size = %lluu},\n",
                    (unsigned long long)place->base, (unsigned long long)(place->at - place->base),
                    (unsigned long long)c->desc->items[i].tensor.total);
        else
            fprintf(out, "    {.base = NULL},\n");
        count++;
    }
    fprintf(out, "%s};\n", count ? "" : "    {.base = NULL},\n");
    return count;
}

static int print_tensors(FILE *out, const struct item *item)
{
    const struct testcase *c = &item->data.c;
    char name[EXPORT_NAME_SIZE];
    int count = 0;
    fprintf(out, "static const struct tensor %stensors[] = {\n", item->start);
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0; count++) {
        bool input = field_is_input(spec_tensor_field(c->spec, i));
        fprintf(out, "    {memory + %llu, %s_%s, %lluu, %d},\n", (unsigned long long)item->places[i].at,
                export_c_name(c->spec, item->start, i, name), input ? "contents" : "expected",
                (unsigned long long)c->desc->items[i].tensor.total, !input);
    }
    fprintf(out, "};\n");
    return count;
}

static void print_item(FILE *out, const struct item *item)
{
    fprintf(out, "static int %swrong(void)\n{\n", item->start);
    export_c_compare(out, &item->data, &item->compared);
    fprintf(out, "    return wrong;\n}\n");
    int inputs = export_sequence_print_bindings(out, item, true),
        outputs = export_sequence_print_bindings(out, item, false);
    int tensors = print_tensors(out, item);
    fprintf(
        out,
        "static const struct item %sitem = {\n"
        "    .program = %u, .desc = %u, .op_desc = &%sop_desc, .inputs = %sinputs, .outputs = %soutputs,\n"
        "    .input_count = %d, .output_count = %d, .tensors = %stensors, .tensor_count = %d, .wrong = %swrong};\n\n",
        item->start, item->program, item->desc, item->desc_start, item->start, item->start, inputs, outputs,
        item->start, tensors, item->start);
}

/* Prints the data of all items, and the functions that compare. */
static void export_sequence_print_all_data(FILE *out, const struct sequence *s)
{
    struct export_comparison *all = calloc(s->item_count * OPDESC_MAX_TENSORS + 1, sizeof *all);
    int count = 0;
    bool ranged = false;
    char name[EXPORT_NAME_SIZE];
    for (size_t n = 0; n < s->item_count; n++)
        for (int i = 0; all && i < s->items[n]->compared.count; i++) {
            all[count++] = s->items[n]->compared.list[i];
            ranged |= s->items[n]->compared.list[i].range_count > 0;
        }
    if (ranged)
        export_comparison_type(out);
    for (size_t n = 0; n < s->item_count; n++) {
        const struct item *item = s->items[n];
        for (int i = -1; (i = testcase_next_tensor(&item->data.c, i)) >= 0;)
            export_sequence_print_data(out, item, i);
        for (int i = 0; i < item->compared.count; i++)
            if (item->compared.list[i].range_count > 0)
                export_comparison_data(out, &item->data, item->compared.items[i],
                                       export_c_name(item->data.c.spec, item->start, item->compared.items[i], name));
    }
    export_comparison_functions(out, all, count);
    free(all);
}

static void export_sequence_print_step(FILE *out, const struct sequence *s, size_t at)
{
    static const char *const calls[] = {"OPEN",        "DESCRIBE",         "CREATE",           "COMPILE",
                                        "DISPATCH",    "DESTROY_COMPILED", "DESTROY_OPERATOR", "CLOSE",
                                        "DESTROY_NULL"};
    const struct step *step = &s->steps[at].step;
    fprintf(out, "    {%s, .device = %u", calls[step->call], step->device);
    if (step->call == STEP_CREATE)
        fprintf(out, ", .desc = %u", s->steps[at].desc);
    if (step->call == STEP_CREATE || step->call == STEP_COMPILE || step->call == STEP_DESTROY_OPERATOR)
        fprintf(out, ", .op = %u", step->op);
    if (step->call == STEP_COMPILE || step->call == STEP_DESTROY_COMPILED)
        fprintf(out, ", .program = %u", step->compiled);
    if (step->call == STEP_DISPATCH) {
        fprintf(out, ", .hides = %d, .item_count = %u, .items = {", step->hide, step->item_count);
        for (uint32_t i = 0; i < step->item_count; i++)
            fprintf(out, "%s&%sitem", i ? ", " : "", s->items[s->first_item[at] + i]->start);
        fprintf(out, "}");
    }
    fprintf(out, "},\n");
}

static void export_sequence_print_file(FILE *out, const struct sequence *s)
{
    char text[1024], start[16];
    uint64_t alignment = s->alignment > PAGE ? s->alignment : PAGE;
    fprintf(out,
            "/* %s\n *\n"
            " *     cc -std=c11 -I device THIS.c -o sequence    (device: the folder of device.h and dml.h)\n"
            " *     ./sequence ./mydevice.so\n *\n"
            " * Makes the calls of the sequence. Exits with 0 if the device does as device.h promises, with 1 if not; "
            "by a\n"
            " * signal if the device crashes. */\n",
            s->c->name);
    fputs(head, out);
    fprintf(out, "static _Alignas(%llu) uint8_t memory[%llu]; /* of all tensors */\n", (unsigned long long)alignment,
            (unsigned long long)((s->memory + PAGE) / PAGE * PAGE));
    fputs(types, out);
    for (int i = 0; i < LIFECYCLE_DESCS; i++)
        if (s->given[i]) {
            snprintf(start, sizeof start, "d%d_", i);
            desc_text_print(s->descs[i].spec, s->descs[i].desc, text, sizeof text);
            fprintf(out, "/* %s */\n", text);
            export_c_description(out, s->descs[i].spec, s->descs[i].desc, start);
        }
    export_sequence_print_all_data(out, s);
    for (size_t i = 0; i < s->item_count; i++)
        print_item(out, s->items[i]);
    fprintf(out, "/* Each description alone; null: there is none. */\nstatic const struct item *const alone[] = {");
    for (int i = 0; i < LIFECYCLE_DESCS; i++)
        fprintf(out, s->given[i] ? "%s&alone%d_item" : "%sNULL", i ? ", " : "", i);
    fprintf(out, "};\n\nstatic const struct step steps[] = {\n");
    for (size_t i = 0; i < s->step_count; i++)
        export_sequence_print_step(out, s, i);
    fprintf(out, "};\nenum { BINDINGS = %d, COUNTS_THREADS = %d };\n\n%s", OPDESC_MAX_TENSORS,
            s->c->lifecycle.kind == LIFECYCLE_DEVICES, export_sequence_inc);
}

int export_sequence_c(const struct testcase *c, const struct spec_set *specs, uint64_t seed, const char *path,
                      struct error *error)
{
    if (lifecycle_repeats(&c->lifecycle))
        return error_set(error, EXIT_USAGE,
                         "%s: it tests the resources of the device's process, which a C file does not measure",
                         c->name);
    struct sequence *s = calloc(1, sizeof *s);
    if (!s)
        return error_set(error, EXIT_HARNESS, "out of memory");
    s->c = c;
    int result = make_sequence(s, specs, seed, error);
    FILE *out = result ? NULL : export_c_open(path, error);
    if (out) {
        export_sequence_print_file(out, s);
        result = export_c_close(out, path, error);
    } else if (result == 0)
        result = EXIT_HARNESS;
    for (size_t i = 0; i < s->item_count; i++) {
        export_free(&s->items[i]->data);
        free(s->items[i]);
    }
    free(s->items);
    free(s);
    return result;
}
