#include "harness/results/guard.h"
#include "harness/results/report_texts.h"

#include "harness/base/text.h"
#include "harness/case/fill_text.h"
#include "harness/spec/contents.h"
#include "harness/describe/desc_text.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>

enum {
    DESCRIPTION_SIZE = 4096,
    ELEMENTS_MAX = 64,     /* printed of an input */
    CONTENTS_MAX = 1 << 20 /* bytes of an input that is filled to print its first elements */
};

static int report_texts_fail(sqlite3 *db, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "the texts of the report cannot be made: %s", guard_message(db));
}

/* Prints a member: "NAME":"TEXT". */
static void report_texts_print_text(FILE *out, const char **before, const char *name, const char *text)
{
    fputs(*before, out);
    text_print_json(out, name);
    putc(':', out);
    text_print_json(out, text);
    *before = ",\n";
}

/* Returns true if a query has a row for these names; `second` may be null. */
static bool has_row(sqlite3_stmt *query, const char *first, const char *second)
{
    sqlite3_reset(query);
    sqlite3_bind_text(query, 1, first, -1, SQLITE_STATIC);
    if (second)
        sqlite3_bind_text(query, 2, second, -1, SQLITE_STATIC);
    return sqlite3_step(query) == SQLITE_ROW;
}

/* Prints the rules that results name: {"GATHER/axis-range":"…", …}. */
static int report_texts_print_rules(const struct spec_set *specs, sqlite3 *db, FILE *out, struct error *error)
{
    sqlite3_stmt *query;
    const char *before = "";
    char name[256];
    if (sqlite3_prepare_v2(db, "SELECT 1 FROM page_rule WHERE operator = ?1 AND rule = ?2", -1, &query, NULL) !=
        SQLITE_OK)
        return report_texts_fail(db, error);
    for (int i = 0; i < spec_set_size(specs); i++)
        for (int r = 0; r < specs->specs[i].rule_count; r++) {
            const struct spec *spec = &specs->specs[i];
            if (!has_row(query, spec->name, spec->rules[r].id))
                continue;
            snprintf(name, sizeof name, "%s/%s", spec->name, spec->rules[r].id);
            report_texts_print_text(out, &before, name, spec->rules[r].text);
        }
    sqlite3_finalize(query);
    return 0;
}

/* Prints the rulings and sentences of device.h that results name: {"A6":"…", …}. */
static int print_sources(const struct spec_set *specs, sqlite3 *db, FILE *out, struct error *error)
{
    sqlite3_stmt *query;
    const char *before = "";
    if (sqlite3_prepare_v2(db, "SELECT 1 FROM page_sentence WHERE sentence = ?1", -1, &query, NULL) != SQLITE_OK)
        return report_texts_fail(db, error);
    for (int i = 0; i < specs->ruling_count; i++)
        if (has_row(query, specs->rulings[i].id, NULL))
            report_texts_print_text(out, &before, specs->rulings[i].id, specs->rulings[i].text);
    for (int i = 0; i < specs->sentence_count; i++)
        if (has_row(query, specs->sentences[i].id, NULL))
            report_texts_print_text(out, &before, specs->sentences[i].id, specs->sentences[i].text);
    sqlite3_finalize(query);
    return 0;
}

/* Prints the pages of the documents that results name: {"bed83":"GATHER_ND","DML_GATHER":"GATHER",…}. */
static int print_pages(const struct spec_set *specs, sqlite3 *db, FILE *out, struct error *error)
{
    static const char sql[] = "SELECT 1 FROM page_sentence WHERE sentence = ?1 OR instr(sentence, ?1 || '-') = 1";
    sqlite3_stmt *query;
    const char *before = "";
    char id[256];
    if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) != SQLITE_OK)
        return report_texts_fail(db, error);
    for (int i = 0; i < spec_set_size(specs); i++) {
        const struct spec *spec = &specs->specs[i];
        if (*spec->sentences.page)
            snprintf(id, sizeof id, "%s", spec->sentences.page);
        else
            snprintf(id, sizeof id, "%s%s", catalogue_page_prefix((uint32_t)spec->type), spec->page);
        if (!spec_is_interface(spec) && has_row(query, id, NULL))
            report_texts_print_text(out, &before, id, spec->page);
    }
    sqlite3_finalize(query);
    return 0;
}

/* Prints the first elements of each input as a device got them: [{"tensor":"InputTensor","elements":"1, 2.5, …"},…]. */
static bool print_inputs(FILE *out, const struct testcase *c, const char *seed)
{
    const char *before = "";
    bool good = true;
    fputs(",\"inputs\":[", out);
    for (int i = -1; good && seed && testcase_may_run(c) && (i = testcase_next_tensor(c, i)) >= 0;) {
        char *text = NULL;
        size_t size;
        FILE *elements;
        if (!field_is_input(spec_tensor_field(c->spec, i)) || c->desc->items[i].tensor.total > CONTENTS_MAX)
            continue;
        elements = open_memstream(&text, &size);
        good = elements && fill_text_input(elements, c, strtoull(seed, NULL, 16), i, ELEMENTS_MAX);
        good = elements && fclose(elements) == 0 && good;
        if (good) {
            fprintf(out, "%s{\"tensor\":\"%s\",\"elements\":", before, c->spec->tensor_names[i]);
            text_print_json(out, text);
            putc('}', out);
            before = ",";
        }
        free(text);
    }
    putc(']', out);
    return good;
}

/* Prints the data that a case gives to the device: its description in one line, the names of the contents of its inputs
 * and, if `seed` is not null, the inputs made from it. False: out of memory. */
static bool report_texts_print_case(FILE *out, const struct testcase *c, int64_t number, const char *seed)
{
    char text[DESCRIPTION_SIZE];
    desc_text_print(c->spec, c->desc, text, sizeof text);
    fprintf(out, "{\"case\":%" PRId64 ",\"description\":", number);
    text_print_json(out, text);
    if (testcase_may_run(c)) {
        fputs(",\"fill\":", out);
        text_print_json(out, c->literals ? "" : fill_names[c->fill]);
        fputs(",\"indices\":", out);
        text_print_json(out, c->literals || c->spec->index_count == 0 ? "" : index_fill_names[c->index_fill]);
    } else {
        fputs(",\"fill\":null,\"indices\":null", out); /* the operator is not dispatched */
    }
    bool good = print_inputs(out, c, seed);
    putc('}', out);
    return good;
}

/* Prints the cases of the plan of which the page has details. */
static int report_texts_print_cases(const struct plan *plan, sqlite3 *db, FILE *out, struct error *error)
{
    sqlite3_stmt *query;
    const char *before = "";
    if (sqlite3_prepare_v2(db, "SELECT \"case\", seed FROM page_described WHERE name = ?1", -1, &query, NULL) !=
        SQLITE_OK)
        return report_texts_fail(db, error);
    bool good = true;
    for (size_t i = 0; i < plan->count && good; i++) {
        if (spec_is_interface(plan->cases[i].spec) || !has_row(query, plan->cases[i].name, NULL))
            continue;
        fputs(before, out);
        good = report_texts_print_case(out, &plan->cases[i], sqlite3_column_int64(query, 0),
                                       (const char *)sqlite3_column_text(query, 1));
        before = ",\n";
    }
    sqlite3_finalize(query);
    return good ? 0 : error_set(error, EXIT_HARNESS, "the texts of the report cannot be made: out of memory");
}

int report_texts_print_json(const struct report *report, FILE *out, struct error *error)
{
    sqlite3 *db = history_database(report->history);
    const struct spec_set *specs = report->specs;
    int result = 0;
    fputs("{\"rules\":{", out);
    if (specs)
        result = report_texts_print_rules(specs, db, out, error);
    fputs("},\n\"rulings\":{", out);
    if (specs && result == 0)
        result = print_sources(specs, db, out, error);
    fputs("},\n\"pages\":{", out);
    if (specs && result == 0)
        result = print_pages(specs, db, out, error);
    fputs("},\n\"cases\":[", out);
    if (specs && result == 0)
        result = report_texts_print_cases(report->plan, db, out, error);
    fputs("]}", out);
    return result;
}
