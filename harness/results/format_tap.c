/* TAP 13 and 14: the plan first, then a numbered line per case, with a YAML block for each case that did not pass. Text
 * of devices is quoted as in YAML. YAML cannot hold bytes that are not UTF-8; such a byte becomes four characters like
 * \xff. */
#include "harness/results/format.h"
#include "harness/base/text.h"
#include "harness/run/causes.h"

#include <inttypes.h>
#include <stdlib.h>

struct format_tap {
    unsigned runs;
    bool several; /* devices on this stream */
};

/* Prints a description or a reason. An unescaped # would begin a directive. */
static void print_plain(FILE *out, const char *text)
{
    while (*text) {
        char piece[TEXT_PIECE];
        size_t length = text_next(&text, piece);
        for (size_t i = 0; i < length; i++) {
            if (piece[i] == '#' || piece[i] == '\\')
                putc('\\', out);
            putc(piece[i], out);
        }
    }
}

static void print_quoted(FILE *out, const char *text)
{
    putc('"', out);
    while (*text) {
        char piece[TEXT_PIECE];
        uint32_t code;
        bool whole = text_sequence(text, &code) != 0;
        size_t length = text_next(&text, piece);
        if (!whole || code == '"' || code == '\\')
            putc('\\', out);
        fwrite(piece, 1, length, out);
    }
    putc('"', out);
}

static void format_tap_print_key(FILE *out, const char *indent, const char *key, const char *text)
{
    if (!*text)
        return;
    fprintf(out, "%s%s: ", indent, key);
    print_quoted(out, text);
    putc('\n', out);
}

/* Prints the block of a case. A case that was not run has only its reason: a run that ends early may have thousands. */
static void print_block(FILE *out, const struct record *record)
{
    const struct wrong *wrong = &record->symptoms.wrong;
    char why[512];
    if (record->verdict.status == STATUS_INCOMPLETE) {
        fputs("  ---\n", out);
        format_tap_print_key(out, "  ", "message", record->message);
        format_tap_print_key(out, "  ", "status", status_name(record->verdict.status));
        fputs("  ...\n", out);
        return;
    }
    fputs("  ---\n", out);
    format_tap_print_key(out, "  ", "message", record->message);
    format_tap_print_key(out, "  ", "severity",
                         !record_is_failure(record) && record->verdict.status == STATUS_WARN ? "warning" : "fail");
    format_tap_print_key(out, "  ", "status", status_name(record->verdict.status));
    if (record->flaky)
        fputs("  flaky: true\n", out);
    format_tap_print_key(out, "  ", "expectation", standing_name(record->standing));
    format_tap_print_key(out, "  ", "reason", record->reason ? record->reason : "");
    format_tap_print_key(out, "  ", "device", record->device);
    format_tap_print_key(out, "  ", "operator", record->operator_name);
    format_tap_print_key(out, "  ", "feature_level", record->feature_level);
    format_tap_print_key(out, "  ", "rule", record->rule);
    format_tap_print_key(out, "  ", "rule_text", record_text(record->rule_text));
    format_tap_print_key(out, "  ", "broken", record_text(record->broken));
    format_tap_print_key(out, "  ", "broken_text", record_text(record->broken_text));
    format_tap_print_key(out, "  ", "strength", record->strength);
    format_tap_print_key(out, "  ", "pages", record->pages);
    format_tap_print_key(out, "  ", "expected", record->expected);
    format_tap_print_key(out, "  ", "outcome", record->outcome);
    format_tap_print_key(out, "  ", "fits", record_why(record, why, sizeof why));
    format_tap_print_key(out, "  ", "printed", record_text(record->printed));
    if (*wrong->tensor || wrong->count) {
        fputs("  wrong:\n", out);
        format_tap_print_key(out, "    ", "tensor", wrong->tensor);
        format_tap_print_key(out, "    ", "at", wrong->coordinates);
        format_tap_print_key(out, "    ", "got", wrong->got);
        format_tap_print_key(out, "    ", "expected", wrong->expected);
        format_tap_print_key(out, "    ", "inputs", wrong->inputs);
        fprintf(out, "    count: %" PRIu64 "\n", wrong->count);
    }
    fprintf(out, "  seed: \"0x%016" PRIx64 "\"\n", record->seed);
    fprintf(out, "  host_ns: %" PRIu64 "\n", record->verdict.host_ns);
    if (record->verdict.device_ns)
        fprintf(out, "  device_ns: %" PRIu64 "\n", record->verdict.device_ns);
    format_tap_print_key(out, "  ", "reproduce", record->reproduce);
    fputs("  ...\n", out);
}

static void format_tap_begin(struct format_stream *stream, int version)
{
    stream->state = calloc(1, sizeof(struct format_tap));
    fprintf(stream->out, "TAP version %d\n1..%" PRIu64 "%s\n", version, stream->planned,
            stream->planned ? "" : " # SKIP no case to run");
}

static void begin_13(struct format_stream *stream)
{
    format_tap_begin(stream, 13);
}

static void begin_14(struct format_stream *stream)
{
    format_tap_begin(stream, 14);
}

static void print_comment(FILE *out, const char *key, const char *text)
{
    if (!*text)
        return;
    fprintf(out, "# %s: ", key);
    text_print(out, text);
    putc('\n', out);
}

static void format_tap_begin_run(struct format_stream *stream, const struct format_run *run)
{
    struct format_tap *tap = stream->state;
    if (tap)
        tap->several = tap->runs++ > 0 || run->planned < stream->planned;
    print_comment(stream->out, "assay", run->version);
    print_comment(stream->out, "device", run->device);
    print_comment(stream->out, "name", run->device_name);
    print_comment(stream->out, "driver", run->device_driver);
    print_comment(stream->out, "feature level", run->feature_level);
    print_comment(stream->out, "database", run->database);
    print_comment(stream->out, "expectations", run->expectations ? run->expectations : "");
    print_comment(stream->out, "label", run->label ? run->label : "");
    print_comment(stream->out, "revision", run->revision ? run->revision : "");
    print_comment(stream->out, "partial", run->partial ? "yes" : "");
    print_comment(stream->out, "half", run->half ? "yes" : "");
    fprintf(stream->out, "# cases: %" PRIu64 "\n# seed: 0x%" PRIx64 "\n", run->planned, run->seed);
    if (run->shuffle)
        fprintf(stream->out, "# shuffle: 0x%" PRIx64 "\n", *run->shuffle);
}

static void format_tap_result(struct format_stream *stream, const struct record *record)
{
    const struct format_tap *tap = stream->state;
    FILE *out = stream->out;
    enum status status = record->verdict.status;
    bool failure = record_is_failure(record);
    bool skipped = !failure && (status == STATUS_SKIP || status == STATUS_UNSUPPORTED);
    bool expected = !failure && status_is_failure(status); /* TAP calls it TODO */
    bool good = !failure && !expected && status != STATUS_INCOMPLETE;
    fprintf(out, "%s %" PRIu64 " - ", good ? "ok" : "not ok", ++stream->sequence);
    print_plain(out, record->case_name);
    if (!tap || tap->several) {
        fputs(" on ", out);
        print_plain(out, record->device);
    }
    if (skipped) {
        fputs(status == STATUS_UNSUPPORTED ? " # SKIP unsupported" : " # SKIP", out);
        if (*record->message)
            fputs(status == STATUS_UNSUPPORTED ? ": " : " ", out);
        print_plain(out, record->message);
    }
    if (expected) {
        fputs(" # TODO ", out);
        print_plain(out, record->reason ? record->reason : "");
    }
    putc('\n', out);
    if (!skipped && (status != STATUS_PASS || failure || record->flaky))
        print_block(out, record);
    if (!good && status != STATUS_INCOMPLETE)
        fflush(out); /* failures appear at once */
}

static void format_tap_end_run(struct format_stream *stream, const struct format_total *total)
{
    const char *separator = "# total: ";
    for (int status = 0; status < STATUS_COUNT; status++) {
        if (!total->records.counts[status])
            continue;
        fprintf(stream->out, "%s%" PRIu64 " %s", separator, total->records.counts[status],
                status_name((enum status)status));
        separator = ", ";
    }
    fputs(*separator == '#' ? "# total: nothing\n" : "\n", stream->out);
    if (total->records.expected || total->records.unexpected || total->records.flaky)
        fprintf(stream->out, "# as expected: %" PRIu64 ", unexpected: %" PRIu64 ", flaky: %" PRIu64 "\n",
                total->records.expected, total->records.unexpected, total->records.flaky);
    causes_print(stream->out, "# ", total->groups, total->group_count);
    if (total->conformance)
        conformance_print(total->conformance, total->declared, "# ", stream->out);
}

static void format_tap_end(struct format_stream *stream)
{
    if (stream->aborted) {
        fputs("Bail out! ", stream->out);
        text_print(stream->out, stream->aborted);
        putc('\n', stream->out);
    }
    fflush(stream->out);
    free(stream->state);
    stream->state = NULL;
}

const struct format format_tap = {
    .name = "tap",
    .help = "Test Anything Protocol, version 13: what prove reads",
    .begin = begin_13,
    .begin_run = format_tap_begin_run,
    .result = format_tap_result,
    .end_run = format_tap_end_run,
    .end = format_tap_end,
};

const struct format format_tap14 = {
    .name = "tap14",
    .help = "Test Anything Protocol, version 14",
    .begin = begin_14,
    .begin_run = format_tap_begin_run,
    .result = format_tap_result,
    .end_run = format_tap_end_run,
    .end = format_tap_end,
};
