/* JSON lines: one object per line, each with its type. The first line holds the version of the format; the last one
 * shows that the output is complete. reports/lines.schema.json is the reference. */
#include "harness/results/format.h"
#include "harness/base/text.h"
#include "harness/results/record_row.h"
#include "harness/run/causes.h"

#include <inttypes.h>

enum { VERSION = 1 };

static void format_json_print_key(FILE *out, const char *before, const char *key, const char *text)
{
    fprintf(out, "%s\"%s\":", before, key);
    text_print_json(out, text);
}

static void format_json_begin(struct format_stream *stream)
{
    fprintf(stream->out, "{\"type\":\"begin\",\"version\":%d,\"assay\":\"%s\",\"planned\":%" PRIu64 "}\n", VERSION,
            ASSAY_VERSION, stream->planned);
}

static void format_json_begin_run(struct format_stream *stream, const struct format_run *run)
{
    FILE *out = stream->out;
    fputs("{\"type\":\"run\"", out);
    format_json_print_key(out, ",", "device", run->device);
    format_json_print_key(out, ",", "name", run->device_name);
    format_json_print_key(out, ",", "driver", run->device_driver);
    format_json_print_key(out, ",", "feature_level", run->feature_level);
    format_json_print_key(out, ",", "database", run->database);
    format_json_print_key(out, ",", "expectations", run->expectations ? run->expectations : "");
    format_json_print_key(out, ",", "purpose", run->purpose ? run->purpose : "conformance");
    fprintf(out, ",\"partial\":%s,\"half\":%s", run->partial ? "true" : "false", run->half ? "true" : "false");
    format_json_print_key(out, ",", "device_hash", run->device_hash ? run->device_hash : "");
    format_json_print_key(out, ",", "device_build", run->device_build ? run->device_build : "");
    format_json_print_key(out, ",", "label", run->label ? run->label : "");
    format_json_print_key(out, ",", "revision", run->revision ? run->revision : "");
    format_json_print_key(out, ",", "branch", run->branch ? run->branch : "");
    if (run->shuffle)
        fprintf(out, ",\"shuffle\":\"0x%016" PRIx64 "\"", *run->shuffle);
    fprintf(out, ",\"shared_validation\":%s", run->shared_validation ? "true" : "false");
    fprintf(out, ",\"seed\":\"0x%016" PRIx64 "\",\"planned\":%" PRIu64 "}\n", run->seed, run->planned);
    fflush(out);
}

static void format_json_print_column(FILE *out, const struct record *record, const struct record_column *column)
{
    struct record_value value;
    record_value(record, column, &value);
    if (column->json == RECORD_NO_JSON || (column->json == RECORD_JSON_IF_ANY && !*record_text(value.text)))
        return;
    if (value.text)
        format_json_print_key(out, ",", column->name, value.text);
    else if (column->kind == RECORD_FLAG)
        fprintf(out, ",\"%s\":%s", column->name, value.number ? "true" : "false");
    else
        fprintf(out, ",\"%s\":%" PRIu64, column->name, value.number);
}

static void format_json_result(struct format_stream *stream, const struct record *record)
{
    FILE *out = stream->out;
    const struct wrong *wrong = &record->symptoms.wrong;
    stream->sequence++;
    fputs("{\"type\":\"result\"", out);
    format_json_print_key(out, ",", "case", record->case_name);
    format_json_print_key(out, ",", "device", record->device);
    format_json_print_key(out, ",", "status", status_name(record->verdict.status));
    fprintf(out, ",\"failure\":%s,\"attempts\":%u", record_is_failure(record) ? "true" : "false", record->attempt);
    format_json_print_key(out, ",", "operator", record->operator_name);
    format_json_print_key(out, ",", "feature_level", record->feature_level);
    format_json_print_key(out, ",", "data_types", record->data_types);
    format_json_print_key(out, ",", "rule", record->rule);
    if (record->verdict.status != STATUS_PASS) { /* the sentences are long, and the same for many cases */
        format_json_print_key(out, ",", "rule_text", record_text(record->rule_text));
        format_json_print_key(out, ",", "broken_text", record_text(record->broken_text));
    }
    format_json_print_key(out, ",", "strength", record->strength);
    format_json_print_key(out, ",", "pages", record->pages);
    format_json_print_key(out, ",", "expected", record->expected);
    format_json_print_key(out, ",", "outcome", record->outcome);
    for (int i = 0; i < record_column_count; i++)
        format_json_print_column(out, record, &record_columns[i]);
    if (record->verdict.error.measured)
        fprintf(out, ",\"error_ulps\":%.6g,\"error_share\":%.6g", record->verdict.error.ulps,
                record->verdict.error.share);
    if (*wrong->tensor || wrong->count) {
        format_json_print_key(out, ",\"wrong\":{", "tensor", wrong->tensor);
        format_json_print_key(out, ",", "at", wrong->coordinates);
        format_json_print_key(out, ",", "got", wrong->got);
        format_json_print_key(out, ",", "expected", wrong->expected);
        format_json_print_key(out, ",", "inputs", wrong->inputs);
        fprintf(out, ",\"count\":%" PRIu64 "}", wrong->count);
    }
    fprintf(out, ",\"seed\":\"0x%016" PRIx64 "\",\"host_ns\":%" PRIu64, record->seed, record->verdict.host_ns);
    if (record->verdict.device_ns)
        fprintf(out, ",\"device_ns\":%" PRIu64, record->verdict.device_ns);
    fputs("}\n", out);
    if (record_is_failure(record))
        fflush(out); /* failures appear at once */
}

static void format_json_end_run(struct format_stream *stream, const struct format_total *total)
{
    const char *before = "";
    fputs("{\"type\":\"total\",\"counts\":{", stream->out);
    for (int status = 0; status < STATUS_COUNT; status++) {
        if (!total->records.counts[status])
            continue;
        fprintf(stream->out, "%s\"%s\":%" PRIu64, before, status_name((enum status)status),
                total->records.counts[status]);
        before = ",";
    }
    fprintf(stream->out,
            "},\"failures\":%" PRIu64 ",\"as_expected\":%" PRIu64 ",\"unexpected\":%" PRIu64 ",\"flaky\":%" PRIu64
            ",\"compared\":%" PRIu64 ",\"elapsed_ns\":%" PRIu64 ",\"causes\":[",
            total->records.failures, total->records.expected, total->records.unexpected, total->records.flaky,
            total->records.compared, total->elapsed_ns);
    for (size_t i = 0; i < total->group_count; i++) {
        fputs(i ? ",{" : "{", stream->out);
        causes_print_json(stream->out, &total->groups[i]);
        putc('}', stream->out);
    }
    putc(']', stream->out);
    if (total->conformance) {
        fputs(",\"conformance\":", stream->out);
        conformance_print_json(total->conformance, total->declared, stream->out);
    }
    fputs("}\n", stream->out);
}

static void format_json_end(struct format_stream *stream)
{
    fprintf(stream->out, "{\"type\":\"end\",\"results\":%" PRIu64, stream->sequence);
    if (stream->aborted)
        format_json_print_key(stream->out, ",", "aborted", stream->aborted);
    fputs("}\n", stream->out);
}

const struct format format_json = {
    .name = "json",
    .help = "JSON lines: one object per line",
    .begin = format_json_begin,
    .begin_run = format_json_begin_run,
    .result = format_json_result,
    .end_run = format_json_end_run,
    .end = format_json_end,
};
