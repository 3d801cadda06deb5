/* JUnit XML as Jenkins reads it: a suite per operator and device. A suite starts with its counts, so it is kept in
 * memory until its device is done. harness/test/junit.xsd is the schema. */
#include "harness/results/format.h"
#include "harness/results/junit_properties.h"
#include "harness/base/text.h"
#include "harness/run/causes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX = JUNIT_NAME_MAX, DETAIL_MAX = 4096, GROUPS_MAX = 10 }; /* bytes of one text; groups of one suite */

/* The place where the details of a case begin. The group of the case goes there, which is known only at the end of a
 * device. */
struct mark {
    char *case_name;
    long at;      /* the place in the suite's text */
    size_t group; /* from 1 on; 0: none, or not known yet */
};

struct suite {
    struct suite *next;
    struct mark *marks; /* the marks, in the order of the text */
    size_t mark_count;
    char *name;  /* the name of the operator */
    char *text;  /* its cases, written by `cases` */
    size_t size; /* the size of the text */
    FILE *cases;
    uint64_t tests, failures, errors, skipped, known, host_ns; /* known: failures as expected, among the skipped */
};

struct format_junit {
    struct suite *first, *last; /* the suites of the current device */
    char *package;              /* XML attribute with the device's name, the same for all of its suites */
    char *properties;           /* XML elements, the same for all suites of the device */
};

static void format_junit_begin(struct format_stream *stream)
{
    stream->state = calloc(1, sizeof(struct format_junit));
    stream->failed |= !stream->state;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\">\n", stream->out);
}

static void format_junit_begin_run(struct format_stream *stream, const struct format_run *run)
{
    struct format_junit *junit = stream->state;
    size_t size;
    FILE *out = junit ? open_memstream(&junit->properties, &size) : NULL;
    char seed[24];
    if (out) {
        snprintf(seed, sizeof seed, "0x%" PRIx64, run->seed);
        junit_property(out, "version", run->version);
        junit_property(out, "device", run->device);
        junit_property(out, "device-name", run->device_name);
        junit_property(out, "driver", run->device_driver);
        junit_property(out, "feature-level", run->feature_level);
        junit_property(out, "seed", seed);
        junit_property(out, "database", run->database);
        junit_property(out, "purpose", run->purpose);
        junit_property(out, "partial", run->partial ? "yes" : NULL);
        junit_property(out, "half", run->half ? "yes" : NULL);
        junit_property(out, "device-hash", run->device_hash);
        junit_property(out, "build-id", run->device_build);
        junit_property(out, "label", run->label);
        junit_property(out, "revision", run->revision);
        junit_property(out, "branch", run->branch);
    }
    stream->failed |= !out || fclose(out) != 0;
    out = junit ? open_memstream(&junit->package, &size) : NULL;
    if (out)
        junit_attribute(out, "package", run->device);
    stream->failed |= !out || fclose(out) != 0;
}

/* Finds or creates the suite of an operator. Null: out of memory. */
static struct suite *suite_of(struct format_junit *junit, const char *operator_name)
{
    struct suite *suite = junit->last && !strcmp(junit->last->name, operator_name) ? junit->last : junit->first;
    while (suite && strcmp(suite->name, operator_name) != 0)
        suite = suite->next;
    if (suite || !(suite = calloc(1, sizeof *suite)))
        return suite;
    suite->name = strdup(operator_name);
    suite->cases = suite->name ? open_memstream(&suite->text, &suite->size) : NULL;
    if (!suite->cases) {
        free(suite->name);
        free(suite);
        return NULL;
    }
    *(junit->last ? &junit->last->next : &junit->first) = suite;
    junit->last = suite;
    return suite;
}

static void format_junit_print_line(FILE *out, const char *key, const char *text)
{
    if (!*text)
        return;
    fprintf(out, "%s: ", key);
    text_print_xml(out, text, DETAIL_MAX);
    putc('\n', out);
}

static void format_junit_print_details(FILE *out, const struct record *record)
{
    const struct wrong *wrong = &record->symptoms.wrong;
    char why[512];
    format_junit_print_line(out, "rule", record->rule);
    format_junit_print_line(out, "it says", record_text(record->rule_text));
    format_junit_print_line(out, "broken rule", record_text(record->broken));
    format_junit_print_line(out, "that says", record_text(record->broken_text));
    format_junit_print_line(out, "strength", record->strength);
    format_junit_print_line(out, "pages", record->pages);
    format_junit_print_line(out, "expected", record->expected);
    format_junit_print_line(out, "outcome", record->outcome);
    format_junit_print_line(out, "message", record->message);
    format_junit_print_line(out, "fits", record_why(record, why, sizeof why));
    if (record->flaky)
        fprintf(out, "flaky: %u attempts\n", record->attempt);
    format_junit_print_line(out, "expectation", standing_name(record->standing));
    format_junit_print_line(out, "reason", record->reason ? record->reason : "");
    if (*wrong->tensor || wrong->count) {
        format_junit_print_line(out, "wrong tensor", wrong->tensor);
        format_junit_print_line(out, "at", wrong->coordinates);
        format_junit_print_line(out, "got", wrong->got);
        format_junit_print_line(out, "expected there", wrong->expected);
        format_junit_print_line(out, "inputs", wrong->inputs);
        fprintf(out, "wrong elements: %" PRIu64 "\n", wrong->count);
    }
    fprintf(out, "seed: 0x%016" PRIx64 "\n", record->seed);
    format_junit_print_line(out, "reproduce", record->reproduce);
}

/* Notes that the details of a case begin here. False: out of memory. */
static bool add_mark(struct suite *suite, const char *case_name)
{
    struct mark *marks = realloc(suite->marks, (suite->mark_count + 1) * sizeof *marks);
    struct mark mark = {.case_name = strdup(case_name), .at = ftell(suite->cases)};
    suite->marks = marks ? marks : suite->marks;
    if (!marks || !mark.case_name || mark.at < 0) {
        free(mark.case_name);
        return false;
    }
    marks[suite->mark_count++] = mark;
    return true;
}

/* Prints a <failure> or an <error>. False: out of memory. */
static bool print_bad(struct suite *suite, const char *element, const struct record *record)
{
    FILE *out = suite->cases;
    fprintf(out, "      <%s type=\"%s\" message=\"%s%s%s", element, status_name(record->verdict.status),
            standing_name(record->standing), record->standing ? ": " : "", record->flaky ? "flaky: " : "");
    text_print_xml(out, *record->message ? record->message : record_text(record->reason), NAME_MAX);
    fputs("\">", out);
    bool good = add_mark(suite, record->case_name);
    format_junit_print_details(out, record);
    fprintf(out, "</%s>\n", element);
    return good;
}

static void print_skipped(struct suite *suite, const char *what, const char *why)
{
    suite->skipped++;
    fprintf(suite->cases, "      <skipped message=\"%s", what);
    text_print_xml(suite->cases, why, NAME_MAX);
    fputs("\"/>\n", suite->cases);
}

static bool format_junit_print_case(struct suite *suite, const struct record *record)
{
    FILE *out = suite->cases;
    bool good = true;
    fputs("    <testcase", out);
    junit_attribute(out, "name", record->case_name);
    fputs(" classname=\"", out);
    text_print_xml(out, record->device, NAME_MAX);
    putc('.', out);
    text_print_xml(out, record->operator_name, NAME_MAX);
    fprintf(out, "\" time=\"%.6f\">\n", (double)record->verdict.host_ns / 1e9);
    suite->tests++;
    suite->host_ns += record->verdict.host_ns;
    if (record_is_failure(record) || record->verdict.status == STATUS_INCOMPLETE) {
        bool error = record->verdict.status == STATUS_INCOMPLETE ||
                     (status_is_failure(record->verdict.status) && record->verdict.status != STATUS_FAIL);
        *(error ? &suite->errors : &suite->failures) += 1;
        good = print_bad(suite, error ? "error" : "failure", record);
    } else if (record_is_known(record)) {
        char what[64];
        snprintf(what, sizeof what, "expected %s: ", record->flaky ? "flaky" : status_name(record->verdict.status));
        suite->known++;
        print_skipped(suite, what, record->reason ? record->reason : "");
    } else if (record->verdict.status == STATUS_SKIP || record->verdict.status == STATUS_UNSUPPORTED) {
        print_skipped(suite, record->verdict.status == STATUS_UNSUPPORTED ? "unsupported: " : "", record->message);
    } else if (record->verdict.status == STATUS_WARN) { /* JUnit has no warnings */
        fputs("      <system-out>warn\n", out);
        good = add_mark(suite, record->case_name);
        format_junit_print_details(out, record);
        fputs("</system-out>\n", out);
    }
    if (record_is_failure(record) && *record_text(record->printed)) {
        fputs("      <system-err>", out);
        text_print_xml(out, record->printed, NAME_MAX);
        fputs("</system-err>\n", out);
    }
    fputs("    </testcase>\n", out);
    return good;
}

static void format_junit_result(struct format_stream *stream, const struct record *record)
{
    struct format_junit *junit = stream->state;
    struct suite *suite = junit ? suite_of(junit, record->operator_name) : NULL;
    stream->sequence++;
    stream->failed |= !suite || !format_junit_print_case(suite, record) || ferror(suite->cases);
}

/* ---- the end of a device */

/* Adds the properties of a device that are known only at its end to its suites. */
static bool add_properties(struct format_junit *junit, const struct format_total *total)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool good = out != NULL;
    if (out) {
        fputs(junit->properties ? junit->properties : "", out);
        if (total->conformance && total->conformance->operators && !total->conformance->failed)
            good = junit_conformance(out, total->conformance, total->declared);
        good &= fclose(out) == 0;
    }
    free(junit->properties);
    junit->properties = text;
    return good;
}

/* The group of a case. */
struct member {
    const char *case_name;
    size_t group; /* from 1 on */
};

static int format_junit_by_name(const void *a, const void *b)
{
    return strcmp(((const struct member *)a)->case_name, ((const struct member *)b)->case_name);
}

/* Returns the members of all groups, by name; the caller frees them. Null: none, or out of memory, which sets
 * *failed. */
static struct member *find_members(const struct causes *causes, size_t *count, bool *failed)
{
    struct member *members = NULL;
    struct member member;
    size_t room = 0;
    *count = 0;
    for (size_t i = 0; causes && causes_member(causes, &i, &member.case_name, &member.group); i++) {
        if (*count == room) {
            room = room ? room * 2 : 64;
            struct member *larger = realloc(members, room * sizeof *larger);
            *failed |= !larger;
            if (!larger)
                break;
            members = larger;
        }
        member.group++;
        members[(*count)++] = member;
    }
    if (members)
        qsort(members, *count, sizeof *members, format_junit_by_name);
    return members;
}

/* Finds the groups of a suite's cases, and prints a property for each of the first ones. False: out of memory. */
static bool format_junit_print_groups(FILE *out, struct suite *suite, const struct format_total *total,
                                      const struct member *members, size_t count)
{
    bool *named = calloc(total->group_count + 1, sizeof *named);
    size_t left = GROUPS_MAX;
    for (size_t i = 0; i < suite->mark_count && members && named; i++) {
        const struct member key = {.case_name = suite->marks[i].case_name},
                            *found = bsearch(&key, members, count, sizeof key, format_junit_by_name);
        suite->marks[i].group = found && found->group <= total->group_count ? found->group : 0;
        named[suite->marks[i].group] = true;
    }
    for (size_t i = 1; i <= total->group_count && named && left > 0; i++)
        if (named[i]) {
            junit_group(out, i, &total->groups[i - 1]);
            left--;
        }
    bool good = named != NULL;
    free(named);
    return good;
}

/* Prints the cases of a suite, those in a group with a line about it. */
static void format_junit_print_cases(FILE *out, const struct suite *suite, const struct format_total *total)
{
    size_t done = 0;
    for (size_t i = 0; i < suite->mark_count; i++) {
        const struct mark *mark = &suite->marks[i];
        if (!mark->group)
            continue;
        fwrite(suite->text + done, 1, (size_t)mark->at - done, out);
        done = (size_t)mark->at;
        fprintf(out, "group %zu: ", mark->group);
        text_print_xml(out, total->groups[mark->group - 1].title, NAME_MAX);
        putc('\n', out);
    }
    fwrite(suite->text + done, 1, suite->size - done, out);
}

static void free_suite(struct suite *suite)
{
    for (size_t i = 0; i < suite->mark_count; i++)
        free(suite->marks[i].case_name);
    free(suite->marks);
    free(suite->text);
    free(suite->name);
    free(suite);
}

/* Prints and frees the suites of the device. */
static void print_suites(struct format_stream *stream, const struct format_total *total)
{
    struct format_junit *junit = stream->state;
    size_t member_count = 0;
    struct member *members = find_members(total->causes, &member_count, &stream->failed);
    FILE *out = stream->out;
    for (struct suite *suite = junit ? junit->first : NULL, *next; suite; suite = next) {
        next = suite->next;
        bool whole = fclose(suite->cases) == 0;
        stream->failed |= !whole;
        fputs("  <testsuite", out);
        junit_attribute(out, "name", suite->name);
        fprintf(out,
                "%s tests=\"%" PRIu64 "\" failures=\"%" PRIu64 "\" errors=\"%" PRIu64 "\" skipped=\"%" PRIu64
                "\" time=\"%.6f\">\n",
                junit->package ? junit->package : "", suite->tests, suite->failures, suite->errors, suite->skipped,
                (double)suite->host_ns / 1e9);
        fprintf(out, "    <properties>\n%s", junit->properties ? junit->properties : "");
        stream->failed |= !format_junit_print_groups(out, suite, total, members, member_count);
        junit_number(out, "known-failures", suite->known);
        fputs("    </properties>\n", out);
        if (whole)
            format_junit_print_cases(out, suite, total);
        fputs("  </testsuite>\n", out);
        free_suite(suite);
    }
    free(members);
    if (!junit)
        return;
    free(junit->package);
    free(junit->properties);
    *junit = (struct format_junit){0};
}

static void format_junit_end_run(struct format_stream *stream, const struct format_total *total)
{
    struct format_junit *junit = stream->state;
    stream->failed |= junit && !add_properties(junit, total);
    print_suites(stream, total);
}

static void format_junit_end(struct format_stream *stream)
{
    print_suites(stream, &(struct format_total){0}); /* the device's run may have been aborted */
    fputs("</testsuites>\n", stream->out);
    free(stream->state);
    stream->state = NULL;
}

const struct format format_junit = {
    .name = "junit",
    .help = "JUnit XML, as Jenkins reads it",
    .begin = format_junit_begin,
    .begin_run = format_junit_begin_run,
    .result = format_junit_result,
    .end_run = format_junit_end_run,
    .end = format_junit_end,
};
