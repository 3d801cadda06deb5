/* Saves and loads searches. The tables call a search a hunt. */
#include "harness/results/guard.h"
#include "harness/results/fuzz_store.h"

#include "harness/base/dml_names.h"
#include "harness/describe/desc_text.h"
#include "harness/results/row.h"
#include "harness/results/store.h"
#include "harness/case/testcase.h"
#include "harness/base/text.h"

#include "generated/fuzz_schema.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- statements */

struct session {
    const char *path;
    struct store *store;
    sqlite3 *db;
    struct guard guard;
    struct error *error;
};

static int fuzz_store_fail(const struct session *s)
{
    return error_set(s->error, EXIT_HARNESS, "%s: %s", s->path, guard_message(s->db));
}

static int fuzz_store_execute(const struct session *s, const char *sql)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : fuzz_store_fail(s);
}

static int open_session(struct session *s, const char *path, struct error *error)
{
    *s = (struct session){.path = path, .error = error};
    int result = store_open(path, &s->store, error);
    if (result)
        return result;
    s->db = store_database(s->store);
    guard_begin(&s->guard, s->db);
    return fuzz_store_execute(s, fuzz_schema_sql);
}

/* Opens a session that reads a database that may be a stranger's. */
static int open_to_read(struct session *s, const char *path, struct error *error)
{
    int result = open_session(s, path, error);
    return result ? result : guard_check_content(s->db, path, error);
}

static int close_session(struct session *s, int result)
{
    guard_end(&s->guard);
    int closed = store_close(s->store, result ? NULL : s->error);
    return result ? result : closed;
}

/* Prepares a statement and binds its parameters: a letter of `kinds` for each, i int64_t, d double, t text. On an error
 * the row is closed, and the error reported. */
static struct row fuzz_store_bind(const struct session *s, const char *sql, const char *kinds, ...)
{
    struct row row;
    va_list values;
    if (row_prepare(&row, s->db, sql) != SQLITE_OK) {
        fuzz_store_fail(s);
        return row;
    }
    sqlite3_stmt *statement = row.statement;
    va_start(values, kinds);
    for (int i = 0; kinds[i]; i++)
        if (kinds[i] == 'i') {
            sqlite3_bind_int64(statement, i + 1, va_arg(values, int64_t));
        } else if (kinds[i] == 'd') {
            sqlite3_bind_double(statement, i + 1, va_arg(values, double));
        } else {
            char shown[2 * FUZZ_TEXT];
            text_visible(shown, sizeof shown, va_arg(values, const char *));
            sqlite3_bind_text(statement, i + 1, shown, -1, SQLITE_TRANSIENT);
        }
    va_end(values);
    return row;
}

/* Runs and closes a statement without results. */
static int fuzz_store_insert(const struct session *s, struct row row)
{
    if (!row.statement)
        return EXIT_HARNESS;
    int result = sqlite3_step(row.statement) == SQLITE_DONE ? 0 : fuzz_store_fail(s);
    row_close(&row);
    return result;
}

/* ---- saving */

enum { SHARD_SIZE = 48 };

static const char *shard_text(const struct fuzz_search_config *config, char text[SHARD_SIZE])
{
    snprintf(text, SHARD_SIZE, "%llu/%llu", (unsigned long long)config->shard + 1, (unsigned long long)config->shards);
    return text;
}

static const char *const state_names[] = {"running", "done", "interrupted"};

/* Replaces the rows of the search that were saved before. */
static int save_search(const struct session *s, const struct fuzz_search *search, enum fuzz_store_state state,
                       int64_t *id)
{
    const struct fuzz_search_config *config = search->config;
    int64_t tried = 0, executed = 0;
    char shard[SHARD_SIZE], name[sizeof search->info.name + 1], driver[sizeof search->info.driver + 1];
    snprintf(name, sizeof name, "%.*s", (int)sizeof search->info.name, search->info.name);
    snprintf(driver, sizeof driver, "%.*s", (int)sizeof search->info.driver, search->info.driver);
    for (int op = 0; op < config->specs->count; op++)
        if (search->tallies[op]) {
            tried += (int64_t)search->tallies[op]->counts.tried;
            executed += (int64_t)search->tallies[op]->counts.executed;
        }
    static const char *const rows[] = {
        "DELETE FROM fuzz_finding WHERE hunt_id = ?", "DELETE FROM fuzz_corpus WHERE hunt_id = ?",
        "DELETE FROM fuzz_count WHERE hunt_id = ?", "DELETE FROM fuzz_hunt WHERE id = ?"};
    int result = 0;
    for (size_t i = 0; *id && i < sizeof rows / sizeof *rows && result == 0; i++)
        result = fuzz_store_insert(s, fuzz_store_bind(s, rows[i], "i", *id));
    if (result == 0)
        result = fuzz_store_insert(
            s, fuzz_store_bind(
                   s,
                   "INSERT INTO fuzz_hunt (id, state, device, name, driver, declared, feature_level, version, seed, "
                   "shard, first, next, tried, executed, places, seconds, ended) VALUES "
                   "(nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                   "strftime('%Y-%m-%dT%H:%M:%fZ'))",
                   "ittttttt"
                   "itiiiiid",
                   *id, state_names[state], config->device, name, driver,
                   search->info.feature_level ? level_name(search->info.feature_level) : "none",
                   level_name(search->level), ASSAY_VERSION, (int64_t)config->seed, shard_text(config, shard),
                   (int64_t)config->first, (int64_t)search->next, tried, executed,
                   (int64_t)fuzz_corpus_edge_count(search), (double)search->elapsed_ns / 1e9));
    if (*id == 0)
        *id = sqlite3_last_insert_rowid(s->db);
    return result;
}

static int save_group(const struct session *s, const struct fuzz_search *search, int64_t id,
                      const struct fuzz_group *group)
{
    const struct spec *spec = &search->config->specs->specs[group->op];
    const struct rule *rule = group->rule < 0 ? NULL : &spec->rules[group->rule];
    char original[FUZZ_TEXT], minimum[FUZZ_TEXT], name[32];
    desc_text_print(spec, &group->original.desc, original, sizeof original);
    desc_text_print(spec, &group->minimum.desc, minimum, sizeof minimum);
    return fuzz_store_insert(
        s, fuzz_store_bind(
               s,
               "INSERT INTO fuzz_finding (hunt_id, kind, operator, rule, strength, also, failure, count, "
               "position, original, minimum, steps, executed, fill, indices, seed, result, message, reason) "
               "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
               "itttttiiittiittittt", id, fuzz_verdict_names[group->verdict], spec->name, rule ? rule->id : "",
               rule ? strength_name(rule->strength) : "", group->also, (int64_t)fuzz_group_is_failure(search, group),
               (int64_t)group->count, (int64_t)group->original.position, original, minimum, (int64_t)group->steps,
               (int64_t)group->minimum.executed, fill_names[group->minimum.data.fill],
               index_fill_names[group->minimum.data.indices], (int64_t)group->minimum.data.seed,
               dml_error_name(group->minimum.result, name), group->minimum.message, group->known ? group->known : ""));
}

static int save_counts(const struct session *s, int64_t id, const struct spec *spec, int rule, int broken,
                       const uint64_t counts[FUZZ_VERDICTS])
{
    int result = 0;
    for (int verdict = 0; verdict < FUZZ_VERDICTS && result == 0; verdict++)
        if (counts[verdict])
            result = fuzz_store_insert(s, fuzz_store_bind(s, "INSERT INTO fuzz_count VALUES (?, ?, ?, ?, ?, ?)",
                                                          "ittiti", id, spec->name,
                                                          rule < 0 ? "" : spec->rules[rule].id, (int64_t)broken,
                                                          fuzz_verdict_names[verdict], (int64_t)counts[verdict]));
    return result;
}

static int save_matrix(const struct session *s, int64_t id, const struct fuzz_tally *tally)
{
    int result = 0;
    for (int n = 0; n <= FUZZ_MAX_BROKEN && result == 0; n++)
        result = save_counts(s, id, tally->rules.spec, -1, n, tally->counts.by_broken[n]);
    for (int rule = 0; rule < tally->rules.rule_count; rule++)
        for (int n = 0; n < FUZZ_MAX_BROKEN && result == 0; n++)
            result = save_counts(s, id, tally->rules.spec, rule, n + 1, tally->counts.by_rule[rule][n]);
    return result;
}

static int fuzz_store_by_position(const void *a, const void *b)
{
    const struct fuzz_kept *x = a, *y = b;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Saves the descriptions with which a later search starts. */
static int save_corpus(const struct session *s, int64_t id, struct fuzz_tally *tally)
{
    int result = 0;
    qsort(tally->kept + tally->kept_seeds, tally->kept_count - tally->kept_seeds, sizeof *tally->kept,
          fuzz_store_by_position);
    for (size_t i = tally->kept_seeds; i < tally->kept_count && result == 0; i++) {
        char text[FUZZ_TEXT];
        desc_text_print(tally->rules.spec, &tally->kept[i].desc, text, sizeof text);
        result = fuzz_store_insert(
            s,
            fuzz_store_bind(s, "INSERT INTO fuzz_corpus (hunt_id, operator, reached, description) VALUES (?, ?, ?, ?)",
                            "ittt", id, tally->rules.spec->name, tally->kept[i].edge < 0 ? "rules" : "code", text));
    }
    return result;
}

int fuzz_store_save(const char *path, const struct fuzz_search *search, enum fuzz_store_state state, int64_t *id,
                    struct error *error)
{
    struct session s;
    int result = open_session(&s, path, error);
    if (result == 0)
        result = fuzz_store_execute(&s, "BEGIN IMMEDIATE");
    if (result == 0)
        result = save_search(&s, search, state, id);
    for (size_t i = 0; i < search->group_count && result == 0; i++)
        result = save_group(&s, search, *id, &search->groups[i]);
    for (int op = 0; op < search->config->specs->count && result == 0; op++) {
        if (search->tallies[op])
            result = save_matrix(&s, *id, search->tallies[op]);
        if (search->tallies[op] && result == 0)
            result = save_corpus(&s, *id, search->tallies[op]);
    }
    if (result == 0)
        result = fuzz_store_execute(&s, "COMMIT");
    return close_session(&s, result);
}

/* ---- loading */

static int fuzz_store_number_of(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return 0;
}

static struct fuzz_data data_of(struct row *row)
{
    return (struct fuzz_data){.fill = (uint8_t)fuzz_store_number_of(fill_names, row_text(row, "fill")),
                              .indices = (uint8_t)fuzz_store_number_of(index_fill_names, row_text(row, "indices")),
                              .seed = (uint64_t)row_int(row, "seed")};
}

/* Findings come before the corpus, each in the order in which they were stored. A description comes once. */
static int load_seeds(const struct session *s, const struct spec_set *specs, struct fuzz_past *past)
{
    struct row row = fuzz_store_bind(
        s,
        "SELECT text, why, executed, fill, indices, seed FROM ("
        "SELECT minimum AS text, 0 AS why, executed, fill, indices, seed, 0 AS n, id FROM fuzz_finding UNION ALL "
        "SELECT original, 0, executed, fill, indices, seed, 1, id FROM fuzz_finding UNION ALL "
        "SELECT description, iif(reached = 'code', 2, 1), 0, '', '', 0, 2, id FROM fuzz_corpus) "
        "GROUP BY text HAVING n = min(n) ORDER BY n, id",
        "");
    int code = row.statement ? SQLITE_ROW : SQLITE_ERROR;
    while (row.statement && (code = sqlite3_step(row.statement)) == SQLITE_ROW) {
        struct fuzz_seed *seeds = realloc(past->seeds, (past->seed_count + 1) * sizeof *seeds);
        if (!seeds)
            break;
        past->seeds = seeds;
        struct fuzz_seed *seed = &seeds[past->seed_count];
        *seed = (struct fuzz_seed){.why = (enum fuzz_seed_why)row_int(&row, "why"),
                                   .executed = row_flag(&row, "executed"),
                                   .data = data_of(&row)};
        if (desc_text_parse(specs, row_text(&row, "text"), &seed->desc, NULL) == 0) {
            seed->op = seed->desc.op;
            past->seed_count++;
        }
    }
    row_close(&row);
    return code == SQLITE_DONE ? 0 : fuzz_store_fail(s);
}

static int load_next(const struct session *s, const struct fuzz_search_config *config, struct fuzz_past *past)
{
    char shard[SHARD_SIZE];
    struct row row =
        fuzz_store_bind(s, "SELECT max(next) AS next FROM fuzz_hunt WHERE device = ? AND seed = ? AND shard = ?", "tit",
                        config->device, (int64_t)config->seed, shard_text(config, shard));
    bool good = row.statement && sqlite3_step(row.statement) == SQLITE_ROW;
    if (good)
        past->next = (uint64_t)row_int(&row, "next");
    row_close(&row);
    return good ? 0 : fuzz_store_fail(s);
}

int fuzz_store_load(const char *path, const struct fuzz_search_config *config, struct fuzz_past *past,
                    struct error *error)
{
    struct session s;
    *past = (struct fuzz_past){0};
    int result = open_to_read(&s, path, error);
    if (result == 0)
        result = load_seeds(&s, config->specs, past);
    if (result == 0)
        result = load_next(&s, config, past);
    return close_session(&s, result);
}

void fuzz_store_free(struct fuzz_past *past)
{
    free(past->seeds);
    *past = (struct fuzz_past){0};
}

static int read_finding(const struct session *s, const struct spec_set *specs, struct row *row,
                        struct fuzz_finding *out)
{
    const char *kind = row_text(row, "kind");
    *out = (struct fuzz_finding){.verdict = FUZZ_VERDICTS};
    for (int verdict = 0; verdict < FUZZ_VERDICTS; verdict++)
        if (strcmp(fuzz_verdict_names[verdict], kind) == 0)
            out->verdict = (enum fuzz_verdict)verdict;
    int result = desc_text_parse(specs, row_text(row, "minimum"), &out->desc, s->error);
    out->executed = row_flag(row, "executed");
    out->data = data_of(row);
    if (result == 0)
        out->rule = spec_find_rule(&specs->specs[out->desc.op], row_text(row, "rule"));
    return result;
}

int fuzz_store_find(const char *path, const struct spec_set *specs, int64_t id, struct fuzz_finding *out,
                    struct error *error)
{
    struct session s;
    int result = open_to_read(&s, path, error);
    struct row row = {0};
    if (result == 0)
        row = fuzz_store_bind(
            &s, "SELECT kind, minimum, executed, fill, indices, seed, rule FROM fuzz_finding WHERE id = ?", "i", id);
    int code = row.statement ? sqlite3_step(row.statement) : SQLITE_ERROR;
    if (result == 0 && code == SQLITE_ROW)
        result = read_finding(&s, specs, &row, out);
    else if (result == 0)
        result = code == SQLITE_DONE
                     ? error_set(error, EXIT_NO_MATCH, "%s: there is no finding %lld", path, (long long)id)
                     : fuzz_store_fail(&s);
    row_close(&row);
    return close_session(&s, result);
}
