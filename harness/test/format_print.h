/* format_print.h: records in each format, for the tests of the formats' output. */
#ifndef TEST_FORMAT_PRINT_H
#define TEST_FORMAT_PRINT_H

#include "harness/base/text.h"
#include "harness/results/format.h"
#include "harness/run/causes.h"
#include "tools/tap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct format_run run = {
    .version = "0.1.0",
    .device = "reference",
    .device_name = "Reference",
    .device_driver = "",
    .feature_level = "6_4",
    .database = "",
    .seed = 7,
};

static inline struct record record_of(enum status status, const char *name, const char *message)
{
    struct record record = {.case_name = name,
                            .operator_name = "GATHER",
                            .feature_level = "3_0",
                            .data_types = "float32-uint32",
                            .device = "reference",
                            .rule = "axis-range",
                            .pages = "bed83-115, A6",
                            .strength = "must",
                            .outcome = "",
                            .expected = "E_INVALIDARG",
                            .message = message,
                            .reproduce = "assay repro 'x' -d reference",
                            .dump = "",
                            .verdict.status = status,
                            .verdict.cause = cause_of(status, CAUSE_ACCEPT),
                            .seed = 255,
                            .verdict.host_ns = 1000};
    if (status == STATUS_PASS)
        record.message = record.reproduce = "";
    if (status == STATUS_FAIL)
        record.symptoms.wrong =
            (struct wrong){"OutputTensor", "{0,1}", "1.5 (0x3fc00000)", "2 (0x40000000)", 3, "Input {0} 2", {0}};
    return record;
}

static inline struct record hostile(enum status status)
{
    static const char bytes[] = "a\nnot ok 1\n\x1b[31m \"quoted\" \\ # TODO \xff\xc3\xa9\xe2\x80\xae\x01\x7f ...\n---";
    struct record record = record_of(status, "x.#y\\z\nok 9 - forged # SKIP", bytes);
    record.device = "bridge:\x1b]0;title\x07";
    record.rule = "a: b\n- c";
    snprintf(record.symptoms.wrong.got, sizeof record.symptoms.wrong.got, "\t\"\n");
    return record;
}

/* The totals that print() passes on. */
static const struct cause_group *groups;
static size_t group_count;
static const struct causes *causes;
static const struct conformance *statement;

/* Prints records in a format. The caller frees the text. */
static inline char *print(const char *name, const struct record *records, size_t count, bool color, bool verbose,
                          FILE *progress)
{
    const struct format *format;
    struct error error = {0};
    char *text = NULL;
    size_t size = 0;
    if (format_find(name, &format, &error))
        return strdup(error.text);
    struct format_run here = run;
    struct format_total total = {.elapsed_ns = 1500000000,
                                 .groups = groups,
                                 .group_count = group_count,
                                 .causes = causes,
                                 .conformance = statement};
    struct format_stream stream = {.out = open_memstream(&text, &size),
                                   .progress = progress,
                                   .color = color,
                                   .verbose = verbose,
                                   .planned = count};
    here.planned = count;
    format->begin(&stream);
    format->begin_run(&stream, &here);
    for (size_t i = 0; i < count; i++) {
        format->result(&stream, &records[i]);
        record_add(&total.records, &records[i]);
    }
    format->end_run(&stream, &total);
    format->end(&stream);
    ok(stream.sequence == count && !stream.state, "%s: counts results and cleans up", name);
    fclose(stream.out);
    return text;
}

static inline void expect(const char *what, char *text, const char *expected)
{
    if (!ok(!strcmp(text, expected), "%s", what))
        fprintf(stderr, "---- got\n%s---- expected\n%s", text, expected);
    free(text);
}

/* Returns true if the text has no byte that controls a terminal. */
static inline bool harmless(const char *text)
{
    uint32_t code;
    size_t length;
    for (; *text; text += length)
        if (!(length = text_sequence(text, &code)) || (text_is_control(code) && code != '\n'))
            return false;
    return true;
}

/* Returns the exit status of a command that reads the text from a file, its last argument or in place of %s. */
static inline int judge(const char *command, const char *text, char *said, size_t size)
{
    const char *folder = getenv("TMPDIR");
    char path[256], line[1200];
    snprintf(path, sizeof path, "%s/test_format.%d", folder ? folder : "/tmp", (int)getpid());
    FILE *file = fopen(path, "w");
    if (!file)
        return -1;
    fputs(text, file);
    fclose(file);
    snprintf(line, sizeof line, "%s '%s' 2>&1", command, path);
    FILE *pipe = popen(line, "r");
    if (!pipe)
        return -1;
    said[fread(said, 1, size - 1, pipe)] = 0;
    int status = pclose(pipe);
    unlink(path);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void expect_valid(const char *what, const char *command, char *text)
{
    static char said[65536];
    int status = judge(command, text, said, sizeof said);
    if (!ok(status == 0, "%s is valid", what))
        fprintf(stderr, "%s\n%s", said, text);
    free(text);
}

static const char xmllint[] = "xmllint --noout --nonet --schema harness/test/junit.xsd";
static const char jsonlint[] = "tools/jsonlines reports/lines.schema.json";

#endif
