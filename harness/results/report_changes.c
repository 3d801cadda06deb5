#include "harness/results/guard.h"
#include "harness/results/report_changes.h"

#include "harness/base/text.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_MAX = 200 }; /* printed cases per kind of change */

static const struct timing_limits limits = {.effect = 0.1, .rate = 0.05};

int report_changes_make(const struct report *report, const struct report_device *device, struct report_changes *out,
                        struct error *error)
{
    *out = (struct report_changes){0};
    int result = device->given ? 0 : report_keep_state(report, device->before.id, error);
    if (result == 0)
        result = device->given
                     ? changes_read(&out->before, report->history, &device->before, NULL, 0, CLOCK_HOST, error)
                     : changes_read_state(&out->before, report->history, &device->before, HISTORY_ALL, device->run.id,
                                          NULL, 0, CLOCK_HOST, error);
    if (result == 0)
        result = changes_read_state(&out->after, report->history, &device->run,
                                    device->given ? HISTORY_ALL : HISTORY_RAN, 0, NULL, 0, CLOCK_HOST, error);
    if (result == 0)
        result = changes_make(&out->changes, &out->before, &out->after, &limits, error);
    return result;
}

void report_changes_free(struct report_changes *changes)
{
    changes_free(&changes->changes);
    changes_side_free(&changes->before);
    changes_side_free(&changes->after);
}

/* ---- as JSON */

struct printer {
    FILE *out;
    sqlite3_stmt *find; /* the index of a case in the report's arrays */
    const struct changes *changes;
};

static void report_changes_print_case(const struct printer *p, const char *name)
{
    sqlite3_bind_text(p->find, 1, name, -1, SQLITE_STATIC);
    if (sqlite3_step(p->find) == SQLITE_ROW)
        fprintf(p->out, "{\"case\":%" PRId64, (int64_t)sqlite3_column_int64(p->find, 0));
    else
        fputs("{\"case\":null", p->out);
    sqlite3_reset(p->find);
}

static void print_member(FILE *out, const char *key, const char *text)
{
    fprintf(out, ",\"%s\":", key);
    if (text)
        text_print_json(out, text);
    else
        fputs("null", out);
}

static void report_changes_print_kind(const struct printer *p, const char *key, enum change_kind kind)
{
    size_t shown = 0;
    fprintf(p->out, ",\n\"%s\":[", key);
    for (size_t i = 0; i < p->changes->count && shown < CHANGES_MAX; i++) {
        const struct change *change = &p->changes->items[i];
        if (change->kind != kind)
            continue;
        fputs(shown++ ? "," : "", p->out);
        report_changes_print_case(p, (change->after ? change->after : change->before)->name);
        print_member(p->out, "before", change->before ? changes_status(change->before) : NULL);
        print_member(p->out, "after", change->after ? changes_status(change->after) : NULL);
        putc('}', p->out);
    }
    putc(']', p->out);
}

static void report_changes_print_choices(const struct printer *p)
{
    size_t shown = 0;
    fputs(",\n\"choices\":[", p->out);
    for (size_t i = 0; i < p->changes->count && shown < CHANGES_MAX; i++) {
        const struct change *change = &p->changes->items[i];
        if (!change->choice)
            continue;
        fputs(shown++ ? "," : "", p->out);
        report_changes_print_case(p, change->after->name);
        print_member(p->out, "before", change->before->outcome);
        print_member(p->out, "after", change->after->outcome);
        putc('}', p->out);
    }
    putc(']', p->out);
}

static void report_changes_print_times(const struct printer *p, const struct timing *t)
{
    fprintf(p->out, ",\"before_ns\":%.15g,\"after_ns\":%.15g,\"ratio\":%.6g,\"q\":%.6g}", t->before, t->after, t->ratio,
            t->q);
}

static void report_changes_print_verdict(const struct printer *p, const char *key, enum timing_verdict verdict)
{
    size_t shown = 0;
    fprintf(p->out, ",\"%s\":[", key);
    for (size_t i = 0; i < p->changes->group_count; i++) {
        const struct changes_group *group = &p->changes->groups[i];
        if (group->timing.verdict != verdict)
            continue;
        fputs(shown++ ? ",{\"case\":null" : "{\"case\":null", p->out);
        print_member(p->out, "operator", group->name ? group->name : "");
        report_changes_print_times(p, &group->timing);
    }
    for (size_t i = 0; i < p->changes->count && shown < CHANGES_MAX; i++) {
        const struct change *change = &p->changes->items[i];
        if (change->timing.verdict != verdict)
            continue;
        fputs(shown++ ? "," : "", p->out);
        report_changes_print_case(p, change->after->name);
        print_member(p->out, "operator", change->after->operator_name);
        report_changes_print_times(p, &change->timing);
    }
    putc(']', p->out);
}

static void report_changes_print_timing(const struct printer *p)
{
    const size_t *verdicts = p->changes->verdicts;
    size_t tested = verdicts[TIMING_SAME] + verdicts[TIMING_SLOWER] + verdicts[TIMING_FASTER];
    if (tested == 0) {
        fputs(",\n\"timing\":null", p->out);
        return;
    }
    fprintf(p->out, ",\n\"timing\":{\"tested\":%zu,\"slower_count\":%zu,\"faster_count\":%zu", tested,
            verdicts[TIMING_SLOWER], verdicts[TIMING_FASTER]);
    report_changes_print_verdict(p, "slower", TIMING_SLOWER);
    report_changes_print_verdict(p, "faster", TIMING_FASTER);
    putc('}', p->out);
}

static void print_device(const struct printer *p, size_t number, const struct report_device *device)
{
    fprintf(p->out, "{\"device\":%zu,\"before\":%" PRId64 ",\"after\":%" PRId64, number, device->before.id - 1,
            device->run.id - 1);
    fputs(",\n\"counts\":", p->out);
    changes_print_counts(p->out, p->changes);
    report_changes_print_kind(p, "regressions", CHANGE_REGRESSION);
    report_changes_print_kind(p, "fixes", CHANGE_FIX);
    report_changes_print_kind(p, "worse", CHANGE_WORSE);
    report_changes_print_kind(p, "better", CHANGE_BETTER);
    report_changes_print_kind(p, "new", CHANGE_NEW);
    report_changes_print_kind(p, "gone", CHANGE_GONE);
    report_changes_print_choices(p);
    report_changes_print_timing(p);
    putc('}', p->out);
}

int report_changes_print(const struct report *report, FILE *out, struct error *error)
{
    sqlite3 *db = history_database(report->history);
    struct printer p = {.out = out};
    const char *before = "";
    int result = 0;
    if (sqlite3_prepare_v2(db, "SELECT place FROM page_case WHERE name = ?1", -1, &p.find, NULL) != SQLITE_OK)
        return error_set(error, EXIT_HARNESS, "the report's data cannot be made: %s", guard_message(db));
    putc('[', out);
    for (size_t i = 0; i < report->device_count && result == 0; i++) {
        struct report_changes changes;
        if (!report->devices[i].before.id)
            continue;
        result = report_changes_make(report, &report->devices[i], &changes, error);
        p.changes = &changes.changes;
        fputs(before, out);
        before = ",\n";
        if (result == 0)
            print_device(&p, i, &report->devices[i]);
        report_changes_free(&changes);
    }
    putc(']', out);
    sqlite3_finalize(p.find);
    return result;
}
