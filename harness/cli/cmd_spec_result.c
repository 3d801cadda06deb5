/* cmd_spec_result.c: prints the formulas of an operator's outputs, in lines of at most WIDTH columns. */
#include "harness/cli/cmd_spec.h"
#include "harness/cli/cmd_spec_parts.h"
#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 120 };

int cmd_spec_wrap(int column, int indent, const char *text)
{
    while (*text) {
        int length = (int)strcspn(text, " ");
        bool breaks = column > indent && column + length > WIDTH;
        if (breaks)
            printf("\n%*s", indent, "");
        column = (breaks ? indent : column) + length;
        printf("%.*s", length, text);
        text += length;
        while (*text == ' ')
            text++;
        if (*text && column + 1 + (int)strcspn(text, " ") <= WIDTH) {
            putchar(' ');
            column++;
        } else if (*text) {
            column = WIDTH + 1;
        }
    }
    return column;
}

/* ---- a formula */

static bool is_unnamed_choice(const struct spec_parts *parts, int at)
{
    return parts->parts[at].op == FORMULA_IF && !parts->parts[at].name;
}

/* Returns a choice as one text: "if A: X; if B: Y; otherwise: Z". */
static const char *choice_text(struct spec_parts *parts, int at)
{
    const char *text = "";
    do {
        const struct spec_part *part = &parts->parts[at];
        text = pool_format(&parts->pool, "%sif %s: %s; ", text, spec_part_reference(parts, part->a),
                           spec_part_reference(parts, part->b));
        at = part->c;
    } while (is_unnamed_choice(parts, at));
    return pool_format(&parts->pool, "%sotherwise: %s", text, spec_part_reference(parts, at));
}

/* Prints each case of a choice in lines of its own. */
static void print_cases(struct spec_parts *parts, int indent, int at)
{
    do {
        const struct spec_part *part = &parts->parts[at];
        const char *text = pool_format(&parts->pool, "if %s: %s", spec_part_reference(parts, part->a),
                                       spec_part_reference(parts, part->b));
        printf("\n%*s", indent, "");
        cmd_spec_wrap(indent, indent + 4, text);
        at = part->c;
    } while (is_unnamed_choice(parts, at));
    printf("\n%*sotherwise: ", indent, "");
    cmd_spec_wrap(indent + 11, indent + 4, spec_part_reference(parts, at));
}

/* Prints " " and the text of a part from a column on, with more lines as needed. A choice that is too long for the line
 * has lines of its own, indented to `indent`. */
static void print_body(struct spec_parts *parts, int column, int indent, int at)
{
    const bool is_choice = parts->parts[at].op == FORMULA_IF;
    const char *text = is_choice ? choice_text(parts, at) : parts->parts[at].text;
    if (is_choice && column + 1 + (int)strlen(text) > WIDTH) {
        print_cases(parts, indent, at);
        return;
    }
    putchar(' ');
    cmd_spec_wrap(column + 1, indent + 4, text);
}

static void print_formula(struct spec_parts *parts, int column, int indent, int at)
{
    if (parts->parts[at].name)
        printf(" %s", parts->parts[at].name);
    else
        print_body(parts, column, indent, at);
}

/* ---- a result */

/* The parts that are the formulas of a result; -1: there is no such formula. */
struct result_parts {
    struct spec_parts all;
    int value;
    int must[DATATYPE_COUNT], soft[DATATYPE_COUNT];
    int when[RESULT_MAX_CHOICES], alternatives[RESULT_MAX_CHOICES][RESULT_MAX_ALTERNATIVES];
};

static void add_choices(struct result_parts *p, const struct spec_result *result)
{
    for (int i = 0; i < result->choice_count; i++) {
        p->when[i] = spec_parts_add(&p->all, &result->choices[i].when);
        for (int n = 0; n < result->choices[i].count; n++)
            p->alternatives[i][n] = spec_parts_add(&p->all, &result->choices[i].alternatives[n].value);
    }
}

static void make_parts(struct result_parts *p, const struct spec *spec, const struct spec_result *result)
{
    *p = (struct result_parts){.all = {.spec = spec, .result = result}};
    p->value = p->all.value = spec_parts_add(&p->all, &result->value);
    for (unsigned type = 0; type < DATATYPE_COUNT; type++) {
        p->must[type] = spec_parts_add(&p->all, &result->tolerances[type].must);
        p->soft[type] = spec_parts_add(&p->all, &result->tolerances[type].soft);
    }
    add_choices(p, result);
    spec_parts_name(&p->all);
}

/* Prints a tolerance with the types that have it: those of `types`, bit n for data type n. */
static void print_tolerance(struct result_parts *p, unsigned first, uint32_t types)
{
    int column = printf("   ");
    for (unsigned type = 0; type < DATATYPE_COUNT; type++)
        if (types >> type & 1)
            column += printf(" %s", datatype_of(type)->name);
    column += printf(": within");
    print_formula(&p->all, column, 6, p->must[first]);
    putchar('\n');
    if (p->soft[first] == p->must[first])
        return;
    column = printf("      a warning beyond");
    if (p->soft[first] >= 0)
        print_formula(&p->all, column, 8, p->soft[first]);
    else
        printf(" the correctly rounded result");
    putchar('\n');
}

/* Prints each tolerance once, with all types that have it. */
static void print_tolerances(struct result_parts *p)
{
    uint32_t left = 0;
    for (unsigned type = 0; type < DATATYPE_COUNT; type++)
        left |= (uint32_t)(p->must[type] >= 0) << type;
    for (unsigned first = 0; first < DATATYPE_COUNT; first++) {
        uint32_t types = 0;
        for (unsigned type = first; left >> first & 1 && type < DATATYPE_COUNT; type++)
            if (left >> type & 1 && p->must[type] == p->must[first] && p->soft[type] == p->soft[first])
                types |= 1u << type;
        if (types)
            print_tolerance(p, first, types);
        left &= ~types;
    }
}

static void print_result_choice(struct result_parts *p, int i)
{
    const struct spec_choice *choice = &p->all.result->choices[i];
    const char *when = spec_part_reference(&p->all, p->when[i]);
    int column = printf("    if ");
    const char *text = pool_format(&p->all.pool, "%s (%s): also%s", when, p->all.spec->rules[choice->rule].id,
                                   choice->anything ? " any value" : "");
    column = cmd_spec_wrap(column, 8, text);
    for (int n = 0; n < choice->count; n++) {
        if (choice->count > 1 || column > WIDTH / 2)
            column = printf("\n     ") - 1;
        column += printf(" '%s':", choice->alternatives[n].outcome);
        print_formula(&p->all, column, 8, p->alternatives[i][n]);
    }
    putchar('\n');
}

/* Returns true if a text that is printed has the word, a letter. */
static bool is_said(const struct spec_parts *parts, char word)
{
    for (int i = 0; i < parts->count; i++)
        for (const char *at = parts->parts[i].uses ? parts->parts[i].text : ""; (at = strchr(at, word)); at++)
            if ((at == parts->parts[i].text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[1]))
                return true;
    return false;
}

/* Prints a line about y and u if the formulas have them. */
static void print_symbols(const struct spec_parts *parts)
{
    const bool result = is_said(parts, 'y'), roundoff = is_said(parts, 'u');
    if (result || roundoff)
        printf("    where %s%s%s\n", result ? "y = the exact element" : "", result && roundoff ? ", " : "",
               roundoff ? "u = the unit roundoff of its type" : "");
}

static void print_named(struct spec_parts *parts)
{
    print_symbols(parts);
    for (int i = 0; i < parts->listed_count; i++) {
        const struct spec_part *part = &parts->parts[parts->listed[i]];
        if (parts->listed[i] == parts->value && strcmp(part->name, "y") == 0)
            continue;
        int column = printf("    where %s =", part->name);
        print_body(parts, column, 8, parts->listed[i]);
        putchar('\n');
    }
}

void cmd_spec_print_result(const struct spec *spec, const struct spec_result *result)
{
    struct result_parts *p = malloc(sizeof *p);
    if (!p)
        return;
    make_parts(p, spec, result);
    const char *name = result->field < spec->field_count ? spec->fields[result->field].name
                                                         : spec->stages[result->field - spec->field_count].name;
    int column = printf("  %s =", name);
    if (p->all.parts[p->value].name && strcmp(p->all.parts[p->value].name, "y") != 0)
        print_formula(&p->all, column, 4, p->value);
    else
        print_body(&p->all, column, 4, p->value);
    putchar('\n');
    if (result->activation)
        printf("    with %s = %s\n", spec->fields[result->by].name,
               dml_operator_name((DML_OPERATOR_TYPE)result->activation));
    print_tolerances(p);
    for (int i = 0; i < result->choice_count; i++)
        print_result_choice(p, i);
    print_named(&p->all);
    spec_parts_free(&p->all);
    free(p);
}
