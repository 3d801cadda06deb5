#include "harness/results/changes.h"

#include "harness/plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- sides */

struct changes_case *changes_add(struct changes_side *side, const struct history_result *result)
{
    if (side->count == side->room) {
        size_t room = side->room ? 2 * side->room : 1024;
        struct changes_case *larger = realloc(side->cases, room * sizeof *larger);
        if (!larger)
            return NULL;
        side->cases = larger;
        side->room = room;
    }
    struct changes_case *c = &side->cases[side->count++];
    *c = (struct changes_case){.name = pool_string(&side->pool, result->case_name),
                               .operator_name = pool_string(&side->pool, result->operator_name),
                               .rule = pool_string(&side->pool, result->rule),
                               .message = pool_string(&side->pool, result->message),
                               .reproduce = pool_string(&side->pool, result->reproduce),
                               .outcome = pool_string(&side->pool, result->outcome),
                               .status = result->status,
                               .error = result->error,
                               .bad = status_is_failure(result->status) || (result->flaky && result->failure),
                               .flaky = result->flaky && result->failure};
    return c;
}

void changes_add_sample(struct changes_side *side, struct changes_case *c, double nanoseconds)
{
    if (c->sample_count == c->sample_room) {
        unsigned room = c->sample_room ? 2 * c->sample_room : 16;
        double *larger = pool_alloc(&side->pool, room * sizeof *larger);
        if (c->sample_count > 0)
            memcpy(larger, c->samples, c->sample_count * sizeof *larger);
        c->samples = larger;
        c->sample_room = room;
    }
    c->samples[c->sample_count++] = nanoseconds;
}

static int compare_cases(const void *a, const void *b)
{
    return strcmp(((const struct changes_case *)a)->name, ((const struct changes_case *)b)->name);
}

void changes_sort(struct changes_side *side)
{
    if (side->count > 0)
        qsort(side->cases, side->count, sizeof *side->cases, compare_cases);
}

void changes_side_free(struct changes_side *side)
{
    free(side->cases);
    pool_clear(&side->pool);
    *side = (struct changes_side){0};
}

/* ---- reading */

struct reader {
    struct changes_side *side;
    const char *const *patterns;
    size_t pattern_count;
    enum changes_clock clock;
    struct error *error;
};

static int changes_take_result(void *context, const struct history_result *result)
{
    const struct reader *reader = context;
    bool wanted = reader->pattern_count == 0;
    for (size_t i = 0; i < reader->pattern_count && !wanted; i++)
        wanted = plan_matches(reader->patterns[i], result->case_name);
    if (wanted && !changes_add(reader->side, result))
        return error_set(reader->error, EXIT_HARNESS, "out of memory for the results of a run");
    return 0;
}

static int take_sample(void *context, const struct history_sample *sample)
{
    const struct reader *reader = context;
    struct changes_side *side = reader->side;
    uint64_t ns = reader->clock == CLOCK_HOST ? sample->host_ns : sample->device_ns;
    const struct changes_case key = {.name = sample->case_name};
    struct changes_case *c =
        side->count > 0 ? bsearch(&key, side->cases, side->count, sizeof key, compare_cases) : NULL;
    if (c && ns > 0)
        changes_add_sample(side, c, (double)ns);
    return 0;
}

int changes_read(struct changes_side *side, struct history *history, const struct history_run *run,
                 const char *const *patterns, size_t pattern_count, enum changes_clock clock, struct error *error)
{
    struct reader reader = {side, patterns, pattern_count, clock, error};
    side->run = *run;
    side->database = history_path(history);
    side->partial = run->partial || strcmp(run->state, "complete") != 0;
    int result = history_results(history, run->id, changes_take_result, &reader, error);
    changes_sort(side);
    return result ? result : history_samples(history, run->id, take_sample, &reader, error);
}

int changes_read_state(struct changes_side *side, struct history *history, const struct history_run *run,
                       enum history_cases_of cases, int64_t compared, const char *const *patterns, size_t pattern_count,
                       enum changes_clock clock, struct error *error)
{
    struct reader reader = {side, patterns, pattern_count, clock, error};
    side->run = *run;
    side->database = history_path(history);
    int result = history_summary(history, run->id, &side->summary, error);
    if (result)
        return result;
    side->partial = cases == HISTORY_ALL && side->summary.whole_run == 0;
    result = compared ? history_state_before(history, run->id, compared, changes_take_result, &reader, error)
                      : history_state(history, run->id, cases, changes_take_result, &reader, error);
    changes_sort(side);
    return result ? result : history_samples(history, run->id, take_sample, &reader, error);
}

const char *changes_status(const struct changes_case *c)
{
    return c->flaky ? "flaky" : status_name(c->status);
}

/* ---- comparing */

/* Returns the severity of a case's status. A flaky case is less severe than every failure, and more severe than every
 * other status. */
static int severity(const struct changes_case *c)
{
    return 2 * (c->flaky ? status_severity(STATUS_HARNESS_ERROR) : status_severity(c->status)) - c->flaky;
}

static enum change_kind changes_kind_of(const struct changes_case *before, const struct changes_case *after)
{
    if (!before->bad && after->bad)
        return CHANGE_REGRESSION;
    if (before->bad && !after->bad && (after->status == STATUS_PASS || after->status == STATUS_WARN))
        return CHANGE_FIX;
    if (severity(before) == severity(after))
        return CHANGE_NONE;
    return severity(after) > severity(before) ? CHANGE_WORSE : CHANGE_BETTER;
}

static void add_change(struct changes *changes, const struct changes_case *before, const struct changes_case *after,
                       bool partial)
{
    struct change *change = &changes->items[changes->count++];
    *change = (struct change){.before = before, .after = after};
    if (!before)
        change->kind = CHANGE_NEW;
    else if (!after)
        change->kind = partial ? CHANGE_NOT_RUN : CHANGE_GONE;
    else
        change->kind = changes_kind_of(before, after);
    changes->kinds[change->kind]++;
    change->choice =
        before && after && *before->outcome && *after->outcome && strcmp(before->outcome, after->outcome) != 0;
    changes->choices += change->choice;
    change->error_grew = before && after && before->error.measured && after->error.measured &&
                         after->error.share >= CHANGES_ERROR_LEAST &&
                         after->error.share > CHANGES_ERROR_GREW * before->error.share;
    changes->errors_grew += change->error_grew;
    changes->new_failing += !before && after->bad;
    if (before && after)
        timing_test(before->samples, before->sample_count, after->samples, after->sample_count, &change->timing);
}

/* Merges the two sorted lists of cases. */
static void changes_pair(struct changes *changes, const struct changes_side *before, const struct changes_side *after)
{
    size_t i = 0, j = 0;
    while (i < before->count || j < after->count) {
        int order = i == before->count ? 1 : -1;
        if (i < before->count && j < after->count)
            order = strcmp(before->cases[i].name, after->cases[j].name);
        const struct changes_case *b = order <= 0 ? &before->cases[i++] : NULL;
        add_change(changes, b, order >= 0 ? &after->cases[j++] : NULL, after->partial);
    }
}

/* Judges the times of all cases, with the correction for multiple tests over all of them. */
static int judge_cases(struct changes *changes, const struct timing_limits *limits, struct error *error)
{
    struct timing *timings = malloc((changes->count + 1) * sizeof *timings);
    if (!timings)
        return error_set(error, EXIT_HARNESS, "out of memory for the comparison of %zu cases", changes->count);
    for (size_t i = 0; i < changes->count; i++)
        timings[i] = changes->items[i].timing;
    timing_judge(timings, changes->count, limits);
    for (size_t i = 0; i < changes->count; i++) {
        changes->items[i].timing = timings[i];
        changes->verdicts[timings[i].verdict]++;
    }
    free(timings);
    return 0;
}

/* ---- groups */

static int compare_operators(const void *a, const void *b)
{
    return strcmp((*(const struct change *const *)a)->after->operator_name,
                  (*(const struct change *const *)b)->after->operator_name);
}

static void add_logarithms(double *sums, const double *samples, unsigned count)
{
    for (unsigned r = 0; r < count; r++)
        sums[r] += log(samples[r]);
}

/* Tests the geometric means of `count` cases, one mean per repeat. All cases have the same number of repeats. */
static void add_group(struct changes *changes, const char *name, const struct change *const *members, size_t count)
{
    struct changes_group *group = &changes->groups[changes->group_count++];
    unsigned before_count = members[0]->before->sample_count, after_count = members[0]->after->sample_count;
    double *before = pool_alloc(&changes->pool, before_count * sizeof *before),
           *after = pool_alloc(&changes->pool, after_count * sizeof *after);
    for (size_t i = 0; i < count; i++) {
        add_logarithms(before, members[i]->before->samples, before_count);
        add_logarithms(after, members[i]->after->samples, after_count);
    }
    for (unsigned r = 0; r < before_count; r++)
        before[r] = exp(before[r] / (double)count);
    for (unsigned r = 0; r < after_count; r++)
        after[r] = exp(after[r] / (double)count);
    group->name = name;
    group->cases = count;
    timing_test(before, before_count, after, after_count, &group->timing);
}

static void judge_groups(struct changes *changes, const struct timing_limits *limits)
{
    struct timing *timings = pool_alloc(&changes->pool, changes->group_count * sizeof *timings);
    for (size_t i = 0; i < changes->group_count; i++)
        timings[i] = changes->groups[i].timing;
    timing_judge(timings, changes->group_count, limits);
    for (size_t i = 0; i < changes->group_count; i++)
        changes->groups[i].timing = timings[i];
}

static int make_groups(struct changes *changes, const struct timing_limits *limits, struct error *error)
{
    const struct change **members = malloc((changes->count + 1) * sizeof *members);
    unsigned max_before = 0, max_after = 0;
    size_t count = 0;
    if (!members)
        return error_set(error, EXIT_HARNESS, "out of memory for the comparison of %zu cases", changes->count);
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->items[i];
        if (change->timing.verdict != TIMING_UNTESTED && change->before->sample_count > max_before)
            max_before = change->before->sample_count;
        if (change->timing.verdict != TIMING_UNTESTED && change->after->sample_count > max_after)
            max_after = change->after->sample_count;
    }
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *change = &changes->items[i];
        if (change->timing.verdict != TIMING_UNTESTED && change->before->sample_count == max_before &&
            change->after->sample_count == max_after)
            members[count++] = change;
    }
    if (count > 0) {
        qsort(members, count, sizeof *members, compare_operators);
        changes->groups = pool_alloc(&changes->pool, (count + 1) * sizeof *changes->groups);
        for (size_t i = 0, end; i < count; i = end) {
            for (end = i + 1; end < count && compare_operators(&members[i], &members[end]) == 0; end++)
                ;
            add_group(changes, members[i]->after->operator_name, members + i, end - i);
        }
        add_group(changes, NULL, members, count);
        judge_groups(changes, limits);
    }
    free(members);
    return 0;
}

int changes_make(struct changes *changes, const struct changes_side *before, const struct changes_side *after,
                 const struct timing_limits *limits, struct error *error)
{
    *changes = (struct changes){0};
    changes->items = malloc((before->count + after->count + 1) * sizeof *changes->items);
    if (!changes->items)
        return error_set(error, EXIT_HARNESS, "out of memory for the comparison of two runs");
    changes_pair(changes, before, after);
    int result = judge_cases(changes, limits, error);
    if (result == 0)
        result = make_groups(changes, limits, error);
    return result;
}

void changes_free(struct changes *changes)
{
    free(changes->items);
    pool_clear(&changes->pool);
    *changes = (struct changes){0};
}

size_t changes_in_both(const struct changes *changes)
{
    return changes->count - changes->kinds[CHANGE_NEW] - changes->kinds[CHANGE_GONE] - changes->kinds[CHANGE_NOT_RUN];
}

bool changes_any(const struct changes *changes, enum timing_verdict verdict)
{
    bool any = changes->verdicts[verdict] > 0;
    for (size_t i = 0; i < changes->group_count; i++)
        any |= changes->groups[i].timing.verdict == verdict;
    return any;
}

void changes_print_counts(FILE *out, const struct changes *changes)
{
    const size_t *kinds = changes->kinds;
    fprintf(out,
            "{\"both\":%zu,\"same\":%zu,\"regressions\":%zu,\"fixes\":%zu,\"worse\":%zu,\"better\":%zu,\"new\":%zu,"
            "\"new_failing\":%zu,\"gone\":%zu,\"not_run\":%zu,\"choices\":%zu,"
            "\"errors_grew\":%zu}",
            changes_in_both(changes), kinds[CHANGE_NONE], kinds[CHANGE_REGRESSION], kinds[CHANGE_FIX],
            kinds[CHANGE_WORSE], kinds[CHANGE_BETTER], kinds[CHANGE_NEW], changes->new_failing, kinds[CHANGE_GONE],
            kinds[CHANGE_NOT_RUN], changes->choices, changes->errors_grew);
}
