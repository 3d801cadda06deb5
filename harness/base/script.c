#include "harness/base/script.h"

#include "generated/base/script.lua.h"
#include "harness/base/apart.h"
#include "harness/base/input.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

enum {
    SCRIPT_MEMORY = 128 * 1024 * 1024, /* bytes */
    SCRIPT_STEP = 100 * 1000,          /* instructions between checks */
    SCRIPT_STEPS = 2000                /* number of checks: 200 million instructions, which take a second or two */
};

/* The memory that one call may allocate in total, freed or not: filling memory takes time that instruction counts
 * miss. */
static const size_t max_asked = (size_t)2 * 1024 * 1024 * 1024;

struct script {
    lua_State *L;
    size_t used, asked; /* bytes in use; bytes that this call has allocated */
    int steps;
    uint64_t hash;
    const char *preludes[8]; /* names of the preludes that ran */
    int prelude_count;
    script_change *change; /* null: sources run as they are */
    void *change_context;
    bool running; /* inside script_call(); outside, the harness's own allocations must not fail */
};

static void *script_allocate(void *context, void *block, size_t old_size, size_t new_size)
{
    struct script *script = context;
    size_t old = block ? old_size : 0;
    if (new_size == 0) {
        free(block);
        script->used -= old;
        return NULL;
    }
    size_t more = new_size > old ? new_size - old : 0;
    if (script->running && more > 0 && (script->used + more > SCRIPT_MEMORY || script->asked + more > max_asked))
        return NULL;
    script->asked += more;
    void *moved = realloc(block, new_size);
    if (moved)
        script->used = script->used - old + new_size;
    return moved;
}

static struct script *script_of(lua_State *L)
{
    void *context;
    lua_getallocf(L, &context);
    return context;
}

static void count_steps(lua_State *L, lua_Debug *event)
{
    struct script *script = script_of(L);
    if (++script->steps <= SCRIPT_STEPS)
        return;
    lua_getinfo(L, "Sl", event);
    luaL_error(L, "%s:%d: ran past %d million instructions (an endless loop?)", event->short_src, event->currentline,
               SCRIPT_STEPS * (SCRIPT_STEP / 1000) / 1000);
}

struct script *script_new(void)
{
    struct script *script = calloc(1, sizeof *script);
    if (!script)
        return NULL;
    script->L = lua_newstate(script_allocate, script);
    if (!script->L) {
        free(script);
        return NULL;
    }
    luaL_openlibs(script->L);
    lua_sethook(script->L, count_steps, LUA_MASKCOUNT, SCRIPT_STEP);
    struct error error = {0};
    if (script_prelude(script, "base/script.lua", base_script_lua, 0, 1, &error)) {
        script_free(script);
        return NULL;
    }
    lua_setfield(script->L, LUA_REGISTRYINDEX, "assay.environment");
    return script;
}

void script_free(struct script *script)
{
    if (script)
        lua_close(script->L);
    free(script);
}

lua_State *script_state(struct script *script)
{
    return script->L;
}

void script_set_change(struct script *script, script_change *change, void *context)
{
    script->change = change;
    script->change_context = context;
}

/* Compiles a source, which ends with a zero byte, and pushes the function. Returns LUA_OK, or pushes a message. */
static int script_compile(struct script *script, const char *source, size_t size, const char *chunk)
{
    char *changed = script->change ? script->change(script->change_context, source) : NULL;
    int code = luaL_loadbufferx(script->L, changed ? changed : source, changed ? strlen(changed) : size, chunk, "t");
    free(changed);
    return code;
}

/* Returns true if a message begins with "FILE:LINE:". */
static bool has_place(const char *text)
{
    const char *colon = strchr(text, ':');
    if (!colon || colon == text || !isdigit((unsigned char)colon[1]))
        return false;
    for (colon++; isdigit((unsigned char)*colon);)
        colon++;
    return *colon == ':';
}

/* Returns true if a message begins with the place of an error in a prelude, which the author of a script does not
 * know. */
static bool has_inner_place(const struct script *script, const char *text)
{
    for (int i = 0; i < script->prelude_count; i++)
        if (strncmp(text, script->preludes[i], strlen(script->preludes[i])) == 0)
            return true;
    return false;
}

/* Handles the messages of all calls: names the script's line where a prelude found an error, not the prelude's own. The
 * sandbox is its upvalue. */
static int script_locate(lua_State *L)
{
    const struct script *script = lua_touserdata(L, lua_upvalueindex(1));
    const char *text = lua_type(L, 1) == LUA_TSTRING ? lua_tostring(L, 1) : "";
    if (!has_place(text) || !has_inner_place(script, text))
        return 1;
    lua_Debug frame;
    for (int level = 1; lua_getstack(L, level, &frame); level++)
        if (lua_getinfo(L, "Sl", &frame) && frame.currentline > 0 && !has_inner_place(script, frame.short_src)) {
            lua_pushfstring(L, "%s:%d:%s", frame.short_src, frame.currentline, strchr(strchr(text, ':') + 1, ':') + 1);
            break;
        }
    return 1;
}

int script_call(struct script *script, int arguments, int results, const char *what, struct error *error)
{
    script->steps = 0;
    script->asked = 0;
    script->running = true;
    apart_step(what);
    int handler = lua_gettop(script->L) - arguments;
    lua_pushlightuserdata(script->L, script);
    lua_pushcclosure(script->L, script_locate, 1);
    lua_insert(script->L, handler);
    int code = lua_pcall(script->L, arguments, results, handler);
    lua_remove(script->L, handler);
    script->running = false;
    if (code == LUA_OK)
        return 0;
    if (code == LUA_ERRMEM)
        error_set(error, EXIT_HARNESS, "%s: needs more than %d MiB of memory at once, or far more in total", what,
                  SCRIPT_MEMORY / 1024 / 1024);
    else if (!lua_isstring(script->L, -1))
        error_set(error, EXIT_HARNESS, "%s: an error without a message", what);
    else if (has_place(lua_tostring(script->L, -1)) && !has_inner_place(script, lua_tostring(script->L, -1)))
        error_set(error, EXIT_HARNESS, "%s", lua_tostring(script->L, -1));
    else
        error_set(error, EXIT_HARNESS, "%s: %s", what, lua_tostring(script->L, -1));
    lua_pop(script->L, 1);
    lua_gc(script->L, LUA_GCCOLLECT);
    return EXIT_HARNESS;
}

int script_prelude(struct script *script, const char *name, const char *source, int arguments, int results,
                   struct error *error)
{
    char chunk[64];
    snprintf(chunk, sizeof chunk, "=%s", name);
    if (script_compile(script, source, strlen(source), chunk) != LUA_OK) {
        error_set(error, EXIT_HARNESS, "%s", lua_tostring(script->L, -1));
        lua_pop(script->L, 1);
        return EXIT_HARNESS;
    }
    if (script->prelude_count < (int)(sizeof script->preludes / sizeof *script->preludes))
        script->preludes[script->prelude_count++] = name;
    lua_insert(script->L, -1 - arguments);
    return script_call(script, arguments, results, name, error);
}

enum { LARGEST = 16 * 1024 * 1024 };
static const char a_script[] = "a script";

uint64_t script_hash(const struct script *script)
{
    return script->hash;
}

int script_hash_file(const char *path, uint64_t *hash, struct error *error)
{
    uint64_t size;
    char *text = input_file(path, a_script, LARGEST, &size, error);
    if (!text)
        return EXIT_HARNESS;
    *hash = XXH3_64bits_withSeed(text, size, *hash);
    free(text);
    return 0;
}

int script_file(struct script *script, const char *path, struct error *error)
{
    lua_State *L = script->L;
    char chunk[4096];
    uint64_t size;
    char *text = input_file(path, a_script, LARGEST, &size, error);
    if (!text)
        return EXIT_HARNESS;
    snprintf(chunk, sizeof chunk, "@%s", path);
    script->hash = XXH3_64bits_withSeed(text, size, script->hash);
    int code = script_compile(script, text, size, chunk);
    free(text);
    if (code != LUA_OK) {
        const char *message = lua_tostring(L, -1);
        error_set(error, EXIT_HARNESS, "%s%s%s", has_place(message) ? "" : path, has_place(message) ? "" : ": ",
                  message);
        lua_pop(L, 1);
        return EXIT_HARNESS;
    }
    lua_getfield(L, LUA_REGISTRYINDEX,
                 "assay.environment"); /* the stack holds words, chunk, and the function that makes the environment */
    lua_pushvalue(L, -3);
    if (script_call(script, 1, 1, path, error)) {
        lua_pop(L, 1);
        return EXIT_HARNESS;
    }
    lua_setupvalue(L, -2, 1); /* sets _ENV of the chunk */
    return script_call(script, 0, 1, path, error);
}

static int script_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns true if a visible file has one of the endings. */
static bool is_wanted(const char *name, const char *const endings[])
{
    size_t length = strlen(name);
    for (size_t i = 0; *name != '.' && endings[i]; i++)
        if (length > strlen(endings[i]) && strcmp(name + length - strlen(endings[i]), endings[i]) == 0)
            return true;
    return false;
}

int script_folder(const char *folder, const char *const endings[], struct pool *pool, const char ***out,
                  struct error *error)
{
    const char *slash = strrchr(folder, '/');
    struct stat status;
    if (stat(folder, &status) == 0 && S_ISREG(status.st_mode) && is_wanted(slash ? slash + 1 : folder, endings)) {
        *out = pool_alloc(pool, sizeof **out);
        **out = pool_string(pool, folder);
        return 1;
    }
    size_t count = 0, capacity = 0;
    char **names = NULL;
    bool enough = true;
    DIR *dir = opendir(folder);
    if (!dir)
        return -error_set(error, EXIT_HARNESS, "%s: cannot be read as a folder of Lua files: %m", folder);
    for (struct dirent *entry; enough && (entry = readdir(dir));) {
        if (!is_wanted(entry->d_name, endings))
            continue;
        if (count == capacity) {
            capacity = capacity * 2 + 16;
            char **more = realloc(names, capacity * sizeof *names);
            enough = more != NULL;
            if (!enough)
                continue;
            names = more;
        }
        names[count++] = pool_format(pool, "%s/%s", folder, entry->d_name);
    }
    closedir(dir);
    if (count > 0)
        qsort(names, count, sizeof *names, script_by_name);
    *out = pool_copy(pool, names, count * sizeof *names);
    free(names);
    if (!enough)
        return -error_set(error, EXIT_HARNESS, "%s: out of memory for the names of its files", folder);
    if (count == 0)
        return -error_set(error, EXIT_HARNESS, "%s: no *%s file in it", folder, endings[0]);
    return (int)count;
}
