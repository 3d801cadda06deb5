/* Attributes of operators with formulas. The solver draws them without regard to the inputs: Min may be above Max, or
 * no element between them. Here they are drawn again until the case shows something. */
#include "harness/plan/plan_internal.h"

#include "harness/base/datatype.h"
#include "harness/case/choice.h"
#include "harness/case/fill.h"
#include "harness/plan/situation.h"
#include "harness/check/check.h"
#include "harness/describe/field_kind.h"

#include <math.h>
#include <string.h>

enum {
    TRIES = 24,
    FEW_TRIES = 3, /* if elements of several inputs are looked for in each */
    OPEN_MOST = 8  /* of CHOICE_SAMPLE ordinary elements: so many may leave a choice */
};

static bool plan_attributes_is_drawn(const struct spec_field *field)
{
    return field->kind == FIELD_FLOAT || field->kind == FIELD_SCALAR || field->kind == FIELD_SCALE_BIAS ||
           field->kind == FIELD_OPERATOR || field->kind == FIELD_OPERATORS;
}

/* Returns an ordinary element of some input; without inputs, a small number of either sign. */
static double plan_attributes_any_element(const struct testcase *c, struct random *random)
{
    int items[CHOICE_INPUTS], count = 0;
    for (int i = -1; (i = testcase_next_tensor(c, i)) >= 0 && count < CHOICE_INPUTS;)
        if (field_is_input(spec_tensor_field(c->spec, i)))
            items[count++] = i;
    if (count == 0) {
        double eighths = (double)random_below(random, 129) - 64;
        return eighths / (random_below(random, 2) ? 1 : 8);
    }
    int item = items[random_below(random, (uint32_t)count)];
    unsigned type = c->desc->items[item].tensor.data_type;
    struct domain domain = domain_of(c->spec, c->desc, c->spec->tensor_fields[item], type);
    uint64_t bits = domain_draw(&domain, random_next(random));
    return datatype_to_double(type, &bits);
}

/* Returns a number near the limits of some data type, or of any magnitude. */
static float far_number(struct random *random)
{
    static const float limits[] = {-1,    127,   128,   255,     256,     32767,  32768,
                                   65504, 65520, 65536, 0x1p31f, 0x1p32f, 0x1p63f};
    float sign = random_below(random, 2) ? 1 : -1;
    if (random_below(random, 2))
        return sign * limits[random_below(random, sizeof limits / sizeof *limits)];
    int exponent = (int)random_below(random, 120) - 40; /* before the other draw, in whatever order arguments are */
    return sign * ldexpf(1 + (float)random_below(random, 1024) / 1024, exponent);
}

/* Draws a number of the spec's domain; or else one as large as the elements, or a small one; or, for cases about a
 * choice, any. */
static void draw_number(const struct testcase *c, const struct field_ref *ref, struct random *random)
{
    unsigned way = random_below(random, c->fill == FILL_CHOICE ? 4 : 3);
    const struct spec_domain *domain = &c->spec->domains[ref->at];
    double number = way == 3 ? (double)far_number(random) : plan_attributes_any_element(c, random);
    field_draw(ref, domain, random);
    if (way == 0 || (domain->given && way != 3))
        return;
    if (ref->fields[ref->at].kind == FIELD_FLOAT)
        field_value(ref)->real = fabs(number) <= 0x1.fffffep127 ? (float)number : 0;
    else if (field_scalar_type(ref))
        datatype_from_double(field_scalar_type(ref), number, field_value(ref)->bytes);
}

/* Returns the fused activation that the rule of the case is about; 0: none in particular. */
static uint32_t activation_of(const struct testcase *c, int field)
{
    for (int r = 0; r < c->spec->result_count; r++)
        for (int i = 0; i < c->spec->results[r].choice_count && c->fill == FILL_CHOICE; i++)
            if (c->spec->results[r].choices[i].rule == c->rule && c->spec->results[r].by == field)
                return c->spec->results[r].activation;
    return 0;
}

/* Draws the FLOATs of activations, fused or in an array: small ones, sometimes negative, for cases about a choice also
 * 0. */
static void draw_activations(const struct testcase *c, const struct field_ref *ref, struct opdesc *desc,
                             struct random *random)
{
    static const float numbers[] = {1, 0.5f, 2, 0.25f, 1.5f, 0.75f, -0.5f, -1, 0};
    uint32_t wanted = activation_of(c, ref->at);
    if (wanted) {
        desc->given |= 1u << ref->at;
        OPDESC_ELEMENT(desc, ref->at, 0)->nested = (struct opdesc_nested){.type = wanted, .has_desc = true};
    }
    for (unsigned at = 0; opdesc_present(desc, ref->at) && at < opdesc_count(desc, ref->at); at++) {
        struct opdesc_nested *nested = &OPDESC_ELEMENT(desc, ref->at, at)->nested;
        const struct spec_layout *layout = field_nested_layout(ref, nested);
        for (int i = 0; layout && i < field_nested_count(layout); i++)
            if (layout->fields[i].kind == FIELD_FLOAT)
                nested->values[i].real = numbers[random_below(random, c->fill == FILL_CHOICE ? 9 : 8)];
    }
}

static void plan_attributes_draw(const struct testcase *c, struct opdesc *desc, struct random *random)
{
    for (int i = 0; i < c->spec->field_count; i++) {
        const struct field_ref ref = field_ref(c->spec, desc, i);
        if (c->spec->fields[i].kind == FIELD_OPERATOR || c->spec->fields[i].kind == FIELD_OPERATORS)
            draw_activations(c, &ref, desc, random);
        else if (c->spec->fields[i].kind == FIELD_SCALE_BIAS)
            field_draw(&ref, &c->spec->domains[i], random);
        else if (plan_attributes_is_drawn(&c->spec->fields[i]))
            draw_number(c, &ref, random);
    }
}

/* Sets the values that the requested situation names. */
static void set_values(const struct case_request *request, const struct testcase *c, struct opdesc *desc)
{
    if (request->situation)
        situation_set_values(c->spec, request->situation, desc);
}

/* Returns true if there are attributes to draw. */
static bool has_drawn(const struct spec *spec)
{
    bool found = false;
    for (int i = 0; i < spec->field_count; i++)
        found |= plan_attributes_is_drawn(&spec->fields[i]);
    return found;
}

/* The case has the description that is drawn. */
static bool is_in_situation(const struct case_request *request, const struct testcase *c)
{
    return !request->situation || situation_holds(request->situation, c);
}

/* Returns true if the description is legal. In a case that tests a behaviour it may also break open rules, which leave
 * it to the device to show the behaviour. */
static bool may_run(const struct case_request *request, const struct testcase *c, const struct opdesc *desc)
{
    int broken[4], count = rules_check(c->spec, desc, c->spec->levels[c->table].level, broken, 4);
    if (count > 4 || (count > 0 && (request->rule < 0 || !c->spec->rules[request->rule].behaviour)))
        return false;
    for (int i = 0; i < count; i++)
        if (c->spec->rules[broken[i]].strength != STRENGTH_OPEN)
            return false;
    return true;
}

bool planner_suit_attributes(const struct case_request *request, const struct testcase *c, uint64_t seed,
                             struct opdesc *desc)
{
    struct random random = {.key = seed};
    DML_FEATURE_LEVEL level = c->spec->levels[c->table].level;
    struct opdesc best;
    int least = CHOICE_SAMPLE + 1, tries = c->fill == FILL_CHOICE && c->spec->input_count > 1 ? FEW_TRIES : TRIES;
    if (c->spec->result_count == 0 && !request->situation)
        return true;
    set_values(request, c, desc);
    if (c->spec->result_count == 0 || !has_drawn(c->spec) || c->expect != EXPECT_RESULTS)
        return rules_check(c->spec, desc, level, NULL, 0) == 0 && is_in_situation(request, c);
    opdesc_copy(&best, desc);
    for (int try = 0; try < 2 * tries && least > OPEN_MOST; try++) { /* first by legal descriptions alone */
        plan_attributes_draw(c, desc, &random);
        set_values(request, c, desc);
        if (!is_in_situation(request, c))
            continue;
        if (try < tries ? rules_check(c->spec, desc, level, NULL, 0) != 0 : !may_run(request, c, desc))
            continue;
        int open;
        if (c->fill == FILL_CHOICE)
            open = fill_is_possible(c) ? 0 : CHOICE_SAMPLE;
        else
            open = choice_count_open(c);
        if (open < least) {
            least = open;
            opdesc_copy(&best, desc);
        }
    }
    opdesc_copy(desc, &best);
    return (least <= CHOICE_SAMPLE && !request->situation) ||
           (is_in_situation(request, c) && rules_check(c->spec, desc, level, NULL, 0) == 0);
}
