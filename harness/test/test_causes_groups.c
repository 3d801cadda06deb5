/* The groups of failures: by explanation if it is no coincidence, by operator and broken rule, and by what separates
 * two faults of an operator. */
#include "harness/run/causes.h"
#include "harness/trial/explain.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>

enum { CASES_MAX = 4000 };

static char names[CASES_MAX][96];
static struct cause_case cases[CASES_MAX];
static size_t count;
static struct causes causes;

static void add_record(const char *name, const char *operator_name, bool fails, const char *broken,
                       struct diagnosis diagnosis)
{
    snprintf(names[count], sizeof names[count], "%s", name);
    cases[count] = (struct cause_case){.name = names[count], .ran = true};
    const struct record record = {.case_name = names[count],
                                  .operator_name = operator_name,
                                  .feature_level = "3_0",
                                  .message = "wrong",
                                  .reproduce = "assay repro",
                                  .broken = broken,
                                  .verdict = {.status = STATUS_FAIL, .cause = CAUSE_RESULT},
                                  .symptoms.diagnosis = diagnosis,
                                  .last = true};
    if (fails)
        causes_add(&causes, &record, count);
    count++;
}

/* Adds a case that ran, and its failure if it fails. */
static void add(const char *name, const char *operator_name, bool fails, const char *broken)
{
    add_record(name, operator_name, fails, broken, (struct diagnosis){0});
}

/* Adds failures of GATHER that one explanation predicts, each with some wrong elements. */
static void add_explained(int failures, enum explanation explanation, unsigned wrong_elements)
{
    struct diagnosis diagnosis = {.cause = (uint16_t)explanation, .wrong_elements = wrong_elements};
    explanation_add(&diagnosis.explanations, explanation);
    for (int i = 0; i < failures; i++) {
        char name[96];
        snprintf(name, sizeof name, "gather.values.n%d.fl3_0.float32.d1", (int)count);
        add_record(name, "GATHER", true, "gathers", diagnosis);
    }
}

/* Adds 800 cases of an operator: ten of each of two types, eight ranks and five kinds of strides. */
static void add_operator(const char *prefix, const char *operator_name,
                         bool (*fails)(int type, int rank, int strides, int n))
{
    static const char *const types[] = {"float32", "float16"};
    for (int i = 0; i < 800; i++) {
        char name[96];
        int type = i % 2, rank = i / 2 % 8 + 1, strides = i / 16 % 5;
        snprintf(name, sizeof name, "%s.cover.n%d.fl3_0.%s.d%d.%c", prefix, i, types[type], rank, "nkgtb"[strides]);
        add(name, operator_name, fails(type, rank, strides, i / 80), "elements");
    }
}

static void start_again(void)
{
    causes_free(&causes);
    count = 0;
}

/* Returns the groups as "CASES NAME+BESIDES" by lines. */
static const char *explained_groups(void)
{
    static char text[1000];
    struct cause_group *all;
    size_t found = causes_group(&causes, cases, count, &all);
    *text = '\0';
    for (size_t i = 0; i < found; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d %s+%d\n", (int)all[i].cases, all[i].name,
                 (int)all[i].besides);
    free(all);
    return text;
}

/* Returns the groups as "CASES WHERE" by lines. */
static const char *groups(void)
{
    static char text[4000];
    struct cause_group *all;
    size_t found = causes_group(&causes, cases, count, &all);
    *text = '\0';
    for (size_t i = 0; i < found; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d %s\n", (int)all[i].cases, all[i].where);
    free(all);
    return text;
}

static void text_is(const char *text, const char *expected, const char *what)
{
    if (!ok(!strcmp(text, expected), "%s", what))
        note("%s", text);
}

static void groups_are(const char *expected, const char *what)
{
    text_is(groups(), expected, what);
}

static bool no_case(int type, int rank, int strides, int n)
{
    (void)type, (void)rank, (void)strides, (void)n;
    return false;
}

static bool high_ranks(int type, int rank, int strides, int n)
{
    (void)type, (void)strides, (void)n;
    return rank >= 7;
}

/* Besides, one case in ten with gaps. */
static bool high_ranks_and_some(int type, int rank, int strides, int n)
{
    return high_ranks(type, rank, strides, n) || (strides == 2 && n == 3);
}

static bool halves_and_transposed(int type, int rank, int strides, int n)
{
    (void)rank, (void)n;
    return type == 1 || strides == 3;
}

/* A fault that shows in any case, here and there. */
static bool now_and_then(int type, int rank, int strides, int n)
{
    return (type + rank + strides + n) % 3 == 0;
}

int main(void)
{
    add_operator("add", "ELEMENT_WISE_ADD", high_ranks);
    add_operator("tanh", "ELEMENT_WISE_TANH", high_ranks);
    add_operator("abs", "ELEMENT_WISE_ABS", no_case);
    groups_are("200 ADD, d7 or d8\n200 TANH, d7 or d8\n", "a group for each operator");
    start_again();
    add_operator("add", "ELEMENT_WISE_ADD", high_ranks);
    add("add.values.zero.fl3_0.float32.d1.n", "ELEMENT_WISE_ADD", true, "denormals");
    add_operator("abs", "ELEMENT_WISE_ABS", no_case);
    groups_are("200 ADD, d7 or d8\n1 strategy values\n", "a group for each broken rule");
    start_again();
    add_operator("add", "ELEMENT_WISE_ADD", high_ranks_and_some);
    groups_are("200 d7 or d8\n12 strides g\n", "a few failures with gaps are apart from those of high ranks");
    start_again();
    add_operator("add", "ELEMENT_WISE_ADD", halves_and_transposed);
    groups_are("400 FLOAT16\n80 FLOAT32, strides t\n", "FLOAT16, and transposed FLOAT32");
    start_again();
    add_operator("add", "ELEMENT_WISE_ADD", now_and_then);
    groups_are("267 \n", "one fault without a pattern is one group");
    start_again();
    add_explained(54, EXPLAIN_INDEX_TYPE, 4);
    add_explained(4, EXPLAIN_OFFSET_IGNORED, 1);
    text_is(explained_groups(), "54 index-type+4\n",
            "a few wrong elements beside an explained group are a coincidence");
    start_again();
    add_explained(54, EXPLAIN_INDEX_TYPE, 4);
    add_explained(4, EXPLAIN_OFFSET_IGNORED, 8);
    text_is(explained_groups(), "54 index-type+0\n4 offset-ignored+0\n", "many wrong elements are a second mistake");
    start_again();
    add_explained(4, EXPLAIN_OFFSET_IGNORED, 1);
    text_is(explained_groups(), "4 offset-ignored+0\n", "a few wrong elements alone are a mistake");
    causes_free(&causes);
    return tap_done();
}
