/* Small specs of real operators (harness/test/specs): windows, slices, reductions, joins, matrices, broadcasts, blocks,
 * FLOATs, levels. Descriptions drawn for them are legal and reach every limit, every rule can be broken alone, and the
 * verdict on changed descriptions is that of a formula written here, which counts places instead of dividing. */
#include "harness/base/random.h"
#include "harness/fuzz/slots.h"
#include "harness/check/check.h"
#include "harness/solve/solve.h"
#include "harness/test/spec_folder.h"
#include "tools/tap.h"

#include <ctype.h>

enum { DRAWN = 300, CHANGED = 20, VIOLATED = 60, MAX_RULES = 64 };

static struct spec_set specs;
static const struct spec *spec;

/* ---- reading a description by names */

static const struct opdesc_tensor *tensor(const struct opdesc *desc, const char *name)
{
    return OPDESC_TENSOR(desc, spec_find_field(spec, name));
}

static int64_t number(const struct opdesc *desc, const char *name)
{
    return opdesc_scalar(desc, spec_find_field(spec, name));
}

static int64_t test_shapes_entry(const struct opdesc *desc, const char *name, int at)
{
    return opdesc_entry(desc, spec_find_field(spec, name), (unsigned)at);
}

static bool test_shapes_is_given(const struct opdesc *desc, const char *name)
{
    return tensor(desc, name)->present;
}

static bool same_sizes(const struct opdesc_tensor *a, const struct opdesc_tensor *b)
{
    return a->dims == b->dims && memcmp(a->sizes, b->sizes, a->dims * sizeof *a->sizes) == 0;
}

/* ---- formulas: whether the rules of the operator hold, those of every tensor aside */

/* Counts the places of a window of `window` elements, `gap` apart, in `padded` elements; sets `rest` if elements are
 * left over. */
static int64_t places(int64_t padded, int64_t window, int64_t gap, int64_t stride, bool *rest)
{
    int64_t count = 0, reach = (window - 1) * gap + 1;
    while (count * stride + reach <= padded)
        count++;
    *rest = count > 0 && (count - 1) * stride + reach < padded;
    return count;
}

static bool pooling(const struct opdesc *desc)
{
    const struct opdesc_tensor *in = tensor(desc, "InputTensor"), *out = tensor(desc, "OutputTensor");
    bool good = number(desc, "DimensionCount") == (int64_t)in->dims - 2 && out->sizes[0] == in->sizes[0] &&
                out->sizes[1] == in->sizes[1];
    for (int i = 0; good && i < (int)in->dims - 2; i++) {
        int64_t window = test_shapes_entry(desc, "WindowSize", i), gap = test_shapes_entry(desc, "Dilations", i),
                stride = test_shapes_entry(desc, "Strides", i), size = out->sizes[i + 2];
        bool rest;
        if (window < 1 || gap < 1 || stride < 1)
            return false;
        int64_t count = places((int64_t)in->sizes[i + 2] + test_shapes_entry(desc, "StartPadding", i) +
                                   test_shapes_entry(desc, "EndPadding", i),
                               window, gap, stride, &rest);
        good = count > 0 && (size == count || (rest && size == count + 1));
        if (good && size == count + 1) /* an element is left over, but not a whole stride */
            good = rest;
    }
    return good &&
           (!test_shapes_is_given(desc, "OutputIndicesTensor") || same_sizes(tensor(desc, "OutputIndicesTensor"), out));
}

static bool convolution(const struct opdesc *desc)
{
    const struct opdesc_tensor *in = tensor(desc, "InputTensor"), *filter = tensor(desc, "FilterTensor"),
                               *out = tensor(desc, "OutputTensor"), *bias = tensor(desc, "BiasTensor");
    int64_t groups = number(desc, "GroupCount"), direction = number(desc, "Direction");
    bool forward = direction == 0, good = groups >= 1 && direction <= 1 && number(desc, "Mode") <= 1 &&
                                          number(desc, "DimensionCount") == (int64_t)in->dims - 2 &&
                                          in->sizes[1] % groups == 0 && out->sizes[0] == in->sizes[0];
    if (!good)
        return false;
    if (forward)
        good = filter->sizes[1] * groups == in->sizes[1] && filter->sizes[0] == out->sizes[1] &&
               filter->sizes[0] % groups == 0;
    else
        good = filter->sizes[0] == in->sizes[1] && filter->sizes[1] * groups == out->sizes[1];
    for (uint32_t i = 0; bias->present && i < bias->dims; i++)
        good &= bias->sizes[i] == (i == 1 ? out->sizes[1] : 1);
    for (int i = 0; good && i < (int)in->dims - 2; i++) {
        int64_t window = filter->sizes[i + 2], gap = test_shapes_entry(desc, "Dilations", i),
                stride = test_shapes_entry(desc, "Strides", i);
        int64_t pads = test_shapes_entry(desc, "StartPadding", i) + test_shapes_entry(desc, "EndPadding", i);
        int64_t own = (int64_t)out->sizes[i + 2] - test_shapes_entry(desc, "OutputPadding", i), size = in->sizes[i + 2];
        bool rest;
        if (gap < 1 || stride < 1)
            return false;
        int64_t count = places((forward ? size : own) + pads, window, gap, stride, &rest);
        good = count > 0 && count == (forward ? own : size);
    }
    return good;
}

static bool slice(const struct opdesc *desc)
{
    const struct opdesc_tensor *in = tensor(desc, "InputTensor"), *out = tensor(desc, "OutputTensor");
    bool good = number(desc, "DimensionCount") == in->dims && out->dims == in->dims;
    for (int i = 0; good && i < (int)in->dims; i++) {
        int64_t offset = test_shapes_entry(desc, "InputWindowOffsets", i),
                window = test_shapes_entry(desc, "InputWindowSizes", i);
        int64_t step = test_shapes_entry(desc, "InputWindowStrides", i), copied = 0;
        good = window >= 1 && offset + window <= in->sizes[i] && step != 0;
        for (int64_t at = step < 0 ? window - 1 : 0; good && at >= 0 && at < window; at += step)
            copied++;
        good &= out->sizes[i] <= copied;
    }
    return good;
}

static bool reduction(const struct opdesc *desc)
{
    const struct opdesc_tensor *in = tensor(desc, "InputTensor"), *out = tensor(desc, "OutputTensor");
    int64_t axes = number(desc, "AxisCount"), function = number(desc, "Function");
    bool reduced[OPDESC_MAX_DIMENSIONS] = {false}, good = axes >= 1 && axes <= in->dims && out->dims == in->dims;
    for (int i = 0; good && i < axes; i++) {
        int64_t axis = test_shapes_entry(desc, "Axes", i);
        good = axis < in->dims && !reduced[axis];
        reduced[good ? axis : 0] = true;
    }
    for (uint32_t i = 0; good && i < in->dims; i++)
        good = out->sizes[i] == (reduced[i] ? 1 : in->sizes[i]);
    return good && function <= 11 && (function <= 1 || out->data_type == in->data_type);
}

static bool test_shapes_join(const struct opdesc *desc)
{
    const struct opdesc_tensor *out = tensor(desc, "OutputTensor");
    int64_t axis = number(desc, "Axis"), parts = number(desc, "InputCount"), sum = 0;
    bool good = parts >= 1 && opdesc_present(desc, spec_find_field(spec, "InputTensors")) && axis < out->dims;
    for (int i = 0; good && i < parts && i < OPDESC_MAX_ARRAY; i++) {
        const struct opdesc_tensor *part = &OPDESC_ELEMENT(desc, spec_find_field(spec, "InputTensors"), i)->tensor;
        good = part->dims == out->dims && part->data_type == out->data_type;
        for (uint32_t d = 0; good && d < out->dims; d++)
            good = d == axis || part->sizes[d] == out->sizes[d];
        sum += good ? part->sizes[axis] : 0;
    }
    return good && sum == out->sizes[axis];
}

static bool matrix(const struct opdesc *desc)
{
    const struct opdesc_tensor *a = tensor(desc, "ATensor"), *b = tensor(desc, "BTensor"), *c = tensor(desc, "CTensor"),
                               *out = tensor(desc, "OutputTensor");
    uint32_t last = a->dims - 1, of_a = number(desc, "TransA") == 1, of_b = number(desc, "TransB") == 1;
    bool good = number(desc, "TransA") <= 1 && number(desc, "TransB") <= 1;
    good &= a->sizes[last - of_a] == b->sizes[last - 1 + of_b] && out->sizes[last - 1] == a->sizes[last - 1 + of_a] &&
            out->sizes[last] == b->sizes[last - of_b];
    for (uint32_t i = 0; i + 2 < a->dims; i++)
        good &= a->sizes[i] == b->sizes[i] && out->sizes[i] == a->sizes[i];
    return good && (!c->present || same_sizes(c, out));
}

static bool normalization(const struct opdesc *desc)
{
    static const char *const others[] = {"MeanTensor", "VarianceTensor", "ScaleTensor", "BiasTensor"};
    const struct opdesc_tensor *in = tensor(desc, "InputTensor"), *out = tensor(desc, "OutputTensor");
    bool good = same_sizes(in, out) && number(desc, "Spatial") <= 1;
    for (int k = 0; k < 4; k++)
        for (uint32_t i = 0; i < in->dims; i++) {
            uint32_t size = tensor(desc, others[k])->sizes[i];
            good &= size == 1 || size == in->sizes[i];
        }
    return good;
}

static bool blocks(const struct opdesc *desc)
{
    const struct opdesc_tensor *in = tensor(desc, "InputTensor"), *out = tensor(desc, "OutputTensor");
    int64_t block = number(desc, "BlockSize");
    return block >= 1 && number(desc, "Order") <= 1 && out->sizes[0] == in->sizes[0] &&
           out->sizes[1] * block * block == in->sizes[1] && out->sizes[2] == in->sizes[2] * block &&
           out->sizes[3] == in->sizes[3] * block;
}

static const struct {
    const char *name;
    bool (*formula)(const struct opdesc *desc);
} operators[] = {{"MAX_POOLING2", pooling},
                 {"CONVOLUTION", convolution},
                 {"SLICE1", slice},
                 {"REDUCE", reduction},
                 {"JOIN", test_shapes_join},
                 {"GEMM", matrix},
                 {"BATCH_NORMALIZATION", normalization},
                 {"DEPTH_TO_SPACE1", blocks},
                 {"ACTIVATION_SOFTPLUS", NULL},
                 {"RESAMPLE1", NULL},
                 {"PADDING1", NULL}};

/* ---- changes */

static void change_number(struct random *r, uint32_t *x)
{
    if (random_below(r, 6) == 0)
        *x = 0;
    else if (*x == 0 || random_below(r, 2))
        ++*x;
    else
        --*x;
}

/* Changes a size, a number or an entry a little. */
static void test_shapes_change(struct random *r, struct opdesc *desc)
{
    int field = (int)random_below(r, (uint32_t)spec->field_count);
    const struct spec_field *f = &spec->fields[field];
    struct opdesc_tensor *t;
    uint32_t x, *list;
    unsigned count;
    switch (f->kind) {
    case FIELD_INPUT:
    case FIELD_OUTPUT:
    case FIELD_INPUTS:
        count = f->kind == FIELD_INPUTS ? opdesc_count(desc, field) : 1;
        t = &OPDESC_ELEMENT(desc, field, count ? random_below(r, count) : 0)->tensor;
        change_number(r, &t->sizes[random_below(r, t->dims)]);
        break;
    case FIELD_UINT:
    case FIELD_BOOL:
    case FIELD_ENUM:
        x = (uint32_t)desc->values[field].number;
        change_number(r, &x);
        if (strcmp(f->name, "InputCount") != 0 || x <= 4) /* the solver draws four tensors; more would be absent */
            desc->values[field].number = x;
        break;
    case FIELD_UINTS:
    case FIELD_INTS:
        list = opdesc_list(desc, field, &count);
        if (count)
            change_number(r, &list[random_below(r, count)]);
        break;
    default:
        break;
    }
}

/* ---- tests */

static bool test_shapes_draw(unsigned op, int table, uint64_t seed, struct opdesc *out)
{
    struct solve_request request;
    solve_request_init(&request);
    request.table = table;
    return solve_satisfy(spec, op, &request, seed, out);
}

/* Returns true if a rule is the operator's own: between those of the tables and those of every tensor. */
static bool test_shapes_is_own(int at)
{
    return at >= 3 && at < spec_find_rule(spec, "tensor-present");
}

static int count_undefined(const struct opdesc *desc, int table)
{
    int undefined = 0;
    for (int i = 0; i < spec->rule_count; i++)
        for (int j = 0; j < spec->rules[i].atom_count && rule_applies(&spec->rules[i], spec->levels[table].level); j++)
            if (atom_check(spec, spec->rules[i].first_atom + j, desc, table) == UNDEFINED && undefined++ == 0)
                note("%s: %s is undefined", spec->name, spec->atoms[spec->rules[i].first_atom + j].text);
    return undefined;
}

static void test_shapes_drawn(unsigned op)
{
    int drawn = 0, illegal = 0, undefined = 0, tried = 0;
    for (int table = 0; table < spec->level_count; table++)
        for (uint64_t i = 0; i < DRAWN; i++) {
            struct opdesc desc;
            tried++;
            if (!test_shapes_draw(op, table, i, &desc))
                continue;
            drawn++;
            illegal += rules_check(spec, &desc, spec->levels[table].level, NULL, 0) != 0;
            undefined += count_undefined(&desc, table) > 0;
        }
    ok(drawn == tried && illegal == 0, "%s: %d of %d descriptions are drawn, all legal", spec->name, drawn, tried);
    ok(undefined == 0, "%s: nothing is undefined in a legal description", spec->name);
}

/* The newest level is tested, whose own rules the formula knows. */
static void test_formula(unsigned op, bool (*formula)(const struct opdesc *desc))
{
    struct random r = {.key = random_hash(spec->name, 3)};
    int table = spec->level_count - 1, wrong = 0, legal = 0, illegal = 0;
    for (uint64_t i = 0; i < DRAWN; i++) {
        struct opdesc desc, other;
        if (!test_shapes_draw(op, table, i, &desc))
            continue;
        for (int k = 0; k <= CHANGED; k++) {
            int broken[MAX_RULES], own = 0;
            opdesc_copy(&other, &desc);
            for (int n = k == 0 ? 0 : 1 + (int)random_below(&r, 2); n > 0; n--)
                test_shapes_change(&r, &other);
            int count = rules_check(spec, &other, spec->levels[table].level, broken, MAX_RULES);
            for (int b = 0; b < count; b++)
                own += test_shapes_is_own(broken[b]);
            bool expected = formula(&other);
            if (expected != (own == 0) && wrong++ < 3)
                note("%s: %s, seed %d, change %d", spec->name, own ? spec->rules[broken[0]].id : "legal", (int)i, k);
            legal += expected;
            illegal += !expected;
        }
    }
    ok(wrong == 0 && legal >= DRAWN && illegal >= DRAWN, "%s: the rules and a formula agree on %d legal and %d illegal",
       spec->name, legal, illegal);
}

/* Every limit of the operator's own rules occurs in a description drawn at some level. */
static void test_shapes_limits(unsigned op)
{
    static struct fuzz_rules rules;
    static uint16_t seen[MAX_RULES][FUZZ_ATOMS];
    int missed = 0;
    memset(seen, 0, sizeof seen);
    for (int table = 0; table < spec->level_count; table++) {
        fuzz_rules_init(&rules, spec, spec->levels[table].level);
        for (uint64_t i = 0; i < DRAWN; i++) {
            struct opdesc desc;
            if (!test_shapes_draw(op, table, i, &desc))
                continue;
            for (int rule = 0; rule < spec->rule_count; rule++)
                for (int a = 0; a < rules.atom_count[rule]; a++)
                    seen[rule][a] |= fuzz_slots(&rules, rules.first_atom[rule] + a, &desc);
        }
    }
    for (int rule = 0; rule < spec->rule_count; rule++)
        for (int i = 0; i < spec->rules[rule].atom_count && test_shapes_is_own(rule); i++) {
            const struct atom *a = &spec->atoms[spec->rules[rule].first_atom + i];
            bool two = (a->kind == ATOM_BETWEEN || a->kind == ATOM_EACH) && a->low >= 0 && a->high >= 0;
            bool high = (a->kind == ATOM_BETWEEN || a->kind == ATOM_EACH) && a->low < 0;
            if (a->kind == ATOM_REALS && (a->reals.above_low || a->reals.below_high))
                continue; /* the limit itself is not allowed */
            if (a->kind == ATOM_REALS && spec->domains[spec->nodes[a->x].field].given)
                continue; /* the domain has other values */
            bool reals = a->kind == ATOM_REALS;
            uint16_t of_reals = (uint16_t)((a->reals.low > -1e40 ? 1 : 0) | (a->reals.high < 1e40 ? 2 : 0));
            uint16_t wanted = high ? 2 : 1;
            if (reals)
                wanted = of_reals;
            else if (two || a->kind == ATOM_BROADCASTS || a->kind == ATOM_DISTINCT)
                wanted = 3;
            if ((seen[rule][i] & wanted) != wanted && missed++ < 5)
                note("%s: '%s' reaches only %x", spec->name, a->text, seen[rule][i]);
        }
    ok(missed == 0, "%s: every limit is reached", spec->name);
}

/* Returns true if no description can break only this rule; the reasons are those of test_rules.c. */
static bool test_shapes_never_alone(const struct rule *rule)
{
    return rule->behaviour || strcmp(rule->id, "introduced") == 0 || strcmp(rule->id, "broadcast-limit") == 0;
}

static void test_shapes_violations(unsigned op)
{
    static struct solve_move moves[SOLVE_MAX_MOVES];
    bool alone[MAX_RULES] = {false};
    int wrong = 0, never = 0, made = 0;
    for (int table = 0; table < spec->level_count; table++)
        for (uint64_t i = 0; i < VIOLATED; i++) {
            struct opdesc legal, bad, twin;
            if (!test_shapes_draw(op, table, i, &legal))
                continue;
            for (int rule = 0; rule < spec->rule_count; rule++)
                for (int m = 0, all = solve_moves(spec, rule, table, &legal, moves); m < all; m++) {
                    int broken[2] = {-1, -1};
                    if (!solve_violate(spec, rule, table, &legal, &moves[m], &bad, &twin))
                        continue;
                    alone[rule] = true;
                    made++;
                    wrong += rules_check(spec, &bad, spec->levels[table].level, broken, 2) != 1 || broken[0] != rule ||
                             rules_check(spec, &twin, spec->levels[table].level, NULL, 0) != 0;
                }
        }
    for (int rule = 0; rule < spec->rule_count; rule++)
        if (alone[rule] == test_shapes_never_alone(&spec->rules[rule])) {
            note("%s: %s is %sbroken alone", spec->name, spec->rules[rule].id, alone[rule] ? "" : "never ");
            never++;
        }
    ok(wrong == 0, "%s: %d descriptions break one rule, and their twins none", spec->name, made);
    ok(never == 0, "%s: every rule can be broken alone", spec->name);
}

/* A product whose factor cannot have the requested value: its interval is empty, with an end of 0. */
static void test_empty_factor(void)
{
    int op = spec_set_find(&specs, "CONVOLUTION");
    struct solve_request request;
    struct solve_interval in[SPEC_MAX_NODES];
    solve_request_init(&request);
    spec = &specs.specs[op];
    request.table = spec->level_count - 1;
    request.parameters[1] = 0;
    ok(!solve_narrow(spec, &request, in), "a GroupCount of 0, a factor of a size, is refuted");
}

/* A request bounds the multiplications of a product of matrices: the elements of the output times those of a row. */
static void test_work(void)
{
    int op = spec_set_find(&specs, "GEMM"), wrong = 0, many = 0;
    struct solve_request request;
    struct opdesc desc;
    solve_request_init(&request);
    spec = &specs.specs[op];
    request.table = spec->level_count - 1;
    request.largest = 40;
    for (uint64_t i = 0; i < DRAWN; i++) {
        request.max_work = i % 2 ? 1000 : 0;
        if (!solve_satisfy(spec, (unsigned)op, &request, i, &desc)) {
            wrong++;
            continue;
        }
        const struct opdesc_tensor *a = tensor(&desc, "ATensor"), *out = tensor(&desc, "OutputTensor");
        double work = (double)a->sizes[a->dims - 1] * (double)opdesc_elements(out);
        many += work > 1000;
        wrong += solve_work(spec, &desc) != work || work > (i % 2 ? 1000 : 100000);
    }
    ok(wrong == 0 && many > DRAWN / 10, "the multiplications of a description are bounded: %d wrong, %d are many",
       wrong, many);
}

/* Attributes are drawn from their domains: entries of an array of FLOATs, and an integer with a usual value. */
static void test_attribute_domains(void)
{
    int op = spec_set_find(&specs, "RESAMPLE1"), scales = 0, beyond = 0, groups[4] = {0};
    struct opdesc desc;
    spec = &specs.specs[op];
    for (uint64_t i = 0; i < DRAWN; i++) {
        int field = spec_find_field(spec, "Scales");
        if (!test_shapes_draw((unsigned)op, spec->level_count - 1, i, &desc))
            continue;
        for (unsigned at = 0; at < opdesc_count(&desc, field); at++, scales++) {
            float scale;
            memcpy(&scale, &OPDESC_ELEMENT(&desc, field, 0)->list[at], sizeof scale);
            beyond += !(scale >= 0.25f && scale <= 4);
        }
    }
    ok(scales >= DRAWN && beyond == 0, "%d of %d Scales are beyond their domain", beyond, scales);
    op = spec_set_find(&specs, "CONVOLUTION");
    spec = &specs.specs[op];
    for (uint64_t i = 0; i < DRAWN; i++)
        if (test_shapes_draw((unsigned)op, spec->level_count - 1, i, &desc)) {
            int64_t count = number(&desc, "GroupCount");
            groups[count >= 1 && count <= 3 ? count : 0]++;
        }
    ok(groups[0] == 0 && groups[1] > DRAWN / 2 && groups[2] > 10 && groups[3] > 10,
       "GroupCount is 1 in %d cases, 2 in %d, 3 in %d", groups[1], groups[2], groups[3]);
}

int main(void)
{
    struct spec_folder folder;
    struct error error = {0};
    char name[64];
    spec_folder_make(&folder);
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        snprintf(name, sizeof name, "%s.lua", operators[i].name);
        for (char *at = name; *at; at++)
            *at = (char)tolower((unsigned char)*at);
        spec_folder_link(&folder, "harness/test/specs", name);
    }
    bool loaded = spec_set_load(&specs, folder.path, &error) == 0;
    spec_folder_remove(&folder);
    if (!ok(loaded, "specs load %s", error.text))
        return tap_done();
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        int op = spec_set_find(&specs, operators[i].name);
        spec = &specs.specs[op];
        test_shapes_drawn((unsigned)op);
        if (operators[i].formula)
            test_formula((unsigned)op, operators[i].formula);
        test_shapes_limits((unsigned)op);
        test_shapes_violations((unsigned)op);
    }
    test_empty_factor();
    test_work();
    test_attribute_domains();
    spec_set_free(&specs);
    return tap_done();
}
