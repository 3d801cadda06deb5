#include "harness/cli/cmd_compare.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_titles[CHANGE_KINDS] = {[CHANGE_REGRESSION] = "regressions",
                                                      [CHANGE_FIX] = "fixes",
                                                      [CHANGE_WORSE] = "changed for the worse",
                                                      [CHANGE_BETTER] = "changed for the better",
                                                      [CHANGE_NEW] = "new",
                                                      [CHANGE_GONE] = "gone",
                                                      [CHANGE_NOT_RUN] =
                                                          "only in the first, since the second is partial"};

static void compare_print_about(const char *what, const char *text)
{
    if (!text || !*text)
        return;
    printf(", %s", what);
    text_print(stdout, text);
}

static void compare_print_side(const char *which, const struct changes_side *side)
{
    const struct history_run *run = &side->run;
    char partial[200];
    history_describe(run, &side->summary, partial, sizeof partial);
    printf("%-7s", which);
    if (*side->database) {
        text_print(stdout, side->database);
        printf("#%" PRId64 ": ", run->id);
    }
    text_print(stdout, run->device);
    printf(", ");
    text_print(stdout, run->device_name);
    if (*run->device_driver)
        printf(", ");
    text_print(stdout, run->device_driver);
    printf(", ");
    text_print(stdout, run->started);
    printf(", %zu cases, seed 0x%" PRIx64, side->count, run->seed);
    compare_print_about("", strcmp(run->state, "complete") != 0 ? run->state : "");
    compare_print_about("label ", run->label);
    compare_print_about("revision ", run->revision);
    compare_print_about("build ", *run->device_build ? run->device_build : run->device_hash);
    compare_print_about("", run->half ? "with --half" : "");
    compare_print_about("partial: ", partial);
    putchar('\n');
}

/* ---- statuses */

static void compare_print_change(const struct change *change)
{
    const struct changes_case *c = change->after ? change->after : change->before;
    char statuses[64];
    if (change->before && change->after)
        snprintf(statuses, sizeof statuses, "%s -> %s", changes_status(change->before), changes_status(change->after));
    else
        snprintf(statuses, sizeof statuses, "%s", changes_status(c));
    printf("  %-20s ", statuses);
    text_print(stdout, c->name);
    putchar('\n');
    if (change->kind != CHANGE_REGRESSION)
        return;
    printf("    message    ");
    text_print(stdout, c->message);
    printf("\n    reproduce  ");
    text_print(stdout, c->reproduce);
    putchar('\n');
}

static void compare_print_rest(size_t shown, size_t all)
{
    if (all > shown)
        printf("  and %zu more: --limit 0 prints all\n", all - shown);
}

static void compare_print_kind(const struct cmd_compare *compare, enum change_kind kind)
{
    const struct changes *changes = &compare->changes;
    size_t shown = 0;
    if (changes->kinds[kind] == 0)
        return;
    printf("\n%s: %zu", kind_titles[kind], changes->kinds[kind]);
    if (kind == CHANGE_NEW && changes->new_failing > 0)
        printf(", %zu of them failing", changes->new_failing);
    putchar('\n');
    for (size_t i = 0; i < changes->count && shown < compare->limit; i++)
        if (changes->items[i].kind == kind) {
            compare_print_change(&changes->items[i]);
            shown++;
        }
    compare_print_rest(shown, changes->kinds[kind]);
}

static void compare_print_choices(const struct cmd_compare *compare)
{
    const struct changes *changes = &compare->changes;
    size_t shown = 0;
    if (changes->choices == 0)
        return;
    printf("\ncases for which the documents leave a choice and the device chose otherwise: %zu\n", changes->choices);
    for (size_t i = 0; i < changes->count && shown < compare->limit; i++) {
        const struct change *change = &changes->items[i];
        if (!change->choice)
            continue;
        printf("  ");
        text_print(stdout, change->before->outcome);
        printf(" -> ");
        text_print(stdout, change->after->outcome);
        printf("  ");
        text_print(stdout, change->after->name);
        putchar('\n');
        shown++;
    }
    compare_print_rest(shown, changes->choices);
}

static void compare_print_errors(const struct cmd_compare *compare)
{
    const struct changes *changes = &compare->changes;
    size_t shown = 0;
    if (changes->errors_grew == 0)
        return;
    printf("\ncases whose largest error grew: %zu\n", changes->errors_grew);
    for (size_t i = 0; i < changes->count && shown < compare->limit; i++) {
        const struct change *change = &changes->items[i];
        if (!change->error_grew)
            continue;
        const struct largest_error *before = &change->before->error, *after = &change->after->error;
        printf("  %.3g -> %.3g ULP, %.3g -> %.3g of the bound  ", before->ulps, after->ulps, before->share,
               after->share);
        text_print(stdout, change->after->name);
        putchar('\n');
        shown++;
    }
    compare_print_rest(shown, changes->errors_grew);
}

/* Prints the runs in which the failures of the second run began, the newest ones of them. */
static void compare_print_failing(const struct cmd_compare *compare)
{
    const size_t count = compare->failing_count, first = count > compare->limit ? count - compare->limit : 0;
    if (count > 0)
        printf("\nfailing since\n");
    for (size_t i = first; i < count; i++) {
        const struct history_failing *failing = &compare->failing[i];
        printf("  run %" PRId64, failing->run);
        compare_print_about("revision ", failing->revision);
        compare_print_about("", failing->started);
        printf(": %" PRId64 " case%s, the first ", failing->cases, failing->cases == 1 ? "" : "s");
        text_print(stdout, failing->case_name);
        putchar('\n');
    }
    compare_print_rest(count - first, count);
}

/* ---- times */

static void compare_print_time(double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    int unit = 0;
    while (ns >= 999.5 && unit < 3) {
        ns /= 1000;
        unit++;
    }
    printf(" %7.3g %-2s", ns, units[unit]);
}

static void compare_print_timing(const struct timing *t)
{
    compare_print_time(t->before);
    printf(" ->");
    compare_print_time(t->after);
    printf("  %6.3g x  q %.2g", t->ratio, t->q);
}

static void compare_print_verdict(const struct cmd_compare *compare, enum timing_verdict verdict)
{
    size_t all = compare->changes.verdicts[verdict], shown = all < compare->limit ? all : compare->limit;
    const struct change **found = cmd_compare_by_ratio(&compare->changes, verdict);
    if (all > 0 && found) {
        printf("\n%s: %zu\n", timing_verdict_name(verdict), all);
        for (size_t i = 0; i < shown; i++) {
            compare_print_timing(&found[i]->timing);
            printf("  ");
            text_print(stdout, found[i]->after->name);
            putchar('\n');
        }
        compare_print_rest(shown, all);
    }
    free(found);
}

static void compare_print_groups(const struct changes *changes)
{
    size_t width = strlen("operator");
    for (size_t i = 0; i < changes->group_count; i++) {
        const char *name = changes->groups[i].name;
        width = name && strlen(name) > width ? strlen(name) : width;
    }
    printf("\n%-*s %6s  %10s    %10s\n", (int)width, "operator", "cases", "before", "after");
    for (size_t i = 0; i < changes->group_count; i++) {
        const struct changes_group *group = &changes->groups[i];
        char name[64];
        text_visible(name, sizeof name, group->name ? group->name : "all");
        printf("%-*s %6zu ", (int)width, name, group->cases);
        compare_print_timing(&group->timing);
        printf("  %s\n", timing_verdict_name(group->timing.verdict));
    }
}

static void compare_print_times(const struct cmd_compare *compare)
{
    const struct changes *changes = &compare->changes;
    size_t tested = cmd_compare_tested(changes), samples = 0;
    if (tested == 0) {
        printf("\ntimes: not compared: a case needs %d samples in both runs, an ordinary run takes one; "
               "`assay compare --time` takes more\n",
               TIMING_MIN_SAMPLES);
        return;
    }
    const struct timing *all = &changes->groups[changes->group_count - 1].timing;
    samples = all->before_count < all->after_count ? all->before_count : all->after_count;
    printf("\ntimes: %zu cases with %zu and %zu samples, %s clock; %zu slower, %zu faster by %.0f %% or more, at a "
           "false discovery rate of %.0f %%\n",
           tested, all->before_count, all->after_count, compare->clock == CLOCK_HOST ? "host" : "device",
           changes->verdicts[TIMING_SLOWER], changes->verdicts[TIMING_FASTER], compare->limits.effect * 100,
           compare->limits.rate * 100);
    if (changes->verdicts[TIMING_UNTESTED] >
        changes->kinds[CHANGE_NEW] + changes->kinds[CHANGE_GONE] + changes->kinds[CHANGE_NOT_RUN])
        printf("cases with too few samples to compare: %zu\n",
               changes->verdicts[TIMING_UNTESTED] - changes->kinds[CHANGE_NEW] - changes->kinds[CHANGE_GONE] -
                   changes->kinds[CHANGE_NOT_RUN]);
    unsigned needed = timing_repeats_needed(tested, compare->limits.rate);
    if (samples < needed)
        printf("too few samples to find a single case among %zu that differs: at least %u are needed\n", tested,
               needed);
    compare_print_groups(changes);
    compare_print_verdict(compare, TIMING_SLOWER);
    compare_print_verdict(compare, TIMING_FASTER);
}

void cmd_compare_print(const struct cmd_compare *compare)
{
    static const enum change_kind order[] = {CHANGE_REGRESSION, CHANGE_WORSE, CHANGE_FIX,
                                             CHANGE_BETTER,     CHANGE_NEW,   CHANGE_GONE};
    const struct changes *changes = &compare->changes;
    compare_print_side("before", &compare->before);
    compare_print_side("after", &compare->after);
    if (compare->before.run.seed != compare->after.run.seed)
        printf("note: the seeds differ, so the tensor contents differ\n");
    printf("\n%zu cases in both, %zu as before", changes_in_both(changes), changes->kinds[CHANGE_NONE]);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        printf(", %zu %s", changes->kinds[order[i]], kind_titles[order[i]]);
    if (changes->kinds[CHANGE_NOT_RUN] > 0)
        printf(", %zu %s", changes->kinds[CHANGE_NOT_RUN], kind_titles[CHANGE_NOT_RUN]);
    putchar('\n');
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        compare_print_kind(compare, order[i]);
    compare_print_failing(compare);
    compare_print_choices(compare);
    compare_print_errors(compare);
    compare_print_times(compare);
}
