/* Checks the annotations of GitHub and the Code Quality of GitLab: causes, limits, escaping, fingerprints. */
#include "harness/test/format_print.h"

#include <inttypes.h>

static const char qualitylint[] = "tools/jsonlines reports/codequality.schema.json";

/* Reads workflow commands as GitHub's runner does, which has only the names that Actions documents, and refuses a line
 * that is no command: it prints a line a command, of its parts as JSON. */
static const char runner[] =
    "/usr/bin/python3 -c '\n"
    "import json, re, sys\n"
    "def data(text): return text.replace(\"%0D\", \"\\r\").replace(\"%0A\", \"\\n\").replace(\"%25\", \"%\")\n"
    "def value(text): return data(text.replace(\"%3A\", \":\").replace(\"%2C\", \",\"))\n"
    "for line in open(sys.argv[1], encoding=\"utf-8\", newline=\"\\n\"):\n"
    "    found = re.fullmatch(r\"::(error|warning|notice) title=([^,:\\r\\n]*)::([^\\r\\n]*)\\n\", line)\n"
    "    if not found: sys.exit(\"no command: \" + line)\n"
    "    print(json.dumps([found[1], value(found[2]), data(found[3])], ensure_ascii=False))\n"
    "'";

/* Groups the records; the caller frees `groups` and `all`. */
static void group_records(struct causes *all, const struct record *records, size_t count)
{
    static struct cause_case cases[64];
    static struct cause_group *made;
    for (size_t i = 0; i < count; i++) {
        cases[i] = (struct cause_case){.name = records[i].case_name, .ran = true};
        causes_add(all, &records[i], i);
    }
    group_count = causes_group(all, cases, count, &made);
    groups = made;
    causes = all;
}

static void free_groups(struct causes *all)
{
    free((void *)groups);
    causes_free(all);
    groups = NULL;
    group_count = 0;
    causes = NULL;
}

static void test_annotations_causes(void)
{
    const struct record records[] = {record_of(STATUS_FAIL, "gather.b", "S_OK"), record_of(STATUS_PASS, "gather.p", ""),
                                     record_of(STATUS_FAIL, "gather.a", "S_OK"),
                                     record_of(STATUS_CRASH, "gather.c", "SIGSEGV"),
                                     record_of(STATUS_WARN, "gather.w", "100%, or: less")};
    struct causes all = {0};
    static char said[65536];
    group_records(&all, records, 5);
    ok(group_count == 3, "three causes");
    char *text = print("github", records, 5, false, false, NULL);
    int status = judge(runner, text, said, sizeof said);
    ok(status == 0, "github: nothing but workflow commands: %s", status ? said : "");
    static const char expected[] =
        "[\"notice\", \"reference\", \"1 pass, 2 fail, 1 warn, 1 crash\"]\n"
        "[\"error\", \"reference: wrong accept: S_OK\", \"2 failures, one cause:\\n"
        "      2  wrong accept: S_OK\\n         tensors    OutputTensor\\n"
        "         where      all strategy b or a; none of the others: 2 of the 2 such cases\\n"
        "         first      assay repro 'x' -d reference\\n\"]\n"
        "[\"error\", \"reference: crash: SIGSEGV\", \"1 failure, one cause:\\n      1  crash: SIGSEGV\\n"
        "         where      all strategy c; none of the others: 1 of the 1 such cases\\n"
        "         first      assay repro 'x' -d reference\\n\"]\n"
        "[\"warning\", \"reference: wrong accept: 100%, or: less\", \"1 warning, one cause:\\n"
        "      1  wrong accept: 100%, or: less\\n"
        "         where      all strategy w; none of the others: 1 of the 1 such cases\\n"
        "         first      assay repro 'x' -d reference\\n\"]\n";
    if (!ok(strcmp(said, expected) == 0, "  an error for each cause of failures, a warning for each of warnings"))
        note("%s", said);
    free(text);
    text = print("codequality", records, 5, false, false, NULL);
    ok(strstr(text, "\"severity\":\"major\"") && strstr(text, "\"severity\":\"critical\"") &&
           strstr(text, "\"severity\":\"minor\""),
       "codequality: failures, deaths and warnings differ in severity");
    expect_valid("codequality", qualitylint, text);
    free_groups(&all);
    expect_valid("codequality: without failures", qualitylint, print("codequality", records, 0, false, false, NULL));
}

/* A device's text stays text, in a message, a property, JSON and the summary. */
static void test_annotations_hostile(void)
{
    const struct record records[] = {hostile(STATUS_FAIL), hostile(STATUS_CRASH), hostile(STATUS_WARN)};
    const char *const formats[] = {"github", "codequality"};
    struct causes all = {0};
    static char said[65536];
    group_records(&all, records, 3);
    for (int i = 0; i < 2; i++) {
        char *text = print(formats[i], records, 3, false, false, NULL);
        ok(harmless(text), "%s: no control character", formats[i]);
        ok(judge(i ? qualitylint : runner, text, said, sizeof said) == 0, "  valid, whatever the device says: %s",
           said);
        free(text);
    }
    free_groups(&all);
}

/* GitHub shows ten errors of a step: eight causes, then one line about all others, and one if the run ended early. */
static void test_annotations_limit(void)
{
    static char names[20][24], messages[20][24], said[65536];
    struct record records[20];
    struct causes all = {0};
    for (size_t i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "gather.case%zu", i);
        snprintf(messages[i], sizeof messages[i], "E_%c", (char)('A' + i));
        records[i] = record_of(STATUS_FAIL, names[i], messages[i]);
    }
    group_records(&all, records, 20);
    ok(group_count == 20, "twenty causes");
    char *text = print("github", records, 20, false, false, NULL);
    size_t errors = 0;
    for (const char *at = text; (at = strstr(at, "::error ")); at++)
        errors++;
    ok(errors == 9, "github: eight causes have an error of their own, and one is about the others: %zu", errors);
    ok(strstr(text, "::error title=assay::12 more causes of failures without an annotation, with 12 cases\n") != NULL,
       "  which says how many");
    free(text);
    text = print("codequality", records, 20, false, false, NULL);
    ok(judge(qualitylint, text, said, sizeof said) == 0, "codequality: all of them, valid: %s", said);
    ok(judge("/usr/bin/python3 -c 'import json, sys; x = json.load(open(sys.argv[1])); "
             "sys.exit(len(x) != 20 or len({i[\"fingerprint\"] for i in x}) != 20)'",
             text, said, sizeof said) == 0,
       "  each with a fingerprint of its own");
    free(text);
    free_groups(&all);
}

/* Returns the first fingerprint of the text. */
static unsigned long long fingerprint_of(char *text)
{
    const char *at = strstr(text, "\"fingerprint\":\"");
    unsigned long long value = at ? strtoull(at + strlen("\"fingerprint\":\""), NULL, 16) : 0;
    free(text);
    return value;
}

/* A cause has the same fingerprint in the next run, in which other cases fail by it. */
static void test_fingerprints(void)
{
    const struct record records[] = {record_of(STATUS_FAIL, "gather.b", "S_OK"),
                                     record_of(STATUS_FAIL, "gather.a", "S_OK"),
                                     record_of(STATUS_FAIL, "gather_nd.a", "S_OK")};
    unsigned long long values[3];
    for (int i = 0; i < 3; i++) {
        struct causes all = {0};
        group_records(&all, records + i, i == 0 ? 2 : 1);
        values[i] = fingerprint_of(print("codequality", records + i, i == 0 ? 2 : 1, false, false, NULL));
        free_groups(&all);
    }
    ok(values[0] && values[0] == values[1], "codequality: a cause keeps its fingerprint when other cases fail");
    ok(values[2] != values[0], "  another operator has another one");
}

static void test_annotations_aborted(void)
{
    const struct record record = record_of(STATUS_FAIL, "gather.b", "S_OK");
    const struct format *format;
    struct error error = {0};
    char *text = NULL, *summary = NULL;
    size_t size, summary_size;
    if (!ok(format_find("github", &format, &error) == 0, "github is found"))
        return;
    struct format_stream stream = {.out = open_memstream(&text, &size),
                                   .summary = open_memstream(&summary, &summary_size)};
    const struct format_total total = {.records.counts[STATUS_FAIL] = 1};
    format->begin(&stream);
    format->begin_run(&stream, &run);
    format->result(&stream, &record);
    format->end_run(&stream, &total);
    format->begin_run(&stream, &run);
    format->result(&stream, &record);
    stream.aborted = "disk, full\n::error::x";
    format->end(&stream);
    fclose(stream.out);
    fclose(stream.summary);
    expect("github: a run that ends early is an error", text,
           "::notice title=reference::1 fail\n"
           "::error title=the run ended early%2C with 1 failure::disk, full\\n::error::x\n");
    expect("  the summary has the devices that are done", summary, "## assay: `reference`\n\n1 fail\n\n");
}

int main(void)
{
    test_annotations_causes();
    test_annotations_hostile();
    test_annotations_limit();
    test_fingerprints();
    test_annotations_aborted();
    return tap_done();
}
