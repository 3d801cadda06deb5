/* report_fixture.h: reports for tests: any form as text, the data of the dashboard as JSON, and checks of its
 * values. */
#ifndef TEST_REPORT_FIXTURE_H
#define TEST_REPORT_FIXTURE_H

#include "harness/results/report.h"
#include "tools/tap.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Returns text to be freed; null after a note if the report cannot be made. */
static char *report_fixture_write(const struct report_form *form, const char *const *paths, size_t count,
                                  const char *const *baselines, size_t baseline_count, struct error *error)
{
    struct report report;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    *error = (struct error){0};
    int result = report_open(&report, paths, count, baselines, baseline_count, error);
    if (result == 0)
        result = form->write(&report, out, error);
    report_close(&report);
    fclose(out);
    if (result == 0)
        return text;
    note("%s", error->text);
    free(text);
    return NULL;
}

/* Returns an object to be freed by json_decref(); null after a note. */
static json_t *fixture_data_of(const char *const *paths, size_t count, const char *const *baselines,
                               size_t baseline_count)
{
    struct error error;
    json_error_t why;
    char *text = report_fixture_write(&report_json, paths, count, baselines, baseline_count, &error);
    json_t *data = text ? json_loads(text, JSON_REJECT_DUPLICATES, &why) : NULL;
    if (text && !data)
        note("line %d: %s", why.line, why.text);
    free(text);
    return data;
}

/* Checks the value at a path, "runs.1.state", as JSON text. */
static void holds(const json_t *data, const char *path, const char *expected)
{
    char part[64];
    const json_t *at = data;
    for (const char *rest = path; *rest && at; rest += *rest == '.') {
        size_t length = strcspn(rest, ".");
        snprintf(part, sizeof part, "%.*s", (int)length, rest);
        at = json_is_array(at) ? json_array_get(at, (size_t)atoi(part)) : json_object_get(at, part);
        rest += length;
    }
    char *text = at ? json_dumps(at, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    if (!ok(text && strcmp(text, expected) == 0, "%s is %s", path, expected))
        note("got %s", text ? text : "nothing");
    free(text);
}

#endif
