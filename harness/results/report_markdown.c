/* A summary in Markdown, as GitHub and others render it: runs, conformance, changes, failures by cause, support. */
#include "harness/results/guard.h"
#include "harness/results/markdown.h"
#include "harness/results/report_causes.h"
#include "harness/results/report_changes.h"
#include "harness/results/report_operators.h"

#include "harness/base/text.h"
#include "harness/results/row.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 10, GROUPS_MAX = 30, CAUSES_MAX = 50 };

struct printer {
    const struct report *report;
    sqlite3 *db;
    FILE *out;
    struct error *error;
};

static int report_markdown_fail(const struct printer *p)
{
    return error_set(p->error, EXIT_HARNESS, "the results cannot be read: %s", guard_message(p->db));
}

static void print_codes(FILE *out, struct row *row, const char *const *columns)
{
    for (; *columns; columns++) {
        fputs("| ", out);
        markdown_code(out, row_text(row, *columns));
        putc(' ', out);
    }
}

static void report_markdown_print_numbers(FILE *out, struct row *row, const char *const *columns)
{
    for (; *columns; columns++)
        fprintf(out, "| %s ", row_text(row, *columns));
}

/* Calls `each` for each row of a query. ?1, if the query has it, is `number`. */
static int for_rows(const struct printer *p, const char *sql, int64_t number,
                    void (*each)(const struct printer *p, struct row *row, size_t index))
{
    struct row row;
    int code;
    size_t index = 0;
    if (row_prepare(&row, p->db, sql) != SQLITE_OK)
        return report_markdown_fail(p);
    if (sqlite3_bind_parameter_count(row.statement) > 0)
        sqlite3_bind_int64(row.statement, 1, number);
    while ((code = sqlite3_step(row.statement)) == SQLITE_ROW)
        each(p, &row, index++);
    int result = code == SQLITE_DONE ? 0 : report_markdown_fail(p);
    row_close(&row);
    return result;
}

/* ---- runs */

static void report_markdown_print_run(const struct printer *p, struct row *row, size_t index)
{
    static const char *const texts[] = {"device", "description", "feature_level", "state", NULL},
                             *const counts[] = {"cases", "pass",        "compared", "failed", "expected",
                                                "warn",  "unsupported", "skip",     NULL};
    (void)index;
    print_codes(p->out, row, texts);
    report_markdown_print_numbers(p->out, row, counts);
    if (row_is_null(row, "pass_rate"))
        fputs("| |\n", p->out);
    else
        fprintf(p->out, "| %.2f %% |\n", row_real(row, "pass_rate"));
}

static void report_markdown_print_about(FILE *out, const char *what, const char *text)
{
    if (!*text)
        return;
    fprintf(out, "%s ", what);
    markdown_code(out, text);
}

/* Prints a line about the build of the device, and the runs that its verdicts come from. */
static void print_origin(const struct printer *p, const struct report_device *device)
{
    const struct history_run *run = &device->run;
    char partial[200];
    history_describe(run, &device->summary, partial, sizeof partial);
    if (!*partial && !*run->label && !*run->revision && !*run->device_hash)
        return;
    fputs("\n", p->out);
    markdown_code(p->out, run->device);
    report_markdown_print_about(p->out, ": file", *run->device_hash ? run->device_hash : "unknown");
    report_markdown_print_about(p->out, ", build", run->device_build);
    report_markdown_print_about(p->out, ", label", run->label);
    report_markdown_print_about(p->out, ", revision", run->revision);
    report_markdown_print_about(p->out, ", branch", run->branch);
    if (*partial)
        fprintf(p->out, "; the last run is partial: %s", partial);
    fputs("\n", p->out);
}

static int print_runs(const struct printer *p)
{
    /* A flaky case or an unexpected pass is a failure and no pass. */
    static const char sql[] =
        "SELECT device, trim(device_name || ', ' || device_driver || iif(shards > 1, ', shard ' || shard || '/' || "
        "shards, ''), ', ') AS description,"
        " feature_level, state || iif(ran < cases, ', partial', '') AS state, cases, pass, compared, failed, expected, "
        "warn, unsupported, "
        "skip, 100.0 * pass / nullif(cases - skip - unsupported, 0) AS pass_rate FROM runs JOIN ("
        "SELECT count(*) AS cases, sum(run_id = ?1) AS ran, sum(status = 'pass' AND NOT failed) AS pass, "
        "sum(status = 'pass' AND NOT failed AND compared) AS compared, sum(failed) AS failed, "
        "sum(known) AS expected, sum(status = 'warn') AS warn, "
        "sum(status = 'unsupported') AS unsupported, sum(status = 'skip') AS skip "
        "FROM current_results WHERE as_of = ?1) WHERE runs.run_id = ?1";
    int result = 0;
    fputs(p->report->device_count
              ? "| device | | level | state | cases | pass | compared | fail | expected | warn | unsupported | skip | "
                "pass rate |\n"
                "|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n"
              : "There are no runs.\n",
          p->out);
    for (size_t i = 0; i < p->report->device_count && result == 0; i++)
        result = for_rows(p, sql, p->report->devices[i].run.id, report_markdown_print_run);
    if (p->report->device_count)
        fputs(
            "\nPass rate: pass ÷ (cases − skip − unsupported). Compared: passes in which outputs were compared; behind "
            "the bridge and for ONNX Runtime, the other passes are assay's own validation. Fail: cases that make the "
            "run fail, including crashes, timeouts and flaky cases. Expected: failures that an expectation "
            "file lists.\n",
            p->out);
    for (size_t i = 0; i < p->report->device_count; i++)
        print_origin(p, &p->report->devices[i]);
    return result;
}

/* ---- conformance */

static void report_markdown_print_level(const struct printer *p, struct row *row, size_t index)
{
    static const char *const lists[] = {"failing", "missing", "partial", NULL};
    if (index == 0)
        fputs("\n| level | complete | failing | missing | partly supported | without cases |\n"
              "|---|--:|---|---|---|--:|\n",
              p->out);
    fprintf(p->out, "| %s | %s ", row_text(row, "level"), row_text(row, "complete"));
    print_codes(p->out, row, lists);
    fprintf(p->out, "| %s |\n", row_text(row, "uncovered"));
}

/* Prints the operators by state at each feature level up to the one that the device declares. */
static int print_conformance(const struct printer *p)
{
    static const char sql[] = "SELECT level, sum(state = 'complete') AS complete, "
                              "ifnull(group_concat(iif(state = 'failing', operator, NULL), ', '), '') AS failing, "
                              "ifnull(group_concat(iif(state = 'missing', operator, NULL), ', '), '') AS missing, "
                              "ifnull(group_concat(iif(state = 'partial', operator, NULL), ', '), '') AS partial, "
                              "sum(state = 'none') AS uncovered "
                              "FROM report_conformance WHERE as_of = ?1 GROUP BY level ORDER BY level";
    int result = report_operators_list(p->db, p->error);
    fputs("\n## Conformance\n", p->out);
    for (size_t i = 0; i < p->report->device_count && result == 0; i++) {
        fputs("\n", p->out);
        markdown_code(p->out, p->report->devices[i].run.device);
        fputs(": operators by feature level", p->out);
        fputs(p->report->devices[i].summary.whole_run
                  ? "\n"
                  : "; partial: no whole and complete run of the default plan counts\n",
              p->out);
        result = for_rows(p, sql, p->report->devices[i].run.id, report_markdown_print_level);
    }
    return result;
}

/* ---- changes */

static void print_changed(const struct printer *p, const struct changes *changes, enum change_kind kind,
                          const char *title)
{
    size_t shown = 0;
    for (size_t i = 0; i < changes->count && shown < LINES_MAX; i++) {
        const struct change *change = &changes->items[i];
        if (change->kind != kind)
            continue;
        if (shown++ == 0)
            fprintf(p->out, "\n%s:\n\n", title);
        fputs("- ", p->out);
        markdown_code(p->out, (change->after ? change->after : change->before)->name);
        fprintf(p->out, ": %s → %s", change->before ? changes_status(change->before) : "new",
                change->after ? changes_status(change->after) : "gone");
        if (change->after && *change->after->message) {
            fputs(", ", p->out);
            markdown_code(p->out, change->after->message);
        }
        putc('\n', p->out);
    }
    if (changes->kinds[kind] > shown && shown > 0)
        fprintf(p->out, "- and %zu more\n", changes->kinds[kind] - shown);
}

static int report_markdown_print_changes(const struct printer *p)
{
    int result = 0;
    fputs("\n## Changes since the previous run\n", p->out);
    size_t compared = 0;
    for (size_t i = 0; i < p->report->device_count && result == 0; i++) {
        const struct report_device *device = &p->report->devices[i];
        struct report_changes c;
        if (!device->before.id)
            continue;
        compared++;
        result = report_changes_make(p->report, device, &c, p->error);
        if (result == 0) {
            const size_t *kinds = c.changes.kinds;
            fputs("\n", p->out);
            markdown_code(p->out, device->run.device);
            fprintf(
                p->out,
                ": %zu regressions, %zu fixes, %zu otherwise worse, %zu better, %zu new (%zu failing), %zu gone, %zu "
                "the same\n",
                kinds[CHANGE_REGRESSION], kinds[CHANGE_FIX], kinds[CHANGE_WORSE], kinds[CHANGE_BETTER],
                kinds[CHANGE_NEW], c.changes.new_failing, kinds[CHANGE_GONE], kinds[CHANGE_NONE]);
            print_changed(p, &c.changes, CHANGE_REGRESSION, "Regressions");
            print_changed(p, &c.changes, CHANGE_FIX, "Fixes");
        }
        report_changes_free(&c);
    }
    if (compared == 0)
        fputs("\nNone of these devices has a previous run.\n", p->out);
    return result;
}

/* ---- failures */

static void report_markdown_print_count(const struct printer *p, const struct report_device *device, int64_t count)
{
    fputs("\n", p->out);
    markdown_code(p->out, device->run.device);
    fprintf(p->out, count ? ": %" PRId64 "\n" : ": none\n", count);
}

static void print_failure(const struct printer *p, struct row *row, size_t index)
{
    static const char *const group[] = {"cause", "operator", "rule", NULL}, *const count[] = {"count", NULL};
    if (index == 0)
        fputs("\n| cause | operator | rule | cases | first case |\n|---|---|---|--:|---|\n", p->out);
    if (index == GROUPS_MAX)
        fputs("| … | | | | more: `--html FILE` shows all |\n", p->out);
    if (index >= GROUPS_MAX)
        return;
    print_codes(p->out, row, group);
    report_markdown_print_numbers(p->out, row, count);
    fputs("| ", p->out);
    markdown_code(p->out, row_text(row, "message"));
    fputs("<br>", p->out);
    markdown_code(p->out, row_text(row, "reproduce"));
    fputs(" |\n", p->out);
}

/* Prints the causes of the failures of a run. */
static int print_causes(const struct printer *p, int64_t run_id)
{
    struct report_causes causes;
    int result = report_causes_read(p->report, run_id, &causes, p->error);
    if (result == 0 && causes.count > 0) {
        fputs("\n```\n", p->out);
        causes_print(p->out, "", causes.groups, causes.count < CAUSES_MAX ? causes.count : CAUSES_MAX);
        fputs("```\n", p->out);
    }
    report_causes_free(&causes);
    return result;
}

static int print_failures(const struct printer *p)
{
    static const char sql[] = "SELECT cause, operator, rule, count(*) AS count, message, reproduce FROM "
                              "(SELECT * FROM current_results WHERE failed AND as_of = ?1 ORDER BY case_name) "
                              "GROUP BY cause, operator, rule ORDER BY count(*) DESC, cause, operator, rule";
    int result = 0;
    fputs("\n## Failures\n", p->out);
    for (size_t i = 0; i < p->report->device_count && result == 0; i++) {
        report_markdown_print_count(p, &p->report->devices[i], p->report->devices[i].summary.failures);
        result = print_causes(p, p->report->devices[i].run.id);
        if (result == 0)
            result = for_rows(p, sql, p->report->devices[i].run.id, print_failure);
    }
    return result;
}

/* ---- known failures */

static void report_markdown_print_known(const struct printer *p, struct row *row, size_t index)
{
    static const char *const texts[] = {"reason", "status", NULL}, *const numbers[] = {"count", NULL},
                             *const last[] = {"since", "case_name", NULL};
    if (index == 0)
        fputs("\n| reason | status | cases | since | first case |\n|---|---|--:|---|---|\n", p->out);
    print_codes(p->out, row, texts);
    report_markdown_print_numbers(p->out, row, numbers);
    print_codes(p->out, row, last);
    fputs("|\n", p->out);
}

/* Failures that an expectation file lists, by reason. `since`: since when the first case is as expected. */
static int print_known_failures(const struct printer *p)
{
    static const char sql[] =
        "SELECT reason, status, count(*) AS count, min(case_name) AS case_name, "
        "(SELECT substr(min(expected_since), 1, 10) FROM case_trends WHERE case_trends.device = now.device AND "
        "case_trends.case_name = now.case_name) AS since FROM current_results AS now WHERE as_of = ?1 AND known "
        "GROUP BY reason, status ORDER BY count(*) DESC, reason, status";
    int result = 0;
    fputs("\n## Known failures\n", p->out);
    for (size_t i = 0; i < p->report->device_count && result == 0; i++) {
        report_markdown_print_count(p, &p->report->devices[i], p->report->devices[i].summary.expected);
        result = for_rows(p, sql, p->report->devices[i].run.id, report_markdown_print_known);
    }
    return result;
}

/* ---- largest errors */

static void print_error(const struct printer *p, struct row *row, size_t index)
{
    static const char *const texts[] = {"operator", "data_types", NULL}, *const places[] = {"element", NULL};
    if (index == 0)
        fputs("\n| operator | data types | largest ULP | largest share of the bound | its element |\n"
              "|---|---|--:|--:|---|\n",
              p->out);
    print_codes(p->out, row, texts);
    fprintf(p->out, "| %.4g | %.4g ", row_real(row, "error_ulps"), row_real(row, "error_share"));
    print_codes(p->out, row, places);
    fputs("|\n", p->out);
}

/* Prints the largest error of each operator and its data types, those nearest to their bounds first. */
static int print_errors(const struct printer *p)
{
    static const char sql[] =
        "SELECT operator, data_types, error_ulps, error_share, element FROM ("
        "SELECT operator, data_types, max(error_ulps) OVER (PARTITION BY operator, data_types) AS error_ulps, "
        "error_share, error_place AS element, row_number() OVER (PARTITION BY operator, data_types "
        "ORDER BY error_share DESC, case_name) AS number "
        "FROM current_results WHERE as_of = ?1 AND error_share > 0) "
        "WHERE number = 1 ORDER BY error_share DESC, operator, data_types";
    int result = 0;
    fputs("\n## Largest errors\n\nOf all judged elements, those of passing cases too; an element beyond its bound (a "
          "share above 1) is wrong. Operators that are not listed are correctly rounded everywhere, or are not "
          "judged by a bound.\n",
          p->out);
    for (size_t i = 0; i < p->report->device_count && result == 0; i++) {
        fputs("\n", p->out);
        markdown_code(p->out, p->report->devices[i].run.device);
        fputs(":\n", p->out);
        result = for_rows(p, sql, p->report->devices[i].run.id, print_error);
    }
    return result;
}

/* ---- support */

static const char *mark_of(int64_t pass, int64_t failed, int64_t expected, int64_t warn, int64_t unsupported)
{
    if (failed)
        return "✗ fails";
    if (expected)
        return "✗ fails as expected";
    if ((pass || warn) && unsupported)
        return "◐ partly";
    if (pass || warn)
        return warn ? "△ warns" : "✓ passes";
    return unsupported ? "– unsupported" : "";
}

/* Prints one device's row of the query. A line of the table takes a row per device. */
static void print_support(const struct printer *p, struct row *row, size_t index)
{
    static const char *const names[] = {"operator", "data_types", NULL};
    size_t devices = p->report->device_count;
    if (index % devices == 0)
        print_codes(p->out, row, names);
    fprintf(p->out, "| %s ",
            mark_of(row_int(row, "pass"), row_int(row, "failed"), row_int(row, "expected"), row_int(row, "warn"),
                    row_int(row, "unsupported")));
    if (index % devices == devices - 1)
        fputs("|\n", p->out);
}

/* Prints a table with a column per device. Only cases that the device must accept count: a correct rejection does not
 * show support. */
static int report_markdown_print_matrix(const struct printer *p)
{
    static const char counts[] =
        "), counts AS MATERIALIZED (SELECT operator, data_types, as_of AS run_id, sum(status = 'pass') AS pass, "
        "sum(failed) AS failed, "
        "sum(known) AS expected, sum(status = 'warn') AS warn, sum(status = 'unsupported') AS unsupported "
        "FROM current_results WHERE as_of IN (SELECT run_id FROM shown) AND expects IN ('results', 'acceptance') "
        "GROUP BY operator, data_types, as_of) "
        "SELECT operator, data_types, pass, failed, expected, warn, unsupported "
        "FROM (SELECT DISTINCT operator, data_types FROM counts) CROSS JOIN shown "
        "LEFT JOIN counts USING (operator, data_types, run_id) ORDER BY operator, data_types, run_id";
    char *sql = NULL;
    size_t size = 0;
    if (p->report->device_count == 0)
        return 0;
    FILE *query = open_memstream(&sql, &size);
    if (!query)
        return error_set(p->error, EXIT_HARNESS, "out of memory");
    fputs("\n## Support\n\n| operator | data types |", p->out);
    fputs("WITH shown (run_id) AS (VALUES ", query);
    for (size_t i = 0; i < p->report->device_count; i++) {
        putc(' ', p->out);
        markdown_code(p->out, p->report->devices[i].run.device);
        fputs(" |", p->out);
        fprintf(query, "%s(%" PRId64 ")", i ? ", " : "", p->report->devices[i].run.id);
    }
    fputs(counts, query);
    fputs("\n|---|---|", p->out);
    for (size_t i = 0; i < p->report->device_count; i++)
        fputs("---|", p->out);
    putc('\n', p->out);
    int result =
        fclose(query) == 0 ? for_rows(p, sql, 0, print_support) : error_set(p->error, EXIT_HARNESS, "out of memory");
    free(sql);
    return result;
}

static int write_summary(const struct report *report, FILE *out, struct error *error)
{
    const struct printer p = {report, history_database(report->history), out, error};
    fputs("# assay report\n\n", out);
    int result = print_runs(&p);
    if (result == 0)
        result = print_conformance(&p);
    if (result == 0)
        result = report_markdown_print_changes(&p);
    if (result == 0)
        result = print_failures(&p);
    if (result == 0)
        result = print_known_failures(&p);
    if (result == 0)
        result = print_errors(&p);
    return result ? result : report_markdown_print_matrix(&p);
}

const struct report_form report_markdown = {.name = "markdown", .write = write_summary};
