/* Cases from JSON files instead of strategies. */
#include "harness/plan/plan_internal.h"

#include "harness/describe/desc_json.h"
#include "harness/plan/casefile.h"

#include <stdio.h>
#include <string.h>

static int add_entry(struct planner *p, lua_State *L, const struct json_cursor *entry,
                     const struct given_tolerance *usual, struct error *error)
{
    struct testcase c;
    int result = casefile_read(entry, p->specs, p->filter->allow, usual, &p->plan->pool, &c, error);
    if (result)
        return result;
    p->op = (int)(c.spec - p->specs->specs);
    if (!planner_wants_operator(p) || planner_add(p, L, c.name, c, c.desc) >= 0)
        return 0;
    result = json_cursor_error(entry, error, "%s", lua_tostring(L, -1));
    lua_pop(L, 1);
    return result;
}

/* Returns true if the filter leaves out the entry's operator, level or name. An entry without a name is never left
 * out. */
static bool is_unwanted(const struct planner *p, const char *name)
{
    return name && !planner_wants_name(p, name);
}

/* Adds the name of a case to the error about it, which has its place in the file. */
static struct error name_error(const char *name, const struct error *why)
{
    enum { SHOWN = 200 /* the longest name that is legal */ };
    struct error named = {0};
    if (!name || !*name)
        return *why;
    error_set(&named, EXIT_HARNESS, "%.700s (case '%.*s'%s)", why->text, SHOWN, name, strlen(name) > SHOWN ? " …" : "");
    return named;
}

/* Notes a wrong case. */
static void add_wrong(struct planner *p, const char *name, const struct error *why)
{
    void (*say)(const char *text) = p->sources->wrong;
    const struct error named = name_error(name, why);
    if (p->plan->wrong++ == 0)
        p->first_wrong = named;
    if (say && p->plan->wrong == 2 && !p->sources->keep_going)
        say(p->first_wrong.text);
    if (say && (p->plan->wrong > 1 || p->sources->keep_going))
        say(named.text);
}

int planner_check_wrong(const struct planner *p, struct error *error)
{
    size_t wrong = p->plan->wrong;
    if (wrong == 0 || (p->sources->keep_going && p->plan->count > 0))
        return 0;
    if (p->sources->keep_going)
        return error_set(error, EXIT_HARNESS, "no case is left: %zu are wrong", wrong);
    return wrong == 1 ? error_set(error, EXIT_HARNESS, "%s", p->first_wrong.text)
                      : error_set(error, EXIT_HARNESS,
                                  "%zu cases of case files are wrong; --keep-going runs the others", wrong);
}

/* Returns the name of a case that cannot be run: its own if it is legal and free, otherwise one from its place. */
static const char *unread_name(const struct planner *p, const char *own, const char *file, size_t index)
{
    enum { TRIES = 1000 };
    char name[CASE_NAME_SIZE], stem[64];
    snprintf(stem, sizeof stem, "%s", file);
    for (char *at = stem; *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *at))
            *at = '_';
    if (own && case_name_is_legal(own) && !names_has(p->names, own))
        return own;
    for (int i = 0; i < TRIES; i++) {
        snprintf(name, sizeof name, "%s.entry-%zu", *stem ? stem : "cases", index);
        if (i > 0)
            snprintf(name + strlen(name), sizeof name - strlen(name), "-%d", i + 1);
        if (!names_has(p->names, name))
            break;
    }
    return pool_string(&p->plan->pool, name);
}

/* Returns true if all of a text is letters, digits and `_`. */
static bool is_word(const char *text)
{
    enum { LONGEST = 64 };
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return length > 0 && length <= LONGEST && !text[length];
}

/* Adds a case that cannot be run. `op`: its operator; -1: not known. */
static int add_unread(struct planner *p, lua_State *L, const char *name, int op, const char *operator_name,
                      const char *why, struct error *error)
{
    const bool unknown = op < 0 && operator_name;
    p->op = op >= 0 ? op : p->specs->count;
    const struct spec *spec = op >= 0 ? &p->specs->specs[op] : p->specs->interface;
    const struct unread unread = {
        .operator_name = pool_string(&p->plan->pool, operator_name && is_word(operator_name) ? operator_name : ""),
        .why = pool_string(&p->plan->pool, why),
        .unknown = unknown};
    const struct testcase c = {.unread = pool_copy(&p->plan->pool, &unread, sizeof unread),
                               .spec = spec,
                               .rule = -1,
                               .expect = EXPECT_ACCEPTED,
                               .from_file = true};
    if (!p->sources->unread || !spec || !planner_wants_operator(p) || planner_add(p, L, name, c, spec->blank) >= 0)
        return 0;
    error_set(error, EXIT_HARNESS, "%s", lua_tostring(L, -1));
    lua_pop(L, 1);
    return EXIT_HARNESS;
}

/* Notes an entry that is wrong, or whose operator is not known. */
static int add_refused(struct planner *p, lua_State *L, const struct json_cursor *entry, const char *file,
                       const struct error *why, struct error *error)
{
    const char *name = json_string_value(json_object_get(entry->value, "name")), *operator_name;
    const int op = desc_json_operator(entry->value, p->specs, &operator_name);
    if (is_unwanted(p, name))
        return 0;
    if (op >= 0 || !operator_name) {
        add_wrong(p, name, why);
        if (!p->sources->keep_going)
            return 0;
    } else {
        if (!p->unknown && !(p->unknown = names_new()))
            return error_set(error, EXIT_HARNESS, "out of memory");
        const struct error named = name_error(name, why);
        const bool all = p->filter->pattern_count == 0; /* the loads of a single case would repeat it */
        if (all && p->sources->wrong && names_add(p->unknown, operator_name) == NAMES_ADDED)
            p->sources->wrong(pool_format(&p->plan->pool, "%s; cases of this operator are skipped", named.text));
    }
    return add_unread(p, L, unread_name(p, name, file, entry->index), op,
                      op >= 0 ? p->specs->specs[op].name : operator_name, why->text, error);
}

static int open_file(const struct planner *p, const char *path, struct json_cursor *file, struct error *error)
{
    return strcmp(path, "-") == 0
               ? json_cursor_open_text("standard input", p->sources->input, p->sources->input_size, false, file, error)
               : json_cursor_open(path, false, file, error);
}

int planner_file(struct planner *p, lua_State *L, const char *path, struct error *error)
{
    static const char *const known[] = {"cases", "$schema", "tolerance", NULL};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (strcmp(path, "-") == 0)
        name = "stdin";
    struct given_tolerance usual = {.given = false};
    struct json_cursor file;
    int result = open_file(p, path, &file, error);
    if (result)
        return result;
    p->strategy = pool_format(&p->plan->pool, "%.*s", (int)strcspn(name, "."), name);
    p->unlimited = true;
    struct json_cursor cases = json_cursor_member(&file, "cases");
    result = json_cursor_known(&file, known, error);
    if (result == 0)
        result = json_cursor_array(&cases, error);
    if (result == 0)
        result = casefile_tolerance(&file, &usual, error);
    for (size_t i = 0; result == 0 && i < json_array_size(cases.value); i++) {
        struct json_cursor entry = json_cursor_entry(&cases, i);
        struct error why = {0};
        if (add_entry(p, L, &entry, &usual, &why))
            result = add_refused(p, L, &entry, p->strategy, &why, error);
    }
    if (result == 0 && json_array_size(cases.value) == 0)
        p->empty_file = pool_string(&p->plan->pool, file.file);
    json_cursor_close(&file);
    return result;
}
