#include "harness/spec/catalogue.h"

#include "harness/base/apart.h"
#include "harness/base/script.h"
#include "harness/spec/spec.h"

#include <stdalign.h>
#include <string.h>
#include <unistd.h>

/* The text in field `key` of the table at the top of the stack, "" if there is none; valid as long as the table is. */
static const char *text_in(lua_State *L, const char *key)
{
    const char *text = lua_getfield(L, -1, key) == LUA_TSTRING ? lua_tostring(L, -1) : "";
    lua_pop(L, 1);
    return text;
}

/* Counts the levels in `levels` of the table at the top of the stack: successive entries may be tables of one level. */
static int count_levels(lua_State *L)
{
    int count = 0;
    const char *last = "";
    bool is_table = lua_getfield(L, -1, "levels") == LUA_TTABLE;
    for (size_t i = 1; is_table && i <= lua_rawlen(L, -1); i++) {
        const char *level = "";
        if (lua_rawgeti(L, -1, (lua_Integer)i) == LUA_TTABLE) {
            level = lua_rawgeti(L, -1, 1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
            lua_pop(L, 1);
        }
        count += *level && strcmp(level, last) != 0;
        last = *level ? level : last;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return count;
}

/* Reads the table that the file returned, at the top of the stack. False: it is malformed. */
static bool read_operators(struct catalogue *out, lua_State *L)
{
    if (!lua_istable(L, -1) || lua_getfield(L, -1, "operators") != LUA_TTABLE)
        return false;
    size_t count = lua_rawlen(L, -1);
    out->operators = pool_alloc(&out->pool, (count + 1) * sizeof *out->operators);
    for (size_t i = 0; i < count; i++) {
        if (lua_rawgeti(L, -1, (lua_Integer)i + 1) != LUA_TTABLE)
            return false;
        struct catalogue_operator *op = &out->operators[i];
        *op = (struct catalogue_operator){.name = pool_string(&out->pool, text_in(L, "name")),
                                          .since = level_find(text_in(L, "since")),
                                          .level_count = count_levels(L)};
        if (!*op->name || !op->since || op->level_count == 0)
            return false;
        out->count++;
        lua_pop(L, 1);
    }
    return true;
}

/* What catalogue_load() gives its child. */
struct loading {
    const char *path;
    struct pool pool;      /* shared: the child's catalogue lives there */
    struct catalogue *out; /* in the pool */
};

/* Runs the file, which may be a stranger's, in a child. */
static int load_for_parent(void *context, struct error *error)
{
    const struct loading *loading = context;
    struct catalogue catalogue = {.pool = loading->pool};
    struct script *script = script_new();
    if (!script)
        return error_set(error, EXIT_HARNESS, "out of memory for Lua");
    lua_State *L = script_state(script);
    lua_newtable(L); /* words that the file may use: none */
    int result = script_file(script, loading->path, error);
    if (result == 0 && !read_operators(&catalogue, L))
        result = error_set(error, EXIT_HARNESS,
                           "%s: expected { operators = { { name = \"…\", since = \"1_0\", levels = { … } }, … } }",
                           loading->path);
    if (result == 0)
        *loading->out = catalogue;
    return result;
}

/* Whether what the child left is what loading leaves. */
static bool is_sound(const struct catalogue *catalogue, const struct pool *pool)
{
    enum { COUNT_MAX = 1 << 20 };
    if (catalogue->count < 0 || catalogue->count > COUNT_MAX ||
        !pool_holds(pool, catalogue->operators, (size_t)catalogue->count * sizeof *catalogue->operators,
                    alignof(struct catalogue_operator)))
        return false;
    for (int i = 0; i < catalogue->count; i++)
        if (!pool_holds_text(pool, catalogue->operators[i].name) || !level_name(catalogue->operators[i].since))
            return false;
    return true;
}

int catalogue_load(struct catalogue *out, const char *folder, struct error *error)
{
    enum { SHARED = 16 << 20 };
    struct loading loading = {0};
    *out = (struct catalogue){0};
    if (!pool_share(&loading.pool, SHARED))
        return error_set(error, EXIT_HARNESS, "out of memory");
    loading.out = pool_alloc(&loading.pool, sizeof *loading.out);
    loading.path = pool_format(&loading.pool, "%s/catalogue.lua", folder);
    bool exists = access(loading.path, F_OK) == 0;
    int result = exists ? apart_run(&apart_usual, load_for_parent, &loading, error) : 0;
    if (result == 0 && exists && !is_sound(loading.out, &loading.pool))
        result = error_set(error, EXIT_HARNESS, "%s: it was damaged while it was loaded", loading.path);
    if (result == 0 && exists) {
        *out = *loading.out;
        out->pool = loading.pool;
    } else {
        pool_clear(&loading.pool);
    }
    return result;
}

void catalogue_free(struct catalogue *catalogue)
{
    pool_clear(&catalogue->pool);
    *catalogue = (struct catalogue){0};
}
