/* Case files: planned cases are read as they were written, inputs and outputs bit for bit. A file damaged at any
 * position is refused or read as another valid file, and never crashes the reader. */
#include "harness/plan/casefile.h"
#include "harness/base/datatype.h"
#include "harness/exchange/export.h"
#include "harness/exchange/dxmodel.h"
#include "harness/plan/plan.h"
#include "harness/test/kept.h"
#include "harness/test/sampled.h"
#include "harness/trial/interpretation.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct spec_set specs;

enum { EVERY = 37, LARGEST = 1 << 16, EXPECT_KINDS = 4 };

static bool test_casefile_same_literals(const struct testcase *a, const struct testcase *b)
{
    for (int i = -1; (i = testcase_next_tensor(a, i)) >= 0;) {
        const struct literal *x = a->literals ? &a->literals[i] : NULL, *y = &b->literals[i];
        unsigned width = datatype_of(a->desc->items[i].tensor.data_type)->bits;
        bool has = x && x->count > 0;
        if (has != (y->data != NULL) ||
            (has && (x->count != y->count || !elements_equal(width, x->data, y->data, x->count))))
            return false;
    }
    return true;
}

/* Writes and reads a case. Returns the name of a difference; null: there is none. */
static const char *round_trip(const struct testcase *c, struct error *error)
{
    struct export e;
    struct testcase read;
    struct pool pool = {0};
    const char *wrong = NULL;
    int result = export_make(&e, c, plan_case_seed(0, c->name), error);
    json_t *file = result ? NULL : casefile_write(&e.c);
    char *text = file ? json_dumps(file, 0) : NULL;
    json_t *parsed = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    struct json_cursor root = {.file = c->name, .value = parsed}, cases = json_cursor_member(&root, "cases"),
                       first = json_cursor_entry(&cases, 0);
    if (!parsed || casefile_read(&first, &specs, NULL, NULL, &pool, &read, error))
        wrong = "it cannot be read";
    else if (strcmp(read.name, c->name) || read.spec != c->spec || !testcase_same_desc(c->spec, c->desc, read.desc))
        wrong = "the description";
    else if (read.expect != c->expect || read.table != c->table || read.rule != c->rule || read.soft != c->soft)
        wrong = "the expectation";
    else if (read.fill != c->fill || read.index_fill != c->index_fill || read.dispatch_twice != c->dispatch_twice ||
             read.lifecycle.kind != c->lifecycle.kind || read.negative_indices != c->negative_indices)
        wrong = "the contents";
    else if (!testcase_same_in_place(&read, c))
        wrong = "what has the memory of an output";
    else if (!test_casefile_same_literals(&e.c, &read))
        wrong = "the elements";
    json_decref(parsed);
    json_decref(file);
    free(text);
    export_free(&e);
    pool_clear(&pool);
    return wrong;
}

static bool test_casefile_is_small(const struct testcase *c)
{
    for (int i = 0; i < c->spec->field_count; i++)
        if (field_is_tensor(&c->spec->fields[i]) && c->expect == EXPECT_RESULTS &&
            OPDESC_TENSOR(c->desc, i)->total > LARGEST)
            return false;
    return true;
}

static void test_round_trip(void)
{
    struct plan plan;
    struct error error = {0};
    struct sample sample = {0};
    size_t tried = 0, wrong = 0, kinds[EXPECT_KINDS] = {0};
    int result = plan_make(&plan, &specs, "cases", &(struct plan_filter){.cache = kept_plan()}, &error);
    if (!ok(result == 0, "the cases are planned"))
        return;
    for (size_t i = 0; i < plan.count; i++) {
        const struct testcase *c = &plan.cases[i];
        struct error why = {0};
        if (!sample_takes(&sample, c) || spec_is_interface(c->spec) || !test_casefile_is_small(c) ||
            (i % EVERY && !c->literals && c->expect != EXPECT_EITHER))
            continue;
        const char *what = round_trip(c, &why);
        tried++;
        kinds[c->expect]++;
        if (what && wrong++ < 5)
            note("%s: %s %s", c->name, what, why.text);
    }
    ok(wrong == 0, "%zu cases are read from a file as they were written", tried);
    for (int i = 0; i < EXPECT_KINDS; i++)
        ok(kinds[i] > 5, "expectation %d: %zu cases", i, kinds[i]);
    plan_free(&plan);
}

/* ---- damage */

static const char case_text[] =
    "{\"cases\": [{\"name\": \"a\", \"type\": \"GATHER\", \"desc\": {\"InputTensor\": {\"DataType\": \"FLOAT32\", "
    "\"Sizes\": [4], \"Strides\": [1]}, \"IndicesTensor\": {\"DataType\": \"UINT32\", \"Sizes\": [3]}, "
    "\"OutputTensor\": {\"DataType\": \"FLOAT32\", \"Sizes\": [3], \"TotalTensorSizeInBytes\": 12}, \"Axis\": 0, "
    "\"IndexDimensions\": 1}, \"level\": \"3_0\", \"inputs\": {\"InputTensor\": [1, 2.5, \"nan\", \"0x3f800000\"], "
    "\"IndicesTensor\": {\"value\": 1, \"valueCount\": 3}}}]}";

static const char model_text[] =
    "{\"resources\": {\"A\": {\"initialValuesDataType\": \"FLOAT32\", \"initialValues\": [1, 2]}, \"B\": "
    "{\"initialValuesDataType\": \"UINT32\", \"initialValues\": {\"valueStart\": 1, \"valueDelta\": 3, \"valueCount\": "
    "2}, \"sizeInBytes\": 16}, \"C\": {\"initialValuesDataType\": \"FLOAT32\", \"initialValues\": {\"value\": 0, "
    "\"valueCount\": 2}}}, \"dispatchables\": {\"g\": {\"type\": \"GATHER\", \"desc\": {\"InputTensor\": "
    "{\"DataType\": \"FLOAT32\", \"Sizes\": [2]}, \"IndicesTensor\": {\"DataType\": \"UINT32\", \"Sizes\": [2]}, "
    "\"OutputTensor\": {\"DataType\": \"FLOAT32\", \"Sizes\": [2]}, \"Axis\": 0, \"IndexDimensions\": 1}, "
    "\"executionFlags\": [\"NONE\"]}}, \"commands\": [{\"type\": \"dispatch\", \"dispatchable\": \"g\", \"bindings\": "
    "{\"InputTensor\": \"A\", \"IndicesTensor\": {\"name\": \"B\", \"elementOffset\": 0}, \"OutputTensor\": \"C\"}}, "
    "{\"type\": \"print\", \"resource\": \"C\"}, {\"type\": \"writeFile\", \"resource\": \"C\", \"targetPath\": "
    "\"c.npy\", \"dimensions\": [2]}]}";

static int read_cases(const char *file, struct error *error)
{
    struct json_cursor root;
    struct pool pool = {0};
    struct testcase c;
    int result = json_cursor_open(file, false, &root, error);
    if (result)
        return result;
    struct json_cursor cases = json_cursor_member(&root, "cases"), first = json_cursor_entry(&cases, 0);
    result = casefile_read(&first, &specs, NULL, NULL, &pool, &c, error);
    json_cursor_close(&root);
    pool_clear(&pool);
    return result;
}

static int read_model(const char *file, struct error *error)
{
    struct dxmodel model;
    int result = dxmodel_load(&model, file, &specs, error);
    dxmodel_free(&model);
    return result;
}

static bool test_casefile_write_text(const char *file, const char *text, size_t length)
{
    FILE *out = fopen(file, "w");
    return out && fwrite(text, 1, length, out) == length && fclose(out) == 0;
}

/* Cuts the text off at each position, and replaces each character by each of some others; in a sample, by every fourth
 * of them, counted on from one character to the next. */
static void test_casefile_damage(const char *what, const char *text, int (*read)(const char *, struct error *))
{
    enum { SHARE = 4 };
    static const char others[] = "{}[],:\"0-9xnA \\\x80";
    const char *folder = getenv("TMPDIR");
    char file[512], damaged[4096];
    size_t length = strlen(text), refused = 0, unsaid = 0, cut = 0;
    struct error error = {0};
    snprintf(file, sizeof file, "%s/assay-damage-%d.json", folder ? folder : "/tmp", (int)getpid());
    ok(test_casefile_write_text(file, text, length) && read(file, &error) == 0, "%s is read undamaged %s", what,
       error.text);
    for (size_t at = 0; at < length; at++) {
        struct error why = {0};
        cut += test_casefile_write_text(file, text, at) && read(file, &why) == EXIT_HARNESS && *why.text;
        for (size_t other = sampled_whole ? 0 : at % SHARE; other < sizeof others - 1;
             other += sampled_whole ? 1 : SHARE) {
            memcpy(damaged, text, length);
            damaged[at] = others[other];
            why = (struct error){0};
            int result = test_casefile_write_text(file, damaged, length) ? read(file, &why) : -1;
            refused += result == EXIT_HARNESS;
            unsaid += (result != 0 && result != EXIT_HARNESS) || (result && !strstr(why.text, file));
        }
    }
    ok(cut == length, "%s, cut off anywhere, is refused", what);
    ok(unsaid == 0 && refused > length, "%s, damaged: %zu refused with the file's name", what, refused);
    unlink(file);
}

int main(int argc, char **argv)
{
    sampled_begin(argc, argv);
    struct error error = {0};
    if (!ok(kept_specs(&specs, &error) == 0, "the specs are loaded %s", error.text))
        return tap_done();
    test_round_trip();
    test_casefile_damage("a file of cases", case_text, read_cases);
    test_casefile_damage("a model", model_text, read_model);
    spec_set_free(&specs);
    return tap_done();
}
