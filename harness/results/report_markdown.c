/* A summary in Markdown, as GitHub and others show it: what ran, what changed, what fails and why, what is supported. */
#include "harness/results/report_changes.h"

#include "harness/base/text.h"
#include "harness/results/row.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 10, GROUPS_MAX = 30, TEXT_MAX = 300 };

struct printer {
    const struct report *report;
    sqlite3 *db;
    FILE *out;
    struct error *error;
};

static int fail(const struct printer *p)
{
    return error_set(p->error, EXIT_HARNESS, "the results cannot be read: %s", sqlite3_errmsg(p->db));
}

/* What a database says is shown as code, in which nothing is a mark, a tag, a link or somebody's name: a longer row of backticks
 * than it has itself stands around it. */
static void print_code(FILE *out, const char *text)
{
    char kept[TEXT_MAX + sizeof "…"];
    if (text_visible(kept, TEXT_MAX, text) >= TEXT_MAX)
        strcat(kept, "…");
    text = kept;
    if (!*text)
        return;
    size_t max = 0, row = 0;
    for (const char *c = text; *c; c++) {
        row = *c == '`' ? row + 1 : 0;
        max = row > max ? row : max;
    }
    for (size_t i = 0; i <= max; i++)
        putc('`', out);
    bool padded = *text == '`' || (*text && text[strlen(text) - 1] == '`');
    fputs(padded ? " " : "", out);
    for (; *text; text++) {
        if (*text == '|')
            putc('\\', out); /* tables end cells in code, too */
        putc(*text, out);
    }
    fputs(padded ? " " : "", out);
    for (size_t i = 0; i <= max; i++)
        putc('`', out);
}

static void print_cell(FILE *out, sqlite3_stmt *row, int column)
{
    if (sqlite3_column_type(row, column) == SQLITE_INTEGER)
        fputs(row_text(row, column), out);
    else
        print_code(out, row_text(row, column));
}

/* Runs `each` for the rows of a query with up to one number. */
static int for_rows(const struct printer *p, const char *sql, int64_t number,
                    void (*each)(const struct printer *p, sqlite3_stmt *row, size_t index))
{
    sqlite3_stmt *row;
    int code;
    size_t index = 0;
    if (sqlite3_prepare_v2(p->db, sql, -1, &row, NULL) != SQLITE_OK)
        return fail(p);
    if (sqlite3_bind_parameter_count(row) > 0)
        sqlite3_bind_int64(row, 1, number);
    while ((code = sqlite3_step(row)) == SQLITE_ROW)
        each(p, row, index++);
    int result = code == SQLITE_DONE ? 0 : fail(p);
    sqlite3_finalize(row);
    return result;
}

/* ---- runs */

static void print_run(const struct printer *p, sqlite3_stmt *row, size_t index)
{
    (void)index;
    fputs("| ", p->out);
    print_code(p->out, row_text(row, 0));
    fputs(" | ", p->out);
    print_code(p->out, row_text(row, 1));
    for (int i = 2; i < 10; i++) {
        fputs(" | ", p->out);
        print_cell(p->out, row, i);
    }
    if (sqlite3_column_type(row, 10) == SQLITE_NULL)
        fputs(" | |\n", p->out);
    else
        fprintf(p->out, " | %.2f %% |\n", sqlite3_column_double(row, 10));
}

static int print_runs(const struct printer *p)
{
    static const char sql[] =
        "SELECT device, trim(device_name || ', ' || device_driver || iif(shards > 1, ', shard ' || shard || '/' || "
        "shards, ''), ', '),"
        " feature_level, state, planned, pass, failed, warn, unsupported, skip, "
        "100.0 * pass / nullif(planned - skip - unsupported, 0) FROM runs JOIN ("
        "SELECT sum(status = 'pass') AS pass, sum(failed) AS failed, sum(status = 'warn') AS warn, "
        "sum(status = 'unsupported') AS unsupported, sum(status = 'skip') AS skip FROM results WHERE run_id = ?1) "
        "WHERE runs.run_id = ?1";
    int result = 0;
    fputs(p->report->device_count
              ? "| device | | level | state | cases | pass | fail | warn | unsupported | skip | pass rate |\n"
                "|---|---|---|---|--:|--:|--:|--:|--:|--:|--:|\n"
              : "There is no run.\n",
          p->out);
    for (size_t i = 0; i < p->report->device_count && result == 0; i++)
        result = for_rows(p, sql, p->report->devices[i].run.id, print_run);
    if (p->report->device_count)
        fputs("\nPass rate: pass ÷ (cases − skip − unsupported). Fail: what makes the run fail, crashes and timeouts "
              "included.\n",
              p->out);
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
        print_code(p->out, (change->after ? change->after : change->before)->name);
        fprintf(p->out, ": %s → %s", change->before ? status_name(change->before->status) : "new",
                change->after ? status_name(change->after->status) : "gone");
        if (change->after && *change->after->message) {
            fputs(", ", p->out);
            print_code(p->out, change->after->message);
        }
        putc('\n', p->out);
    }
    if (changes->kinds[kind] > shown && shown > 0)
        fprintf(p->out, "- and %zu more\n", changes->kinds[kind] - shown);
}

static int print_changes(const struct printer *p)
{
    int result = 0;
    fputs("\n## Changes since the run before\n", p->out);
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
            print_code(p->out, device->run.device);
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
        fputs("\nThere is no run before, of any of these devices.\n", p->out);
    return result;
}

/* ---- failures */

static void print_failure(const struct printer *p, sqlite3_stmt *row, size_t index)
{
    if (index == 0)
        fputs("\n| cause | operator | rule | cases | the first |\n|---|---|---|--:|---|\n", p->out);
    if (index == GROUPS_MAX)
        fputs("| … | | | | there are more: `--html FILE` shows all |\n", p->out);
    if (index >= GROUPS_MAX)
        return;
    for (int i = 0; i < 5; i++) {
        fputs(i ? " | " : "| ", p->out);
        print_cell(p->out, row, i);
    }
    fputs("<br>", p->out);
    print_code(p->out, row_text(row, 5));
    fputs(" |\n", p->out);
}

static int print_failures(const struct printer *p)
{
    static const char sql[] = "SELECT cause, operator, rule, count(*), message, reproduce FROM "
                              "(SELECT * FROM failures WHERE run_id = ?1 ORDER BY case_name) "
                              "GROUP BY cause, operator, rule ORDER BY count(*) DESC, cause, operator, rule";
    int result = 0;
    fputs("\n## Failures\n", p->out);
    for (size_t i = 0; i < p->report->device_count && result == 0; i++) {
        fputs("\n", p->out);
        print_code(p->out, p->report->devices[i].run.device);
        sqlite3_stmt *row;
        int64_t count = 0;
        if (sqlite3_prepare_v2(p->db, "SELECT count(*) FROM failures WHERE run_id = ?1", -1, &row, NULL) != SQLITE_OK)
            return fail(p);
        sqlite3_bind_int64(row, 1, p->report->devices[i].run.id);
        if (sqlite3_step(row) == SQLITE_ROW)
            count = sqlite3_column_int64(row, 0);
        sqlite3_finalize(row);
        fprintf(p->out, count ? ": %" PRId64 "\n" : ": none\n", count);
        result = for_rows(p, sql, p->report->devices[i].run.id, print_failure);
    }
    return result;
}

/* ---- support */

static const char *mark_of(int64_t pass, int64_t failed, int64_t warn, int64_t unsupported)
{
    if (failed)
        return "✗ fails";
    if (pass || warn)
        return unsupported ? "◐ partly" : warn ? "△ warns" : "✓ passes";
    return unsupported ? "– unsupported" : "";
}

static void print_support(const struct printer *p, sqlite3_stmt *row, size_t index)
{
    (void)index;
    int column = 2;
    fputs("| ", p->out);
    print_code(p->out, row_text(row, 0));
    fputs(" | ", p->out);
    print_code(p->out, row_text(row, 1));
    for (size_t i = 0; i < p->report->device_count; i++, column += 4)
        fprintf(p->out, " | %s",
                mark_of(sqlite3_column_int64(row, column), sqlite3_column_int64(row, column + 1),
                        sqlite3_column_int64(row, column + 2), sqlite3_column_int64(row, column + 3)));
    fputs(" |\n", p->out);
}

/* A column a device: the query grows with them. */
static int print_matrix(const struct printer *p)
{
    char *sql = NULL;
    size_t size = 0;
    if (p->report->device_count == 0)
        return 0;
    FILE *query = open_memstream(&sql, &size);
    if (!query)
        return error_set(p->error, EXIT_HARNESS, "out of memory");
    fputs("\n## Support\n\n| operator | data types |", p->out);
    fputs("SELECT operator, data_types", query);
    for (size_t i = 0; i < p->report->device_count; i++) {
        int64_t id = p->report->devices[i].run.id;
        fputs(" ", p->out);
        print_code(p->out, p->report->devices[i].run.device);
        fputs(" |", p->out);
        fprintf(query,
                ", sum(run_id = %" PRId64 " AND status = 'pass'), sum(run_id = %" PRId64
                " AND failed), sum(run_id = %" PRId64 " AND status = 'warn'), sum(run_id = %" PRId64
                " AND status = 'unsupported')",
                id, id, id, id);
    }
    fputs(" FROM results WHERE run_id IN (0", query);
    for (size_t i = 0; i < p->report->device_count; i++)
        fprintf(query, ", %" PRId64, p->report->devices[i].run.id);
    /* what must be rejected supports nothing */
    fputs(") AND expected NOT LIKE '%rejection%' GROUP BY operator, data_types ORDER BY operator, data_types", query);
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
        result = print_changes(&p);
    if (result == 0)
        result = print_failures(&p);
    return result ? result : print_matrix(&p);
}

const struct report_form report_markdown = {.name = "markdown", .write = write_summary};
