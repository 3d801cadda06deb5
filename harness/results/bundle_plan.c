/* Holds the results of a bundle against the plan of the suite here: a claim says neither which cases there are nor what
 * they test. */
#include "harness/results/bundle.h"

#include "harness/base/text.h"
#include "harness/results/guard.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

static int plan_by_name(const void *a, const void *b)
{
    const struct testcase *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* Returns the cases of the plan, sorted by name. The caller frees the array; null: out of memory. */
static const struct testcase **plan_sorted(const struct plan *plan)
{
    const struct testcase **cases = malloc((plan->count + 1) * sizeof(*cases));
    for (size_t i = 0; cases && i < plan->count; i++)
        cases[i] = &plan->cases[i];
    if (cases)
        qsort(cases, plan->count, sizeof *cases, plan_by_name);
    return cases;
}

static const struct testcase *plan_named(const struct testcase *const *sorted, size_t count, const char *name)
{
    const struct testcase key = {.name = (char *)(uintptr_t)name}, *wanted = &key;
    const struct testcase *const *found = bsearch(&wanted, sorted, count, sizeof *sorted, plan_by_name);
    return found ? *found : NULL;
}

static int bundle_select(const struct bundle *bundle, struct row *row, struct error *error)
{
    if (row_prepare(row, history_database(bundle->history),
                    "SELECT case_name, operator, feature_level, status FROM current_results WHERE as_of = ?1 "
                    "ORDER BY case_name") != SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "the results cannot be read: %s",
                         guard_message(history_database(bundle->history)));
    sqlite3_bind_int64(row->statement, 1, bundle->run.id);
    return 0;
}

/* Returns true if a text from a stranger can be the name of a case: no pattern, no option, no word of a filter. */
static bool is_case_name(const char *name)
{
    const char *at = name;
    while (isalnum((unsigned char)*at) || (*at && strchr("._-", *at)))
        at++;
    return isalpha((unsigned char)*name) && strchr(name, '.') && *at == '\0';
}

int bundle_names_beyond(const struct bundle *bundle, const struct plan *plan, char ***names, size_t *count,
                        struct error *error)
{
    const struct testcase **sorted = plan_sorted(plan);
    struct row row;
    int code = SQLITE_ROW, result = sorted ? 0 : error_set(error, EXIT_HARNESS, "out of memory");
    *names = NULL;
    *count = 0;
    if (result == 0)
        result = bundle_select(bundle, &row, error);
    if (result) {
        free(sorted);
        return result;
    }
    while (result == 0 && (code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        const char *name = row_text(&row, "case_name");
        if (!is_case_name(name)) {
            result = error_set(error, EXIT_HARNESS, "the bundle has a case whose name is none");
            break;
        }
        if (plan_named(sorted, plan->count, name))
            continue;
        if ((*count & (*count - 1)) == 0) {
            char **larger = realloc(*names, (*count ? 2 * *count : 1) * sizeof *larger);
            if (!larger) {
                result = error_set(error, EXIT_HARNESS, "out of memory");
                break;
            }
            *names = larger;
        }
        (*names)[*count] = strdup(name);
        *count += (*names)[*count] != NULL;
    }
    row_close(&row);
    free(sorted);
    if (result == 0 && code != SQLITE_DONE)
        result = error_set(error, EXIT_HARNESS, "the results cannot be read to their end");
    return result;
}

/* Cases that differ in one way, and the first of them. */
struct bundle_odd {
    uint64_t count;
    char first[300];
};

static void bundle_add_odd(struct bundle_odd *odd, const char *name)
{
    if (odd->count++ == 0)
        snprintf(odd->first, sizeof odd->first, "%s", name);
}

/* Prints the cases, and returns the number of lines. */
static int bundle_print_odd(const struct bundle_odd *odd, const char *what, FILE *out)
{
    if (odd->count == 0)
        return 0;
    fprintf(out, "  plan: %s: %llu, the first ", what, (unsigned long long)odd->count);
    text_print(out, odd->first);
    putc('\n', out);
    return 1;
}

int bundle_check_plan(const struct bundle *bundle, const struct plan *plan, size_t whole, FILE *out,
                      struct error *error)
{
    const struct testcase **sorted = plan_sorted(plan);
    bool *ended = calloc(plan->count + 1, sizeof *ended);
    struct bundle_odd foreign = {0}, other = {0}, missing = {0};
    struct history_summary summary;
    struct row row;
    int code, lines = -1;
    if (!sorted || !ended)
        error_set(error, EXIT_HARNESS, "out of memory");
    else if (history_summary(bundle->history, bundle->run.id, &summary, error) == 0 &&
             bundle_select(bundle, &row, error) == 0) {
        while ((code = sqlite3_step(row.statement)) == SQLITE_ROW) {
            const char *name = row_text(&row, "case_name");
            const struct testcase *c = plan_named(sorted, plan->count, name);
            if (!c)
                bundle_add_odd(&foreign, name);
            else if (strcmp(row_text(&row, "operator"), c->spec->name) != 0 ||
                     strcmp(row_text(&row, "feature_level"), c->spec->levels[c->table].name) != 0)
                bundle_add_odd(&other, name);
            if (c && strcmp(row_text(&row, "status"), status_name(STATUS_INCOMPLETE)) != 0)
                ended[c - plan->cases] = true;
        }
        row_close(&row);
        for (size_t i = 0; summary.whole_run != 0 && i < whole; i++)
            if (!ended[i])
                bundle_add_odd(&missing, plan->cases[i].name);
        lines = bundle_print_odd(&missing, "cases of the whole plan without a verdict in the results", out) +
                bundle_print_odd(&foreign, "cases of the results that this suite lacks", out) +
                bundle_print_odd(&other, "cases with another operator or feature level here", out);
        if (code != SQLITE_DONE)
            lines = -1;
        if (lines < 0)
            error_set(error, EXIT_HARNESS, "the results cannot be read to their end");
    }
    free(sorted);
    free(ended);
    return lines;
}
