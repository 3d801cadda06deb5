/* Cases from JSON files instead of strategies. */
#include "harness/case/plan_internal.h"

#include "harness/case/casefile.h"

#include <string.h>

static int add_entry(struct planner *p, lua_State *L, const struct json_cursor *entry, struct error *error)
{
    struct testcase c;
    int result = casefile_read(entry, p->specs, p->filter->allow, &p->plan->pool, &c, error);
    if (result)
        return result;
    p->op = (int)(c.spec - p->specs->specs);
    if (!planner_wants_operator(p) || planner_add(p, L, c.name, c, c.desc) >= 0)
        return 0;
    result = json_cursor_error(entry, error, "%s", lua_tostring(L, -1));
    lua_pop(L, 1);
    return result;
}

int planner_file(struct planner *p, lua_State *L, const char *path, struct error *error)
{
    static const char *const known[] = {"cases", "$schema", NULL};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct json_cursor file;
    int result = json_cursor_open(path, false, &file, error);
    if (result)
        return result;
    p->strategy = pool_format(&p->plan->pool, "%.*s", (int)strcspn(name, "."), name);
    p->unlimited = true;
    struct json_cursor cases = json_cursor_member(&file, "cases");
    result = json_cursor_known(&file, known, error);
    if (result == 0)
        result = json_cursor_array(&cases, error);
    for (size_t i = 0; result == 0 && i < json_array_size(cases.value); i++) {
        struct json_cursor entry = json_cursor_entry(&cases, i);
        result = add_entry(p, L, &entry, error);
    }
    json_cursor_close(&file);
    return result;
}
