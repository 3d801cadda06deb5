/* The specs as a device: it computes the documents' examples, rejects with the right rule, and agrees with the
 * reference. */
#include "harness/spec/elements.h"
#include "harness/case/fill.h"
#include "harness/describe/desc_text.h"
#include "harness/describe/marshal.h"
#include "harness/test/kept.h"
#include "harness/test/sampled.h"
#include "harness/test/spec_folder.h"
#include "harness/trial/meaning.h"
#include "harness/plan/plan.h"
#include "tools/tap.h"

#include "harness/base/datatype.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1024 }; /* per tensor; larger cases do not run here */

static struct spec_set specs, *current_specs = &specs; /* current: those of the device */

/* A case in a run: one block of memory for each tensor. */
struct run {
    const struct testcase *c;
    struct marshal m;
    uint8_t *memory[OPDESC_MAX_TENSORS];
    assay_binding inputs[OPDESC_MAX_TENSORS], outputs[OPDESC_MAX_TENSORS];
    assay_dispatch_item item;
};

static void run_init(struct run *r, const struct testcase *c)
{
    *r = (struct run){.c = c};
    marshal_desc(c->spec, c->desc, &r->m);
    r->item.inputs = r->inputs;
    r->item.outputs = r->outputs;
    for (int i = -1; c->expect != EXPECT_REJECTED && (i = spec_next_tensor(c->spec, c->desc, i)) >= 0;) {
        const struct spec_field *field = spec_tensor_field(c->spec, i);
        bool given = c->desc->items[i].tensor.present;
        uint64_t bytes = given ? c->desc->items[i].tensor.total : 0;
        r->memory[i] = given ? calloc(1, bytes) : NULL;
        assay_binding binding = {.base = r->memory[i], .size = bytes};
        if (field_is_input(field)) {
            if (given)
                fill_input(c, 1, i, r->memory[i], bytes);
            r->inputs[r->item.input_count++] = binding;
        } else {
            r->outputs[r->item.output_count++] = binding;
        }
    }
}

static void run_free(struct run *r)
{
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        free(r->memory[i]);
}

/* Creates a device: the meaning, or the reference. */
static HRESULT test_meaning_create_device(const assay_device_api *api, const assay_device_config *config,
                                          assay_device **out, char text[512])
{
    return api == meaning_device.api ? meaning_device.create(current_specs, config, out, text, 512)
                                     : api->create_device(config, out, text, 512);
}

/* Runs the case on a new device; the message goes to `text`. */
static HRESULT test_meaning_run_on(const assay_device_api *api, const char *arguments, struct run *r, char text[512])
{
    assay_device_config config = {.size = sizeof config, .arguments = arguments};
    assay_device *device = NULL;
    assay_operator *op = NULL;
    assay_dispatch_result out = {.status = E_FAIL};
    HRESULT result = test_meaning_create_device(api, &config, &device, text);
    if (FAILED(result))
        return result;
    result = api->create_operator(device, &r->m.op, &op);
    if (SUCCEEDED(result))
        result = api->compile_operator(device, op, DML_EXECUTION_FLAG_NONE, &r->item.compiled);
    if (SUCCEEDED(result))
        result = api->dispatch(device, &r->item, 1, &out);
    if (SUCCEEDED(result))
        result = out.status;
    snprintf(text, 512, "%s", api->message(device));
    api->destroy_compiled(device, r->item.compiled);
    r->item.compiled = NULL;
    api->destroy_operator(device, op);
    api->destroy_device(device);
    return result;
}

struct comparison {
    const uint8_t *a, *b;
    unsigned width; /* of an element, in bits */
    uint64_t max;
    int64_t wrong;
};

static bool test_meaning_compare_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct comparison *c = context;
    (void)coordinates;
    if (number < c->max && element_get(c->width, c->a, offset) != element_get(c->width, c->b, offset))
        c->wrong = (int64_t)number;
    return c->wrong < 0;
}

/* Returns the number of the first element of output `item` that differs, or -1. */
static int64_t first_difference(const struct run *a, const struct run *b, int item)
{
    const struct spec *spec = a->c->spec;
    const struct opdesc_tensor *t = &a->c->desc->items[item].tensor;
    struct comparison c = {a->memory[item], b->memory[item], datatype_of(t->data_type)->bits, UINT64_MAX, -1};
    if (spec->rows.field >= 0 && spec_item(spec, spec->rows.field) == item) {
        const struct opdesc_tensor *count = OPDESC_TENSOR(a->c->desc, spec->rows.count_field);
        c.max =
            datatype_bits(count->data_type, a->memory[spec_item(spec, spec->rows.count_field)]) * t->sizes[t->dims - 1];
    }
    elements_each(t, test_meaning_compare_element, &c);
    return c.wrong;
}

static bool test_meaning_is_small(const struct testcase *c)
{
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        if (c->desc->items[i].tensor.total > BYTES_MAX)
            return false;
    return true;
}

static bool same_results(const struct testcase *c)
{
    struct run meaning, reference;
    char text[512], arguments[32];
    bool same = true;
    /* Only a device of a lower level rejects an operator that is introduced later. */
    bool too_early = c->rule >= 0 && strcmp(c->spec->rules[c->rule].id, "introduced") == 0;
    snprintf(arguments, sizeof arguments, "level=%s", too_early ? "1_0" : c->spec->levels[c->table].name);
    run_init(&meaning, c);
    run_init(&reference, c);
    HRESULT a = test_meaning_run_on(meaning_device.api, arguments, &meaning, text);
    if (c->expect != EXPECT_EITHER && FAILED(a) != (c->expect == EXPECT_REJECTED)) {
        note("%s: meaning: 0x%08x %s", c->name, (unsigned)a, text);
        same = false;
    }
    if (c->expect == EXPECT_REJECTED && strncmp(text, c->spec->rules[c->rule].id, strlen(c->spec->rules[c->rule].id))) {
        note("%s: not rejected by the rule it breaks: %s", c->name, text);
        same = false;
    }
    HRESULT b = test_meaning_run_on(assay_device_entry(ASSAY_DEVICE_ABI), arguments, &reference, text);
    if (a != b && c->expect != EXPECT_EITHER) {
        note("%s: meaning 0x%08x, reference 0x%08x %s", c->name, (unsigned)a, (unsigned)b, text);
        same = false;
    }
    for (int i = -1; same && SUCCEEDED(a) && SUCCEEDED(b) && (i = testcase_next_tensor(c, i)) >= 0;)
        if (field_is_output(spec_tensor_field(c->spec, i)) && first_difference(&meaning, &reference, i) >= 0) {
            note("%s: %s differs at element %lld", c->name, c->spec->tensor_names[i],
                 (long long)first_difference(&meaning, &reference, i));
            same = false;
        }
    run_free(&meaning);
    run_free(&reference);
    return same;
}

static void test_against_reference(const struct plan *plan)
{
    struct sample sample = {0};
    size_t ran = 0, wrong = 0, all = 0;
    for (size_t i = 0; i < plan->count && wrong < 10; i++) {
        if (!sample_takes(&sample, &plan->cases[i]))
            continue;
        all += plan->cases[i].spec->has_meaning; /* formulas are judged by tolerance, in runs */
        if (plan->cases[i].expect == EXPECT_ACCEPTED || !test_meaning_is_small(&plan->cases[i]) ||
            !plan->cases[i].spec->has_meaning)
            continue;
        ran++;
        wrong += !same_results(&plan->cases[i]);
    }
    ok(wrong == 0 && ran > all / 2, "meaning and reference agree on %zu cases", ran);
}

/* Returns true if the documents give the values of an output. */
static bool has_outputs(const struct testcase *c)
{
    for (int i = -1; c->literals && (i = testcase_next_tensor(c, i)) >= 0;)
        if (field_is_output(spec_tensor_field(c->spec, i)) && c->literals[i].data)
            return true;
    return false;
}

/* The values that the documents give. */
static void test_meaning_examples(const struct plan *plan)
{
    for (size_t i = 0; i < plan->count; i++) {
        const struct testcase *c = &plan->cases[i];
        struct run ran, expected;
        char text[512];
        if (!c->spec->has_meaning || c->expect != EXPECT_RESULTS || !has_outputs(c))
            continue;
        run_init(&ran, c);
        run_init(&expected, c);
        bool same = SUCCEEDED(test_meaning_run_on(meaning_device.api, "", &ran, text));
        for (int item = -1; same && (item = testcase_next_tensor(c, item)) >= 0;)
            if (field_is_output(spec_tensor_field(c->spec, item)) && c->literals[item].data) {
                fill_literal(c, item, expected.memory[item]);
                same = first_difference(&expected, &ran, item) < 0;
            }
        ok(same, "%s", c->name);
        run_free(&ran);
        run_free(&expected);
    }
}

static void set_last(struct run *r, int field, uint64_t bits)
{
    const struct opdesc_tensor *t = OPDESC_TENSOR(r->c->desc, field);
    element_put(datatype_of(t->data_type)->bits, r->memory[field], (uint64_t)opdesc_elements(t) - 1, bits);
}

/* Returns the first case of the plan whose name begins with `start`; null: none. */
static const struct testcase *test_meaning_find_case(const struct plan *plan, const char *start)
{
    for (size_t i = 0; i < plan->count; i++)
        if (strncmp(plan->cases[i].name, start, strlen(start)) == 0)
            return &plan->cases[i];
    return NULL;
}

/* Indices at the ends of their types: both implementations agree on them. */
static void test_indices_out_of_range(const struct plan *plan)
{
    static const struct {
        const char *name;
        uint64_t bits;
    } cases[] = {
        {"gather_elements.types.fl4_1.int8-uint64", UINT64_MAX},
        {"gather_elements.types.fl4_1.int8-uint32", UINT32_MAX},
        {"gather_elements.types.fl4_1.int8-int64", UINT64_MAX},
        {"gather_elements.types.fl4_1.int8-int64", (uint64_t)INT64_MIN},
        {"gather_elements.types.fl4_1.int8-int32", 0xffffffff},
        {"scatter_elements.types.fl4_1.int8-int32", 0x7fffffff},
        {"scatter_elements.types.fl4_1.int8-uint64", (uint64_t)1 << 63},
        {"scatter_nd.types.fl4_1.int8-uint64", (uint64_t)1 << 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct testcase *c = test_meaning_find_case(plan, cases[i].name);
        struct run meaning, own;
        char text[512];
        if (!ok(c != NULL, "there is a case %s", cases[i].name))
            continue;
        run_init(&meaning, c);
        run_init(&own, c);
        set_last(&meaning, 1, cases[i].bits);
        set_last(&own, 1, cases[i].bits);
        HRESULT a = test_meaning_run_on(meaning_device.api, "", &meaning, text);
        HRESULT b = test_meaning_run_on(assay_device_entry(ASSAY_DEVICE_ABI), "", &own, text);
        ok(a == S_OK && b == S_OK && first_difference(&meaning, &own, c->spec->input_count) < 0,
           "index 0x%llx: 0x%08x, 0x%08x", (unsigned long long)cases[i].bits, (unsigned)a, (unsigned)b);
        run_free(&meaning);
        run_free(&own);
    }
}

static void test_meaning_refusals(const struct plan *plan)
{
    const assay_device_api *api = meaning_device.api;
    struct spec_set fewer = specs;
    fewer.count--;
    const DML_OPERATOR_DESC unknown = {.Type = fewer.specs[fewer.count].type, .Desc = &unknown};
    const DML_OPERATOR_DESC null = {.Type = DML_OPERATOR_GATHER};
    const struct testcase *c = test_meaning_find_case(plan, "gather_nd1.examples.batch");
    assay_device_config config = {.size = sizeof config, .arguments = "level=2_1"};
    assay_device *device;
    assay_operator *op;
    struct run r;
    char text[512];
    ok(FAILED(test_meaning_create_device(api, &(assay_device_config){.size = sizeof config, .arguments = "leval=2_1"},
                                         &device, text)) &&
           strstr(text, "leval=2_1") && !device,
       "an unknown option: %s", text);
    ok(FAILED(test_meaning_create_device(api, &(assay_device_config){.size = sizeof config, .arguments = "level=2_2"},
                                         &device, text)) &&
           strstr(text, "level=2_2") && !device,
       "an unknown level: %s", text);
    current_specs = &fewer;
    const bool created = test_meaning_create_device(api, &config, &device, text) == S_OK;
    current_specs = &specs;
    if (!ok(created, "a device of level 2_1, whose specs lack an operator"))
        return;
    ok(api->create_operator(device, &unknown, &op) == DXGI_ERROR_UNSUPPORTED && !op, "an operator without a spec: %s",
       api->message(device));
    ok(api->create_operator(device, &null, &op) == E_INVALIDARG && !op, "no Desc: %s", api->message(device));
    ok(api->create_operator(device, NULL, &op) == E_INVALIDARG && !op, "no description: %s", api->message(device));
    if (!ok(c != NULL, "there is an example of a batch"))
        return;
    run_init(&r, c);
    ok(api->create_operator(device, &r.m.op, &op) == E_INVALIDARG &&
           strncmp(api->message(device), "introduced: ", 12) == 0,
       "an operator of a later level: %s", api->message(device));
    r.inputs[0].size--;
    ok(test_meaning_run_on(api, "", &r, text) == E_INVALIDARG && strstr(text, "InputTensor"),
       "a binding that is too small: %s", text);
    r.inputs[0].size++;
    r.item.output_count = 0;
    ok(test_meaning_run_on(api, "", &r, text) == E_INVALIDARG, "a missing binding: %s", text);
    run_free(&r);
    api->destroy_device(device);
}

/* Computes Out1 = A + 1 and Out2 = A for A = 1, 2, with Out1 in the memory of A. */
static void test_shared_by_one_output(void)
{
    struct spec_folder folder;
    struct spec_set own;
    struct error error = {0};
    struct testcase c = {0};
    struct opdesc desc;
    struct run r;
    char text[512];
    float a[] = {1, 2}, out[2] = {0};
    spec_folder_make(&folder);
    spec_folder_remove_one(&folder, "catalogue.lua");
    spec_folder_write(&folder, "catalogue.lua",
                      "local row = { { \"FLOAT32\" }, 1, 8 }\n"
                      "return { operators = { { name = \"ELEMENT_WISE_IDENTITY\", since = \"1_0\",\n"
                      "  fields = { { \"input\", \"A\" }, { \"output\", \"Out1\" }, "
                      "{ \"output\", \"Out2\" } },\n"
                      "  levels = { { \"1_0\", A = row, Out1 = row, Out2 = row } } } } }\n");
    spec_folder_write(&folder, "element_wise_identity.lua",
                      "return operator \"ELEMENT_WISE_IDENTITY\" { parameters = {}, rules = {}, results = {\n"
                      "  result \"Out1\" { element \"A\" + 1 }, result \"Out2\" { element \"A\" } } }\n");
    bool loaded = spec_set_load(&own, folder.path, &error) == 0;
    spec_folder_remove(&folder);
    if (!ok(loaded, "an operator with two outputs %s", error.text) ||
        !ok(desc_text_parse(&own, "ELEMENT_WISE_IDENTITY A=FLOAT32[2] Out1=FLOAT32[2] Out2=FLOAT32[2]", &desc,
                            &error) == 0,
            "its description %s", error.text))
        return;
    c.spec = &own.specs[0];
    c.desc = &desc;
    c.expect = EXPECT_REJECTED; /* run_init() binds nothing */
    run_init(&r, &c);
    r.inputs[r.item.input_count++] = (assay_binding){.base = a, .size = sizeof a};
    r.outputs[r.item.output_count++] = (assay_binding){.base = a, .size = sizeof a};
    r.outputs[r.item.output_count++] = (assay_binding){.base = out, .size = sizeof out};
    current_specs = &own;
    ok(test_meaning_run_on(meaning_device.api, "", &r, text) == S_OK, "both outputs are computed %s", text);
    current_specs = &specs;
    ok(a[0] == 2 && a[1] == 3 && out[0] == 1 && out[1] == 2,
       "an output in the memory of an input changes no other: %g %g", (double)out[0], (double)out[1]);
    run_free(&r);
    spec_set_free(&own);
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    struct plan_filter filter = {.cache = kept_plan()};
    struct error error = {0};
    struct plan plan;
    if (!ok(spec_set_load(&specs, "specs", &error) == 0, "specs load %s", error.text) ||
        !ok(plan_make(&plan, &specs, "cases", &filter, &error) == 0, "cases are planned %s", error.text))
        return tap_done();
    test_meaning_examples(&plan);
    test_indices_out_of_range(&plan);
    test_meaning_refusals(&plan);
    test_against_reference(&plan);
    test_shared_by_one_output();
    plan_free(&plan);
    spec_set_free(&specs);
    return tap_done();
}
