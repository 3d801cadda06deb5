#include "harness/case/choice.h"

#include "harness/base/datatype.h"
#include "harness/base/random.h"
#include "harness/formula/folding_sum.h"
#include "harness/formula/operands.h"

#include <string.h>

enum {
    VISITS = 4096, /* combinations of interesting values that are tried */
    TRIES = 16,    /* draws of one element */
    STEP = 1000003 /* a prime above INTERESTING_MAX, so that steps visit every combination */
};

/* ---- the condition */

static void choice_put(struct choice *choice, int input, uint64_t bits)
{
    unsigned type = choice->inputs[input].values.type;
    int item = choice->inputs[input].item;
    if (!choice->whole)
        choice->reals.elements[item] = datatype_to_double(type, &bits);
    else if (choice->bits || !datatype_of(type)->is_signed)
        choice->integers.elements[item] = (formula_integer)datatype_bits(type, &bits);
    else
        choice->integers.elements[item] = datatype_to_integer(type, &bits);
}

static bool is_true(const struct choice *choice, const struct formula *formula)
{
    formula_integer value;
    return choice->whole ? formula_whole(formula, &choice->integers, &value) && value != 0
                         : formula_real(formula, &choice->reals) != 0;
}

/* Returns true if a condition counts: with FILL_CHOICE only that of the behaviour under test, with FILL_SETTLED
 * each. */
static bool choice_counts(const struct testcase *c, const struct spec_choice *one)
{
    return c->fill != FILL_CHOICE || one->rule == c->rule;
}

/* FILL_CHOICE: the condition of the behaviour under test holds. FILL_SETTLED: the condition of no behaviour holds. */
bool choice_holds(struct choice *choice, const uint64_t bits[CHOICE_INPUTS])
{
    const struct testcase *c = choice->c;
    for (int i = 0; i < choice->input_count; i++)
        choice_put(choice, i, bits[i]);
    bool wanted = c->fill == FILL_CHOICE;
    for (int r = 0; r < choice->result_count; r++) {
        const struct spec_result *result = choice->results[r];
        folding_of_one(result, choice->folds[r], choice->whole ? NULL : &choice->reals,
                       choice->whole ? &choice->integers : NULL);
        for (int i = 0; i < result->choice_count; i++)
            if (choice_counts(c, &result->choices[i]) && is_true(choice, &result->choices[i].when))
                return wanted;
    }
    return !wanted;
}

/* ---- drawing */

/* Draws a value for one input: an interesting one, an ordinary one, a small integer, that of an earlier input or one
 * next to it, or any bits. */
static uint64_t draw_input(const struct choice *choice, int input, struct random *random,
                           const uint64_t bits[CHOICE_INPUTS])
{
    const struct choice_input *in = &choice->inputs[input];
    unsigned way = random_below(random, 8);
    uint64_t value = 0;
    if (way < 4)
        return in->values.bits[random_below(random, (uint32_t)in->values.count)];
    if (way == 4 && input > 0) {
        const struct choice_input *other = &choice->inputs[random_below(random, (uint32_t)input)];
        uint64_t next = bits[other - choice->inputs] + random_below(random, 3) - 1;
        return other->values.type == in->values.type ? next : bits[other - choice->inputs];
    }
    if (way == 5) {
        datatype_from_integer(in->values.type, (int64_t)random_below(random, 32) - 16, &value);
        return value;
    }
    return way == 6 ? random_next(random) : domain_draw(&in->domain, random_next(random));
}

static void draw_ordinary(const struct choice *choice, struct random *random, uint64_t bits[CHOICE_INPUTS])
{
    for (int i = 0; i < choice->input_count; i++)
        bits[i] = domain_draw(&choice->inputs[i].domain, random_next(random));
}

/* Gives inputs of other sizes their only value. */
static void fix(const struct choice *choice, uint64_t bits[CHOICE_INPUTS])
{
    for (int i = 0; i < choice->input_count; i++)
        if (choice->inputs[i].fixed)
            bits[i] = domain_draw(&choice->inputs[i].domain, random_at(choice->key, (uint64_t)-1 - (uint64_t)i));
}

void choice_draw(struct choice *choice, uint64_t number, uint64_t bits[CHOICE_INPUTS])
{
    struct random random = {.key = random_at(choice->key, number)};
    bool found = choice->found_count > 0 && random_below(&random, 2);
    for (int try = 0; try < TRIES && !found; try++) {
        for (int i = 0; i < choice->input_count; i++)
            bits[i] = draw_input(choice, i, &random, bits);
        fix(choice, bits);
        if (choice_holds(choice, bits))
            return;
    }
    if (choice->found_count > 0) {
        memcpy(bits, choice->found[random_below(&random, (uint32_t)choice->found_count)], sizeof *choice->found);
    } else {
        draw_ordinary(choice, &random, bits);
        fix(choice, bits);
    }
}

/* Looks for up to `most` combinations of interesting values that meet the condition: the same in every run. */
static void choice_find(struct choice *choice, int most)
{
    uint64_t combinations = 1;
    for (int i = 0; i < choice->input_count; i++)
        combinations *= (uint64_t)choice->inputs[i].values.count;
    uint64_t at = 0;
    for (uint64_t visit = 0; visit < VISITS && visit < combinations && choice->found_count < most; visit++) {
        uint64_t rest = at, *bits = choice->found[choice->found_count];
        for (int i = 0; i < choice->input_count; i++) {
            const struct interesting *values = &choice->inputs[i].values;
            bits[i] = values->bits[rest % (uint64_t)values->count];
            rest /= (uint64_t)values->count;
        }
        fix(choice, bits);
        choice->found_count += choice_holds(choice, bits);
        at = (at + STEP) % combinations;
    }
}

/* ---- what a case has */

/* Returns the item of the output whose elements the condition is about. */
static int choice_output_of(const struct testcase *c)
{
    const struct spec *spec = c->spec;
    for (int r = 0; r < spec->result_count; r++)
        for (int i = 0; i < spec->results[r].choice_count; i++)
            if (c->fill == FILL_SETTLED || spec->results[r].choices[i].rule == c->rule)
                return spec_item(spec, spec->results[r].field);
    return c->fill == FILL_SETTLED && spec->result_count > 0 ? spec_item(spec, spec->results[0].field) : -1;
}

/* Returns true if a fold of some result is over the input, whose elements then stand alone. */
static bool choice_is_folded(const struct spec *spec, int item)
{
    for (int r = 0; r < spec->result_count; r++)
        for (int i = 0; i < spec->results[r].fold_count; i++)
            for (int n = 0; n < spec->results[r].folds[i].tensor_count; n++)
                if (spec->results[r].folds[i].tensors[n].item == item)
                    return true;
    return false;
}

static void add_input(struct choice *choice, int item, const struct opdesc_tensor *output)
{
    const struct testcase *c = choice->c;
    const struct opdesc_tensor *t = &c->desc->items[item].tensor;
    struct choice_input *in = &choice->inputs[choice->input_count++];
    *in = (struct choice_input){.item = item, .field = c->spec->tensor_fields[item]};
    in->fixed = !choice_is_folded(c->spec, item) &&
                (t->dims != output->dims || memcmp(t->sizes, output->sizes, t->dims * sizeof *t->sizes) != 0);
    in->domain = domain_of(c->spec, c->desc, in->field, t->data_type);
    in->values.type = t->data_type;
}

/* Lists the results whose conditions count here. */
static void list_results(struct choice *choice)
{
    const struct spec *spec = choice->c->spec;
    for (int r = 0; r < spec->result_count && choice->result_count < OPDESC_MAX_TENSORS; r++) {
        const struct spec_result *result = &spec->results[r];
        uint32_t folds = 0;
        bool some = false;
        for (int i = 0; i < result->choice_count; i++) {
            if (!choice_counts(choice->c, &result->choices[i]))
                continue;
            some = true;
            folds |= folding_reached_from(result, &result->choices[i].when);
        }
        if (!some || !spec_result_applies(result, choice->c->desc))
            continue;
        choice->folds[choice->result_count] = folds;
        choice->results[choice->result_count++] = result;
    }
}

/* Prepares all but the interesting values. */
static bool choice_prepare(struct choice *choice, const struct testcase *c, uint64_t seed)
{
    enum { SALT = 0xc401ce };
    int output = choice_output_of(c);
    memset(choice, 0, sizeof *choice);
    choice->c = c;
    choice->key = random_at(seed, SALT);
    if (output < 0)
        return false;
    const struct opdesc_tensor *made = &c->desc->items[output].tensor;
    bool reals = datatype_of(made->data_type)->is_float;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0;) {
        if (!field_is_input(spec_tensor_field(c->spec, i)))
            continue;
        reals |= datatype_of(c->desc->items[i].tensor.data_type)->is_float;
        if (choice->input_count < CHOICE_INPUTS && spec_tensor_field(c->spec, i)->kind == FIELD_INPUT)
            add_input(choice, i, made);
    }
    for (int r = 0; r < c->spec->result_count; r++)
        choice->bits |= c->spec->results[r].bits && spec_item(c->spec, c->spec->results[r].field) == output;
    choice->whole = choice->bits || !reals;
    list_results(choice);
    operands_of(c->spec, c->desc, made->data_type, &choice->reals, &choice->integers);
    return choice->input_count > 0;
}

static bool case_choice_begin(struct choice *choice, const struct testcase *c, uint64_t seed, int most)
{
    if (!choice_prepare(choice, c, seed))
        return false;
    if (c->fill == FILL_CHOICE && choice->result_count == 0) /* with this fused activation, or constant */
        return false;
    for (int i = 0; i < choice->input_count; i++)
        interesting_list(c, choice->inputs[i].item, &choice->inputs[i].values);
    choice_find(choice, most);
    return true;
}

bool choice_begin(struct choice *choice, const struct testcase *c, uint64_t seed)
{
    return case_choice_begin(choice, c, seed, CHOICE_FOUND);
}

int choice_count_open(const struct testcase *c)
{
    struct testcase settled = *c;
    struct choice choice;
    uint64_t bits[CHOICE_INPUTS];
    int open = 0;
    settled.fill = FILL_SETTLED;
    if (!choice_prepare(&choice, &settled, 0))
        return 0;
    for (uint64_t number = 0; number < CHOICE_SAMPLE; number++) {
        struct random random = {.key = random_at(choice.key, number)};
        draw_ordinary(&choice, &random, bits);
        fix(&choice, bits);
        open += !choice_holds(&choice, bits);
    }
    return open;
}

bool choice_is_possible(const struct testcase *c)
{
    enum { DRAWS = 64 };
    struct choice choice;
    uint64_t bits[CHOICE_INPUTS];
    if (!case_choice_begin(&choice, c, 0, 1))
        return false;
    for (uint64_t number = 0; number < DRAWS && choice.found_count == 0; number++) {
        choice_draw(&choice, number, bits);
        if (choice_holds(&choice, bits))
            return true;
    }
    return choice.found_count > 0;
}
