/* Cases from JSON files instead of strategies. */
#include "harness/plan/plan_internal.h"

#include "harness/plan/casefile.h"

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

/* Notes a wrong case: its place in the file is in the error, its name is added. */
static void add_wrong(struct planner *p, const char *name, const struct error *why)
{
    enum { SHOWN = 80 };
    void (*say)(const char *text) = p->sources->wrong;
    struct error named = {0};
    if (name && *name)
        error_set(&named, EXIT_HARNESS, "%.800s (case '%.*s'%s)", why->text, SHOWN, name,
                  strlen(name) > SHOWN ? " …" : "");
    else
        named = *why;
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
                                  "%zu cases of case files are wrong; --keep-going leaves them out", wrong);
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
        const char *entry_name = json_string_value(json_object_get(entry.value, "name"));
        struct error why = {0};
        if (add_entry(p, L, &entry, &usual, &why) && !is_unwanted(p, entry_name))
            add_wrong(p, entry_name, &why);
    }
    if (result == 0 && json_array_size(cases.value) == 0)
        p->empty_file = pool_string(&p->plan->pool, file.file);
    json_cursor_close(&file);
    return result;
}
