#include "harness/plan/casefile.h"

#include "harness/check/check.h"
#include "harness/base/datatype.h"
#include "harness/base/json_elements.h"
#include "harness/describe/desc_json.h"
#include "harness/plan/case_name.h"
#include "harness/case/open_contents.h"

#include <stdlib.h>
#include <string.h>

static const char *const expectation_names[] = {"results", "accepted", "either", "rejected", NULL};

/* ---- reading */

/* Reads an optional member. `*out` keeps its value if the member is absent. */
static int read_choice(const struct json_cursor *in, const char *key, const char *const names[], int *out,
                       struct error *error)
{
    struct json_cursor cursor = json_cursor_member(in, key);
    return cursor.value ? json_cursor_choice(&cursor, "", names, out, error) : 0;
}

static int read_literal(const struct json_cursor *cursor, const struct testcase *c, int field,
                        const struct word_list *allow, struct pool *pool, struct literal *out, struct error *error)
{
    const struct opdesc_tensor *t = &c->desc->items[field].tensor;
    bool rows = spec_is(c->spec, field, c->spec->rows.field);
    const struct json_wanted wanted = {
        .count = (uint64_t)opdesc_elements(t), .fewer = rows, .dims = t->dims, .sizes = t->sizes, .allow = allow};
    struct json_elements values;
    if (rows && json_is_array(cursor->value) && json_array_size(cursor->value) == 0)
        return 0; /* no rows: check_rows() holds the count against it */
    if (json_elements_read(cursor, t->data_type, &wanted, &values, error))
        return EXIT_HARNESS;
    int result =
        values.count > UINT32_MAX ? json_cursor_error(cursor, error, "expected at most %u elements", UINT32_MAX) : 0;
    if (result == 0)
        *out = (struct literal){.data = pool_copy(pool, values.data, values.size), .count = (uint32_t)values.count};
    free(values.data);
    return result;
}

static int casefile_read_name(const struct json_cursor *in, struct pool *pool, const char **out, struct error *error)
{
    enum { SHOWN = 60 };
    struct json_cursor cursor = json_cursor_member(in, "name");
    if (json_cursor_text(&cursor, out, error))
        return EXIT_HARNESS;
    size_t length = json_string_length(cursor.value);
    if (!case_name_is_legal(*out) || length != strlen(*out))
        return json_cursor_error(&cursor, error, "case name '%.*s'%s: " CASE_NAME_RULE, SHOWN, *out,
                                 length > SHOWN ? " …" : "");
    *out = pool_string(pool, *out);
    return 0;
}

/* Reads the elements of all inputs, or of all outputs. */
static int read_literals(const struct json_cursor *in, const char *key, bool input, const struct testcase *c,
                         const struct word_list *allow, struct pool *pool, struct literal *literals,
                         struct error *error)
{
    struct json_cursor cursor = json_cursor_member(in, key);
    const char *known[OPDESC_MAX_TENSORS + 1] = {NULL};
    int count = 0;
    if (!cursor.value)
        return 0;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        if (field_is_input(spec_tensor_field(c->spec, i)) == input)
            known[count++] = c->spec->tensor_names[i];
    int result = json_cursor_object(&cursor, error);
    if (result == 0)
        result = json_cursor_known(&cursor, known, error);
    for (int i = -1; result == 0 && (i = testcase_next_tensor(c, i)) >= 0;) {
        struct json_cursor tensor = json_cursor_member(&cursor, c->spec->tensor_names[i]);
        if (field_is_input(spec_tensor_field(c->spec, i)) == input && tensor.value)
            result = read_literal(&tensor, c, i, allow, pool, &literals[i], error);
    }
    return result;
}

/* Checks the given rows of an output whose rows are counted: they are whole, the count is given with them, and there
 * are as many as it says. Rows past the count are undefined, so more may be given. */
static int check_rows(const struct json_cursor *in, const struct testcase *c, struct error *error)
{
    int field = spec_item(c->spec, c->spec->rows.field), counter = spec_item(c->spec, c->spec->rows.count_field);
    struct json_cursor outputs = json_cursor_member(in, "outputs");
    struct json_cursor rows = json_cursor_member(&outputs, c->spec->tensor_names[field]);
    const struct opdesc_tensor *t = &c->desc->items[field].tensor;
    const struct literal *count = &c->literals[counter];
    if (!rows.value)
        return 0;
    uint64_t width = t->sizes[t->dims - 1], given = c->literals[field].count;
    if (given % width)
        return json_cursor_error(&rows, error, "expected whole rows of %llu elements, found %llu elements",
                                 (unsigned long long)width, (unsigned long long)given);
    if (!count->data)
        return given > 0 ? 0
                         : json_cursor_error(&rows, error, "no rows are given, and no count: expected %s",
                                             c->spec->tensor_names[counter]);
    uint64_t needed = datatype_bits(c->desc->items[counter].tensor.data_type, count->data);
    return given / width >= needed ? 0
                                   : json_cursor_error(&rows, error, "expected %llu rows, as %s says, found %llu",
                                                       (unsigned long long)needed, c->spec->tensor_names[counter],
                                                       (unsigned long long)(given / width));
}

static int read_level(const struct json_cursor *in, struct testcase *c, struct error *error)
{
    struct json_cursor cursor = json_cursor_member(in, "level");
    const char *name;
    c->table = -1;
    if (!cursor.value)
        return 0;
    if (json_cursor_text(&cursor, &name, error))
        return EXIT_HARNESS;
    DML_FEATURE_LEVEL level = level_find(name);
    if (!level)
        return json_cursor_error(&cursor, error, "expected a feature level such as \"3_0\", found '%s'", name);
    c->table = spec_table(c->spec, level);
    return c->table >= 0
               ? 0
               : json_cursor_error(&cursor, error, "%s does not exist at feature level %s", c->spec->name, name);
}

static int read_rule(const struct json_cursor *in, struct testcase *c, struct error *error)
{
    struct json_cursor cursor = json_cursor_member(in, "rule");
    const char *id;
    c->rule = -1;
    if (!cursor.value)
        return 0;
    if (json_cursor_text(&cursor, &id, error))
        return EXIT_HARNESS;
    c->rule = spec_find_rule(c->spec, id);
    return c->rule >= 0 ? 0 : json_cursor_error(&cursor, error, "%s has no rule '%s'", c->spec->name, id);
}

/* Returns true if the rule under test is the one that says since when the operator exists. */
static bool is_since(const struct testcase *c)
{
    const struct rule *rule = c->rule >= 0 ? &c->spec->rules[c->rule] : NULL;
    return rule && rule->atom_count > 0 && c->spec->atoms[rule->first_atom].kind == ATOM_SINCE;
}

/* Chooses level and rule of a case that may be rejected. The description must break the rule that the file names, or
 * any. */
static int choose_rejection(const struct json_cursor *cursor, struct testcase *c, struct error *error)
{
    int broken[SPEC_MAX_ATOMS];
    if (c->table < 0)
        c->table = is_since(c) ? 0 : c->spec->level_count - 1;
    if (is_since(c) || c->expect == EXPECT_EITHER)
        return 0;
    int count = rules_check(c->spec, c->desc, c->spec->levels[c->table].level, broken, SPEC_MAX_ATOMS);
    if (count == 0)
        return json_cursor_error(cursor, error,
                                 "expected a description that breaks a rule, since 'expect' is rejected");
    if (c->rule < 0)
        c->rule = broken[0];
    for (int i = 0; i < count; i++)
        if (broken[i] == c->rule)
            return 0;
    return json_cursor_error(cursor, error, "the description breaks the rule '%s', not '%s'",
                             c->spec->rules[broken[0]].id, c->spec->rules[c->rule].id);
}

/* Returns true if all tensors are there, with sizes, so that they can be filled. */
static bool has_tensors(const struct testcase *c)
{
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        if ((!c->desc->items[i].tensor.present || !c->desc->items[i].tensor.has_sizes))
            return false;
    return true;
}

/* Returns true if the description breaks soft rules only, and the rule under test is one of them, or none. Stores the
 * rule. A device should reject the description; a device that accepts it is held to the outputs of the file. */
static bool breaks_softly(struct testcase *c, int table)
{
    int broken[SPEC_MAX_ATOMS], tested = -1;
    int count = rules_check(c->spec, c->desc, c->spec->levels[table].level, broken, SPEC_MAX_ATOMS);
    for (int i = 0; i < count; i++) {
        if (c->spec->rules[broken[i]].strength != STRENGTH_SOFT)
            return false;
        tested = tested < 0 || broken[i] == c->rule ? broken[i] : tested;
    }
    if ((c->rule >= 0 && c->rule != tested) || !has_tensors(c))
        return false;
    c->rule = tested;
    c->table = table;
    c->expect = EXPECT_REJECTED;
    c->dispatch_twice = false;
    return true;
}

/* Returns true if the description breaks open rules only, and the case is of a behaviour, of one of these rules, or of
 * none: a device may reject it; a device that accepts it is held to the outputs. */
static bool breaks_openly(const struct testcase *c, int table)
{
    int broken[SPEC_MAX_ATOMS];
    int count = rules_check(c->spec, c->desc, c->spec->levels[table].level, broken, SPEC_MAX_ATOMS);
    bool open = c->expect <= EXPECT_EITHER && count > 0;
    for (int i = 0; i < count && open; i++)
        open = c->spec->rules[broken[i]].strength == STRENGTH_OPEN;
    return open;
}

/* Chooses the feature level. A case that must be accepted gets the lowest level at which it is legal. A case of a
 * behaviour may break open rules, a case with outputs soft rules. */
static int casefile_choose_level(const struct json_cursor *cursor, struct testcase *c, struct error *error)
{
    int broken = 0, first = c->table >= 0 ? c->table : 0, last = c->table >= 0 ? c->table : c->spec->level_count - 1;
    struct json_cursor outputs = json_cursor_member(cursor, "outputs");
    for (int table = first; table <= last && c->expect == EXPECT_EITHER && json_object_size(outputs.value) > 0; table++)
        if (breaks_openly(c, table))
            c->expect = EXPECT_RESULTS; /* either a rejection or these outputs */
    if (c->expect >= EXPECT_EITHER)
        return choose_rejection(cursor, c, error);
    for (int table = first; table <= last; table++)
        if (rules_check(c->spec, c->desc, c->spec->levels[table].level, &broken, 1) == 0 ||
            (c->expect == EXPECT_RESULTS && breaks_openly(c, table))) {
            c->table = table;
            return 0;
        }
    for (int table = first; table <= last && json_object_size(outputs.value) > 0 && c->expect == EXPECT_RESULTS;
         table++)
        if (breaks_softly(c, table))
            return 0;
    return json_cursor_error(cursor, error, "the description is not legal: %s (rule %s)", c->spec->rules[broken].text,
                             c->spec->rules[broken].id);
}

/* Returns the first input or output without elements; -1: all have some. An output whose count of rows is 0 needs
 * none. */
static int find_missing(const struct testcase *c, bool input)
{
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        if (field_is_input(spec_tensor_field(c->spec, i)) == input && c->desc->items[i].tensor.present &&
            !spec_is(c->spec, i, c->spec->rows.field) && !c->literals[i].data)
            return i;
    return -1;
}

/* Refuses given outputs that could not be compared: the case is not run, by the expectation of the file, or some input
 * is not given. */
static int check_outputs(const struct json_cursor *in, const struct testcase *c, enum expectation asked,
                         struct error *error)
{
    struct json_cursor outputs = json_cursor_member(in, "outputs");
    if (json_object_size(outputs.value) == 0)
        return 0;
    if (c->expect != EXPECT_RESULTS && asked != EXPECT_RESULTS)
        return json_cursor_error(&outputs, error, "outputs are given, but 'expect' is %s, so no output is compared",
                                 expectation_names[asked]);
    int missing = find_missing(c, true);
    if (missing >= 0)
        return json_cursor_error(&outputs, error, "outputs are given, but the input %s is not",
                                 c->spec->tensor_names[missing]);
    missing = c->expect == EXPECT_REJECTED ? find_missing(c, false) : -1;
    return missing < 0
               ? 0
               : json_cursor_error(&outputs, error,
                                   "the description breaks the rule '%s', so the reference device does not run it: "
                                   "expected all outputs; %s is not given",
                                   c->spec->rules[c->rule].id, c->spec->tensor_names[missing]);
}

/* Reads the inputs that have the memory of an output. */
static int casefile_read_in_place(const struct json_cursor *in, struct testcase *c, struct pool *pool,
                                  struct error *error)
{
    struct json_cursor cursor = json_cursor_member(in, "in_place");
    const char *inputs[OPDESC_MAX_TENSORS + 1] = {NULL}, *outputs[OPDESC_MAX_TENSORS + 1] = {NULL};
    int input_items[OPDESC_MAX_TENSORS], output_items[OPDESC_MAX_TENSORS], input_count = 0, output_count = 0;
    struct in_place in_place;
    if (!cursor.value)
        return 0;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        bool input = field_is_input(spec_tensor_field(c->spec, i));
        *(input ? &input_items[input_count] : &output_items[output_count]) = i;
        *(input ? &inputs[input_count++] : &outputs[output_count++]) = c->spec->tensor_names[i];
    }
    int result = json_cursor_object(&cursor, error);
    if (result == 0)
        result = json_cursor_known(&cursor, inputs, error);
    memset(&in_place, -1, sizeof in_place);
    for (int i = 0; result == 0 && i < input_count; i++) {
        struct json_cursor name = json_cursor_member(&cursor, inputs[i]);
        int output;
        if (!name.value)
            continue;
        result = json_cursor_choice(&name, "", outputs, &output, error);
        if (result == 0)
            in_place.output[input_items[i]] = (int8_t)output_items[output];
    }
    if (result || json_object_size(cursor.value) == 0)
        return result;
    c->in_place = pool_copy(pool, &in_place, sizeof in_place);
    const char *fault = testcase_in_place_fault(c);
    return fault ? json_cursor_error(&cursor, error, "an input cannot have the memory of the output: %s", fault) : 0;
}

/* Refuses given elements of two inputs that have the same memory, if the elements differ. */
static int check_in_place(const struct json_cursor *in, const struct testcase *c, struct error *error)
{
    struct json_cursor inputs = json_cursor_member(in, "inputs");
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        int output = testcase_output_of(c, i);
        int first = output >= 0 ? testcase_input_of(c, output) : testcase_memory_of(c, i);
        const struct literal *a = &c->literals[first], *b = &c->literals[i];
        unsigned width = datatype_of(c->desc->items[i].tensor.data_type)->bits;
        if (b->data && (!a->data || !elements_equal(width, a->data, b->data, a->count)))
            return json_cursor_error(&inputs, error, "%s and %s have the same memory: expected the same elements",
                                     c->spec->tensor_names[first], c->spec->tensor_names[i]);
    }
    return 0;
}

/* Sets the members that follow from the others. */
static void derive(struct testcase *c)
{
    const struct rule *rule = c->rule >= 0 ? &c->spec->rules[c->rule] : NULL;
    c->soft = testcase_is_soft(c->spec, c->rule) ||
              (rule && rule->strength == STRENGTH_SOFT && !rule->behaviour && c->expect == EXPECT_REJECTED);
    c->negative_indices = testcase_has_signed_indices(c->spec, c->desc);
}

static int read_flag(const struct json_cursor *cursor, const char *member, bool *flag, struct error *error)
{
    struct json_cursor at = json_cursor_member(cursor, member);
    *flag = json_is_true(at.value);
    return at.value && !json_is_boolean(at.value) ? json_cursor_error(&at, error, "expected true or false") : 0;
}

/* Reads the combination of bits with which the fill "each" begins. */
static int read_first(const struct json_cursor *cursor, struct testcase *c, struct error *error)
{
    const struct json_cursor at = json_cursor_member(cursor, "first");
    int64_t first = 0;
    const int result = at.value ? json_cursor_integer(&at, 0, UINT32_MAX, &first, error) : 0;
    c->first = (uint64_t)first;
    return result;
}

static int read_expectation(const struct json_cursor *cursor, struct testcase *c, struct error *error)
{
    bool again = false, grows = false;
    int expect = EXPECT_RESULTS, fill = c->spec->sparse ? FILL_SPARSE : FILL_ORDINARY, index_fill = INDEX_ANY;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;)
        if (field_is_input(spec_tensor_field(c->spec, i)) &&
            c->desc->items[i].tensor.flags & DML_TENSOR_FLAG_OWNED_BY_DML)
            expect = EXPECT_ACCEPTED; /* bound at an initialisation that device.h does not have */
    int result = read_choice(cursor, "expect", expectation_names, &expect, error);
    if (result == 0)
        result = read_choice(cursor, "fill", fill_names, &fill, error);
    if (result == 0)
        result = read_first(cursor, c, error);
    if (result == 0)
        result = read_choice(cursor, "indices", index_fill_names, &index_fill, error);
    if (result == 0)
        result = read_flag(cursor, "again", &again, error);
    if (result == 0)
        result = read_flag(cursor, "grows", &grows, error);
    if (result == 0)
        result = read_flag(cursor, "one_memory", &c->one_memory, error);
    c->lifecycle.kind = grows && expect == EXPECT_RESULTS ? LIFECYCLE_GROWTH : LIFECYCLE_NONE;
    c->dispatch_twice = again && !grows && expect == EXPECT_RESULTS;
    c->expect = (enum expectation)expect;
    c->fill = (enum fill)fill;
    c->index_fill = (enum index_fill)index_fill;
    return result;
}

int casefile_tolerance(const struct json_cursor *in, struct given_tolerance *out, struct error *error)
{
    static const char *const known[] = {"abs", "rel", "ulp", NULL};
    struct json_cursor cursor = json_cursor_member(in, "tolerance");
    double values[3] = {0};
    if (!cursor.value)
        return 0;
    int result = json_cursor_object(&cursor, error);
    if (result == 0)
        result = json_cursor_known(&cursor, known, error);
    if (result == 0 && json_object_size(cursor.value) == 0)
        result = json_cursor_error(&cursor, error, "expected at least one of abs, rel and ulp");
    for (int i = 0; i < 3 && result == 0; i++) {
        struct json_cursor member = json_cursor_member(&cursor, known[i]);
        if (member.value)
            result = json_number_read(&member, &values[i], error);
        if (result == 0 && member.value && !(values[i] >= 0))
            result = json_cursor_error(&member, error, "expected a number that is not negative");
    }
    if (result == 0)
        *out = (struct given_tolerance){.given = true, .absolute = values[0], .relative = values[1], .ulps = values[2]};
    return result;
}

/* Reads the tolerance of a case. One of its own needs outputs. */
static int read_tolerance(const struct json_cursor *cursor, const struct given_tolerance *usual, struct testcase *c,
                          struct error *error)
{
    struct json_cursor own = json_cursor_member(cursor, "tolerance");
    int result = casefile_tolerance(cursor, &c->tolerance, error);
    if (result == 0 && own.value && !testcase_has_outputs(c))
        return json_cursor_error(&own, error, "a tolerance is given, but no outputs");
    if (result == 0 && !own.value && usual && testcase_has_outputs(c))
        c->tolerance = *usual;
    return result;
}

int casefile_read(const struct json_cursor *cursor, const struct spec_set *specs, const struct word_list *allow,
                  const struct given_tolerance *usual, struct pool *pool, struct testcase *out, struct error *error)
{
    static const char *const known[] = {"name",     "type",       "desc",      "Type",    "Desc",  "inputs", "outputs",
                                        "fill",     "expect",     "rule",      "indices", "level", "again",  "grows",
                                        "in_place", "one_memory", "tolerance", "first",   NULL};
    struct opdesc desc;
    *out = (struct testcase){.strategy = "", .tier = "", .from_file = true};
    int result = json_cursor_object(cursor, error);
    if (result == 0)
        result = json_cursor_known(cursor, known, error);
    if (result == 0)
        result = casefile_read_name(cursor, pool, &out->name, error);
    if (result == 0)
        result = desc_json_read(cursor, specs, &desc, error);
    if (result)
        return result;
    out->spec = &specs->specs[desc.op];
    out->desc = pool_copy(pool, &desc, desc.size);
    struct literal *literals = pool_alloc(pool, OPDESC_MAX_TENSORS * sizeof *literals);
    out->literals = literals;
    result = read_expectation(cursor, out, error);
    enum expectation asked = out->expect;
    if (result == 0)
        result = read_rule(cursor, out, error);
    if (result == 0)
        result = read_level(cursor, out, error);
    if (result == 0)
        result = casefile_choose_level(cursor, out, error);
    if (result == 0)
        result = read_literals(cursor, "inputs", true, out, allow, pool, literals, error);
    if (result == 0)
        result = read_literals(cursor, "outputs", false, out, allow, pool, literals, error);
    if (result == 0)
        result = check_outputs(cursor, out, asked, error);
    if (result == 0)
        result = read_tolerance(cursor, usual, out, error);
    if (result == 0)
        result = casefile_read_in_place(cursor, out, pool, error);
    if (result == 0)
        result = check_in_place(cursor, out, error);
    if (result == 0 && out->spec->rows.field >= 0)
        result = check_rows(cursor, out, error);
    const struct rule *open = result == 0 ? open_contents_find(out) : NULL;
    if (open)
        result =
            json_cursor_error(cursor, error,
                              "the documents leave these contents open by the rule '%s': expected that rule, or none, "
                              "found '%s'",
                              open->id, out->spec->rules[out->rule].id);
    derive(out);
    return result;
}

/* ---- writing */

static json_t *literals_of(const struct testcase *c, bool input)
{
    json_t *tensors = json_object();
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        const struct literal *literal = c->literals ? &c->literals[i] : NULL;
        unsigned type = c->desc->items[i].tensor.data_type;
        if (field_is_input(spec_tensor_field(c->spec, i)) != input || !literal || literal->count == 0)
            continue;
        json_t *values = json_array();
        for (uint32_t n = 0; n < literal->count; n++) {
            uint64_t bits = element_get(datatype_of(type)->bits, literal->data, n);
            json_array_append_new(values, json_element_write(type, &bits));
        }
        json_object_set_new(tensors, c->spec->tensor_names[i], values);
    }
    return tensors;
}

json_t *casefile_write(const struct testcase *c)
{
    json_t *file = json_object(), *cases = json_array(), *one = json_object();
    bool good = json_object_set_new(one, "name", json_string(c->name)) == 0 && desc_json_write(one, c->spec, c->desc);
    json_object_set_new(one, "level", json_string(c->spec->levels[c->table].name));
    json_object_set_new(one, "expect",
                        json_string(expectation_names[testcase_may_run(c) ? EXPECT_RESULTS : c->expect]));
    if (c->rule >= 0)
        json_object_set_new(one, "rule", json_string(c->spec->rules[c->rule].id));
    json_object_set_new(one, "fill", json_string(fill_names[c->fill]));
    if (c->fill == FILL_EACH)
        json_object_set_new(one, "first", json_integer((json_int_t)c->first));
    json_object_set_new(one, "indices", json_string(index_fill_names[c->index_fill]));
    if (c->dispatch_twice)
        json_object_set_new(one, "again", json_true());
    if (c->one_memory)
        json_object_set_new(one, "one_memory", json_true());
    if (c->tolerance.given)
        json_object_set_new(one, "tolerance",
                            json_pack("{s:f, s:f, s:f}", "abs", c->tolerance.absolute, "rel", c->tolerance.relative,
                                      "ulp", c->tolerance.ulps));
    if (c->lifecycle.kind)
        json_object_set_new(one, "grows", json_true());
    json_t *shared = c->in_place ? json_object() : NULL;
    for (int i = -1; shared && (i = testcase_next_tensor(c, i)) >= 0;)
        if (testcase_output_of(c, i) >= 0)
            json_object_set_new(shared, c->spec->tensor_names[i],
                                json_string(c->spec->tensor_names[testcase_output_of(c, i)]));
    if (c->in_place)
        good &= shared && json_object_set_new(one, "in_place", shared) == 0;
    if (testcase_may_run(c)) {
        json_object_set_new(one, "inputs", literals_of(c, true));
        json_object_set_new(one, "outputs", literals_of(c, false));
    }
    json_array_append_new(cases, one);
    if (good && json_object_set_new(file, "cases", cases) == 0)
        return file;
    json_decref(file);
    return NULL;
}
