/* cmd_spec_text.c: the text of a part of a formula. */
#include "harness/cli/cmd_spec_parts.h"
#include "harness/base/datatype.h"
#include "harness/spec/catalogue.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *spec_part_reference(const struct spec_parts *parts, int at)
{
    const struct spec_part *part = &parts->parts[at];
    return part->name ? part->name : part->text;
}

static void set_part_text(struct spec_part *part, const char *text, int binds)
{
    part->text = text;
    part->binds = binds;
}

/* Returns an operand's text in parentheses if it binds less tightly than `least`. */
static const char *text_within(struct spec_parts *parts, int at, int least)
{
    const struct spec_part *part = &parts->parts[at];
    if (part->name || part->binds >= least)
        return spec_part_reference(parts, at);
    return pool_format(&parts->pool, "(%s)", part->text);
}

/* ---- operands */

/* Writes a number as a small integer times a power of two, if it is that. */
static bool write_power(struct spec_parts *parts, struct spec_part *part)
{
    int exponent;
    double odd = frexp(part->value, &exponent);
    while (fabs(odd) < 512 && odd != trunc(odd)) {
        odd *= 2;
        exponent--;
    }
    if (odd != trunc(odd) || odd == 0)
        return false;
    if (odd == 1)
        set_part_text(part, pool_format(&parts->pool, "2^%d", exponent), BINDS_ATOM);
    else
        set_part_text(part, pool_format(&parts->pool, "%g * 2^%d", odd, exponent), odd < 0 ? BINDS_SUM : BINDS_PRODUCT);
    return true;
}

static void write_constant(struct spec_parts *parts, struct spec_part *part)
{
    const double value = part->value;
    char text[40];
    snprintf(text, sizeof text, "%.9g", value);
    if (strtod(text, NULL) != value)
        snprintf(text, sizeof text, "%.17g", value);
    if (isnan(value))
        set_part_text(part, "NaN", BINDS_ATOM);
    else if (isinf(value))
        set_part_text(part, value > 0 ? "infinity" : "-infinity", value > 0 ? BINDS_ATOM : BINDS_SUM);
    else if (fabs(value) == (double)FLT_MAX)
        set_part_text(part, value > 0 ? "FLT_MAX" : "-FLT_MAX", value > 0 ? BINDS_ATOM : BINDS_SUM);
    else if (strlen(text) < 7 || !write_power(parts, part))
        set_part_text(part, pool_string(&parts->pool, text), value < 0 ? BINDS_SUM : BINDS_ATOM);
}

/* Returns the name of a stage or of a tensor, of an array "Tensors[0]". */
static const char *item_name(struct spec_parts *parts, int item)
{
    const struct spec *spec = parts->spec;
    if (item >= spec->blank->item_count)
        return spec->stages[item - spec->blank->item_count].name;
    int field = spec->tensor_fields[item];
    const char *name = spec->fields[field].name;
    bool is_array = spec->fields[field].kind == FIELD_INPUTS || spec->fields[field].kind == FIELD_OUTPUTS;
    return is_array ? pool_format(&parts->pool, "%s[%d]", name, item - spec_item(spec, field)) : name;
}

/* Returns "FusedActivation.Alpha", since the operator may have an Alpha of its own. */
static const char *member_name(struct spec_parts *parts, int member)
{
    const struct spec_result *result = parts->result;
    return pool_format(&parts->pool, "%s.%s", parts->spec->fields[result->by].name,
                       catalogue_layout(parts->spec->catalogue, result->activation)->fields[member].name);
}

/* Returns the form of a text about a field, with %s for its name; null: the part is not about a field. */
static const char *form_of_field(const struct spec_parts *parts, const struct spec_part *part)
{
    switch ((enum formula_op)part->op) {
    case FORMULA_ATTRIBUTE:
        return parts->spec->fields[part->field].kind == FIELD_SCALE_BIAS ? "%s.Scale" : "%s";
    case FORMULA_BIAS:
        return "%s.Bias";
    case FORMULA_CAST:
        return "cast(%s)";
    case FORMULA_TRUNCATED:
        return "trunc(%s)";
    case FORMULA_FLOORED:
        return "floor(%s)";
    case FORMULA_IS_FLOAT:
        return "%s is floating-point";
    case FORMULA_PRESENT:
        return "%s is given";
    default:
        return NULL;
    }
}

static bool write_field(struct spec_parts *parts, struct spec_part *part)
{
    const char *form = form_of_field(parts, part), *before, *name;
    if (!form)
        return false;
    name = parts->spec->fields[part->field].name;
    before = strstr(form, "%s");
    set_part_text(part, pool_format(&parts->pool, "%.*s%s%s", (int)(before - form), form, name, before + 2),
                  part->op == FORMULA_IS_FLOAT || part->op == FORMULA_PRESENT ? BINDS_COMPARISON : BINDS_ATOM);
    return true;
}

/* ---- operations */

static const struct {
    uint8_t op;
    const char *sign;
    int binds, left, right; /* the whole text, and what its operands need */
} infixes[] = {
    {FORMULA_ADD, "+", BINDS_SUM, BINDS_SUM, BINDS_SUM},
    {FORMULA_SUB, "-", BINDS_SUM, BINDS_SUM, BINDS_PRODUCT},
    {FORMULA_MUL, "*", BINDS_PRODUCT, BINDS_PRODUCT, BINDS_PRODUCT},
    {FORMULA_DIV, "/", BINDS_PRODUCT, BINDS_PRODUCT, BINDS_ATOM},
    {FORMULA_LT, "<", BINDS_COMPARISON, BINDS_SUM, BINDS_SUM},
    {FORMULA_LE, "<=", BINDS_COMPARISON, BINDS_SUM, BINDS_SUM},
    {FORMULA_EQ, "=", BINDS_COMPARISON, BINDS_SUM, BINDS_SUM},
    {FORMULA_NE, "!=", BINDS_COMPARISON, BINDS_SUM, BINDS_SUM},
    {FORMULA_AND, "and", BINDS_LOGIC, BINDS_COMPARISON, BINDS_COMPARISON},
    {FORMULA_OR, "or", BINDS_LOGIC, BINDS_COMPARISON, BINDS_COMPARISON},
    {FORMULA_BIT_AND, "&", BINDS_SUM, BINDS_ATOM, BINDS_ATOM},
    {FORMULA_BIT_OR, "|", BINDS_SUM, BINDS_ATOM, BINDS_ATOM},
    {FORMULA_BIT_XOR, "~", BINDS_SUM, BINDS_ATOM, BINDS_ATOM},
    {FORMULA_SHIFT_LEFT, "<<", BINDS_SUM, BINDS_ATOM, BINDS_ATOM},
    {FORMULA_SHIFT_RIGHT, ">>", BINDS_SUM, BINDS_ATOM, BINDS_ATOM},
};

/* "a and b and c" needs no parentheses. */
static int least_binding(const struct spec_parts *parts, const struct spec_part *part, int operand, int least)
{
    const bool joins = part->op == FORMULA_AND || part->op == FORMULA_OR;
    return joins && parts->parts[operand].op == part->op ? BINDS_LOGIC : least;
}

/* "x > 0" reads better than "0 < x". */
static bool is_limit(const struct spec_part *part)
{
    return part->op == FORMULA_CONST || part->op == FORMULA_LARGEST || part->op == FORMULA_LOWEST ||
           part->op == FORMULA_LEAST;
}

static bool write_swapped(struct spec_parts *parts, struct spec_part *part)
{
    if ((part->op != FORMULA_LT && part->op != FORMULA_LE) || !is_limit(&parts->parts[part->a]))
        return false;
    const char *limit = text_within(parts, part->a, BINDS_SUM), *x = text_within(parts, part->b, BINDS_SUM);
    set_part_text(part, pool_format(&parts->pool, "%s %s %s", x, part->op == FORMULA_LT ? ">" : ">=", limit),
                  BINDS_COMPARISON);
    return true;
}

/* "x - 1" reads better than "x + -1". */
static bool write_difference(struct spec_parts *parts, struct spec_part *part)
{
    if (part->op != FORMULA_ADD || parts->parts[part->b].op != FORMULA_CONST || parts->parts[part->b].text[0] != '-')
        return false;
    const char *x = text_within(parts, part->a, BINDS_SUM);
    set_part_text(part, pool_format(&parts->pool, "%s - %s", x, parts->parts[part->b].text + 1), BINDS_SUM);
    return true;
}

static bool write_infix(struct spec_parts *parts, struct spec_part *part)
{
    for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
        if (infixes[i].op == part->op) {
            const char *a = text_within(parts, part->a, least_binding(parts, part, part->a, infixes[i].left));
            const char *b = text_within(parts, part->b, least_binding(parts, part, part->b, infixes[i].right));
            set_part_text(part, pool_format(&parts->pool, "%s %s %s", a, infixes[i].sign, b), infixes[i].binds);
            return true;
        }
    return false;
}

/* n * spacing(y) is "n ULP". */
static bool write_ulp(struct spec_parts *parts, struct spec_part *part)
{
    const struct spec_part *by = part->op == FORMULA_MUL ? &parts->parts[part->b] : part;
    if (by->op != FORMULA_SPACING || parts->parts[by->a].op != FORMULA_RESULT)
        return false;
    const char *count = part->op == FORMULA_MUL ? text_within(parts, part->a, BINDS_ATOM) : "1";
    set_part_text(part, pool_format(&parts->pool, "%s ULP", count), BINDS_PRODUCT);
    return true;
}

static void write_function(struct spec_parts *parts, struct spec_part *part)
{
    const char *word = part->op == FORMULA_SPACING ? "ULP" : formula_ops[part->op].word;
    const int operands[] = {part->a, part->b, part->c};
    const char *text = "";
    for (int i = 0; i < formula_ops[part->op].operands; i++)
        text = pool_format(&parts->pool, "%s%s%s", text, i ? ", " : "", spec_part_reference(parts, operands[i]));
    set_part_text(part, pool_format(&parts->pool, "%s(%s)", word, text), BINDS_ATOM);
}

/* ---- folds */

static const char *const fold_words[] = {"the sum of",
                                         "the product of",
                                         "the least of",
                                         "the greatest of",
                                         "the place of the least of",
                                         "the place of the greatest of"};

static const char *const part_words[] = {"",      "count",      "magnitude", "peak",     "dip", "nans",
                                         "zeros", "infinities", "first_nan", "last_nan", "own", "steps"};

static void write_fold(struct spec_parts *parts, struct spec_part *part)
{
    const char *fold = text_within(parts, part->a, BINDS_ATOM);
    if (part->op == FORMULA_FOLD && part->value == FOLD_VALUE)
        fold = pool_format(&parts->pool, "%s %s", fold_words[parts->result->folds[part->field].kind], fold);
    else if (part->value != FOLD_VALUE)
        fold = pool_format(&parts->pool, "%s of %s", part_words[(int)part->value], fold);
    set_part_text(part, part->op == FORMULA_ELSEWHERE ? pool_format(&parts->pool, "%s elsewhere", fold) : fold,
                  BINDS_ATOM);
}

/* ---- all of them */

static bool write_single(struct spec_parts *parts, struct spec_part *part)
{
    static const char *const plain[FORMULA_OPS] = {
        [FORMULA_NUMBER] = "number",
        [FORMULA_RESULT] = "y",
        [FORMULA_ROUNDOFF] = "u",
        [FORMULA_LARGEST] = "the largest number",
        [FORMULA_LOWEST] = "the lowest number",
        [FORMULA_LEAST] = "the smallest normal number",
    };
    if (plain[part->op])
        set_part_text(part, plain[part->op], BINDS_ATOM);
    else if (part->op == FORMULA_CONST)
        write_constant(parts, part);
    else if (part->op == FORMULA_ELEMENT || part->op == FORMULA_OUTPUT)
        set_part_text(part, item_name(parts, part->field), BINDS_ATOM);
    else if (part->op == FORMULA_LEAST_OF || part->op == FORMULA_GREATEST_OF)
        set_part_text(part,
                      pool_format(&parts->pool, "%s(%s)", part->op == FORMULA_LEAST_OF ? "least" : "greatest",
                                  item_name(parts, part->field)),
                      BINDS_ATOM);
    else if (part->op == FORMULA_MEMBER)
        set_part_text(part, member_name(parts, part->field), BINDS_ATOM);
    else if (part->op == FORMULA_COORDINATE)
        set_part_text(part, pool_format(&parts->pool, "coordinate(-%d)", (int)part->value), BINDS_ATOM);
    else if (part->op == FORMULA_TERM)
        set_part_text(part, pool_format(&parts->pool, "term %d", (int)part->value), BINDS_ATOM);
    else
        return write_field(parts, part);
    return true;
}

void spec_part_write(struct spec_parts *parts, int at)
{
    struct spec_part *part = &parts->parts[at];
    struct pool *pool = &parts->pool;
    if (write_single(parts, part) || write_ulp(parts, part) || write_swapped(parts, part) ||
        write_difference(parts, part) || write_infix(parts, part))
        return;
    switch ((enum formula_op)part->op) {
    case FORMULA_FOLD:
    case FORMULA_ELSEWHERE:
        write_fold(parts, part);
        break;
    case FORMULA_INEXACT:
        set_part_text(part,
                      pool_format(pool, "%s rounds in %s bits", text_within(parts, part->b, BINDS_ATOM),
                                  text_within(parts, part->a, BINDS_ATOM)),
                      BINDS_COMPARISON);
        break;
    case FORMULA_ENTRY:
        set_part_text(
            part,
            pool_format(pool, "%s[%s]", parts->spec->fields[part->field].name, spec_part_reference(parts, part->a)),
            BINDS_ATOM);
        break;
    case FORMULA_NESTED:
        set_part_text(part,
                      part->value < 0
                          ? pool_format(pool, "%s[%s].Type", parts->spec->fields[part->field].name,
                                        spec_part_reference(parts, part->a))
                          : pool_format(pool, "member %d of %s[%s]", (int)part->value,
                                        parts->spec->fields[part->field].name, spec_part_reference(parts, part->a)),
                      BINDS_ATOM);
        break;
    case FORMULA_SPACING_OF:
        set_part_text(
            part,
            pool_format(pool, "ULP of %s(%s)", item_name(parts, part->field), spec_part_reference(parts, part->a)),
            BINDS_ATOM);
        break;
    case FORMULA_NEG:
        set_part_text(part, pool_format(pool, "-%s", text_within(parts, part->a, BINDS_PRODUCT)), BINDS_SUM);
        break;
    case FORMULA_NOT:
        set_part_text(part, pool_format(pool, "not (%s)", spec_part_reference(parts, part->a)), BINDS_COMPARISON);
        break;
    case FORMULA_IS_NAN:
    case FORMULA_IS_INF:
        set_part_text(part,
                      pool_format(pool, "%s is %s", text_within(parts, part->a, BINDS_SUM),
                                  part->op == FORMULA_IS_NAN ? "NaN" : "infinite"),
                      BINDS_COMPARISON);
        break;
    case FORMULA_IF:
        set_part_text(part,
                      pool_format(pool, "%s if %s, otherwise %s", text_within(parts, part->b, BINDS_SUM),
                                  spec_part_reference(parts, part->a), text_within(parts, part->c, BINDS_SUM)),
                      BINDS_CHOICE);
        break;
    default:
        write_function(parts, part);
    }
}
