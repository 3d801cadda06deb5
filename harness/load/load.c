#include "harness/load/load.h"

#include "generated/load/expressions.lua.h"
#include "generated/load/activations.lua.h"
#include "generated/load/carried.lua.h"
#include "generated/load/families.lua.h"
#include "generated/load/normalisations.lua.h"
#include "generated/load/prelude.lua.h"
#include "generated/load/situations.lua.h"
#include "harness/describe/field_kind.h"
#include "harness/load/load_formula.h"
#include "harness/solve/solve.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int loader_fail(struct loader *l, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(l->error, EXIT_HARNESS, "%s:%d: %s%s%s", l->file, l->line, l->part, *l->part ? ": " : "", text);
}

const char *loader_text(struct loader *l, int table, const char *key)
{
    lua_getfield(l->L, table, key);
    const char *text = lua_tostring(l->L, -1);
    const char *copy = pool_string(&l->set->pool, text ? text : ""); /* all texts of a set are in its pool */
    lua_pop(l->L, 1);
    return copy;
}

int loader_integer(struct loader *l, int table, const char *key)
{
    lua_getfield(l->L, table, key);
    int value = (int)lua_tointeger(l->L, -1);
    lua_pop(l->L, 1);
    return value;
}

bool loader_true(struct loader *l, int table, const char *key)
{
    lua_getfield(l->L, table, key);
    bool value = lua_toboolean(l->L, -1);
    lua_pop(l->L, 1);
    return value;
}

static int compile_indices(struct loader *l, int op)
{
    lua_getfield(l->L, op, "indices");
    size_t count = lua_istable(l->L, -1) ? lua_rawlen(l->L, -1) : 0;
    l->spec->indices = pool_alloc(&l->set->pool, (count + 1) * sizeof *l->spec->indices);
    for (size_t i = 0; i < count; i++) {
        struct spec_index *index = &l->spec->indices[i];
        int16_t into, along;
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        if (!lua_istable(l->L, -1) || strcmp(loader_text(l, -1, "kind"), "index") != 0)
            return loader_fail(l, "indices: entry %zu is not made by index", i + 1);
        const char *name = loader_text(l, -1, "id");
        l->line = loader_integer(l, -1, "line");
        index->field = spec_find_field(l->spec, name);
        if (index->field < 0 || !field_is_input(&l->spec->fields[index->field]))
            return loader_fail(l, "index: '%s' is not an input tensor", name);
        if (compile_operand(l, "into", &into) || compile_operand(l, "along", &along))
            return EXIT_HARNESS;
        if (into < 0 || !expr_is_list(&l->spec->nodes[into]))
            return loader_fail(l, "index \"%s\": into: expected a list of sizes", name);
        index->into = into;
        index->along = along;
        index->tuple = loader_true(l, -1, "tuple");
        index->distinct = loader_true(l, -1, "distinct");
        l->spec->index_count++;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return 0;
}

static int compile_grids(struct loader *l, int op)
{
    lua_getfield(l->L, op, "grids");
    size_t count = lua_istable(l->L, -1) ? lua_rawlen(l->L, -1) : 0;
    l->spec->grids = pool_alloc(&l->set->pool, (count + 1) * sizeof *l->spec->grids);
    for (size_t i = 0; i < count; i++) {
        struct spec_grid *grid = &l->spec->grids[i];
        int16_t from, to, parts;
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        if (!lua_istable(l->L, -1) || strcmp(loader_text(l, -1, "kind"), "grid") != 0)
            return loader_fail(l, "grids: entry %zu is not made by grid", i + 1);
        const char *name = loader_text(l, -1, "id");
        l->line = loader_integer(l, -1, "line");
        grid->field = spec_find_field(l->spec, name);
        grid->spans = loader_integer(l, -1, "spans");
        if (grid->field < 0 || !field_is_input(&l->spec->fields[grid->field]))
            return loader_fail(l, "grid: '%s' is not an input tensor", name);
        if (compile_operand(l, "from", &from) || compile_operand(l, "to", &to) || compile_operand(l, "parts", &parts))
            return EXIT_HARNESS;
        if (!loader_is_kind(l, from, 'l') || !loader_is_kind(l, to, 'l') || !loader_is_kind(l, parts, 'l') ||
            grid->spans < 0)
            return loader_fail(l, "grid \"%s\": expected the lists from, to and parts, and a number of spans", name);
        grid->from = from;
        grid->to = to;
        grid->parts = parts;
        l->spec->grid_count++;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return 0;
}

static bool is_output(const struct spec *spec, int field)
{
    return field >= 0 && field_is_output(&spec->fields[field]);
}

static int compile_rows(struct loader *l, int op)
{
    l->spec->rows.field = -1;
    lua_getfield(l->L, op, "rows");
    if (lua_istable(l->L, -1)) {
        l->line = loader_integer(l, -1, "line");
        l->spec->rows.field = spec_find_field(l->spec, loader_text(l, -1, "id"));
        l->spec->rows.count_field = spec_find_field(l->spec, loader_text(l, -1, "count"));
        if (!is_output(l->spec, l->spec->rows.field) || !is_output(l->spec, l->spec->rows.count_field))
            return loader_fail(l, "rows: expected rows \"OUTPUT\" { count = \"OUTPUT\" }");
    }
    lua_pop(l->L, 1);
    return 0;
}

static int compile_selection(struct loader *l, int op)
{
    struct spec_selection *selection = &l->spec->selection;
    int16_t along = -1, descending = -1;
    selection->positions = -1;
    lua_getfield(l->L, op, "selection");
    if (lua_istable(l->L, -1)) {
        l->line = loader_integer(l, -1, "line");
        selection->positions = spec_find_field(l->spec, loader_text(l, -1, "id"));
        selection->values = spec_find_field(l->spec, loader_text(l, -1, "values"));
        selection->of = spec_find_field(l->spec, loader_text(l, -1, "of"));
        if (!is_output(l->spec, selection->positions) || !is_output(l->spec, selection->values) || selection->of < 0 ||
            l->spec->fields[selection->of].kind != FIELD_INPUT)
            return loader_fail(l,
                               "selection: expected selection \"OUTPUT\" { values = \"OUTPUT\", of = \"INPUT\", … }");
        if (compile_operand(l, "along", &along) || compile_operand(l, "descending", &descending))
            return EXIT_HARNESS;
        if (along < 0 || expr_is_list(&l->spec->nodes[along]) || descending < 0 ||
            expr_is_list(&l->spec->nodes[descending]))
            return loader_fail(l, "selection: expected the numbers along and descending");
        selection->along = along;
        selection->descending = descending;
    }
    lua_pop(l->L, 1);
    return 0;
}

static int compile_parameters(struct loader *l, int op)
{
    lua_getfield(l->L, op, "parameters");
    size_t count = lua_rawlen(l->L, -1);
    if (count > SPEC_MAX_PARAMETERS)
        return loader_fail(l, "parameters: at most %d", SPEC_MAX_PARAMETERS);
    for (size_t i = 0; i < count; i++) {
        int16_t node = -1;
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        if (!lua_istable(l->L, -1))
            return loader_fail(l, "parameters: expected pairs { \"name\", expression }");
        lua_rawgeti(l->L, -1, 1);
        const char *name = lua_tostring(l->L, -1);
        if (!name || !isalpha((unsigned char)*name))
            return loader_fail(l, "parameters: expected pairs { \"name\", expression }");
        l->spec->parameters[i].name = pool_string(&l->set->pool, name);
        lua_rawgeti(l->L, -2, 2);
        if (compile_expression(l, &node))
            return EXIT_HARNESS;
        if (!expr_assignable(&l->spec->nodes[node]))
            return loader_fail(l, "parameter \"%s\": expected a field, a DimensionCount or a size", name);
        l->spec->parameters[i].node = node;
        l->spec->parameter_count++;
        lua_pop(l->L, 3);
    }
    lua_pop(l->L, 1);
    return 0;
}

/* Compiles `slice = EXPR`, at the top of the stack. */
static int compile_slice(struct loader *l)
{
    int16_t node;
    if (compile_operand(l, "slice", &node))
        return EXIT_HARNESS;
    if (node >= 0 && (expr_is_list(&l->spec->nodes[node]) || solve_leaf(l->spec, node) < 0))
        return loader_fail(l, "slice: expected a number that follows from a part of the description");
    l->spec->slice = node;
    return 0;
}

static int compile_sparse(struct loader *l, int op)
{
    lua_getfield(l->L, op, "sparse");
    for (size_t i = 1; lua_istable(l->L, -1) && i <= lua_rawlen(l->L, -1); i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i);
        const char *name = lua_tostring(l->L, -1);
        int field = name ? spec_find_field(l->spec, name) : -1;
        lua_pop(l->L, 1);
        if (field < 0 || !field_is_input(&l->spec->fields[field]))
            return loader_fail(l, "sparse: expected names of input tensors");
        l->spec->sparse |= 1u << field;
    }
    lua_pop(l->L, 1);
    return 0;
}

int compile_domain(struct loader *l, const char *name, struct spec_domain *out)
{
    if (!lua_istable(l->L, -1))
        return loader_fail(l, "domains: %s: expected { low, high }", name);
    bool nonzero = loader_true(l, -1, "nonzero");
    lua_rawgeti(l->L, -1, 1);
    lua_rawgeti(l->L, -2, 2);
    *out = (struct spec_domain){
        .given = true, .nonzero = nonzero, .low = lua_tonumber(l->L, -2), .high = lua_tonumber(l->L, -1)};
    bool numbers = lua_type(l->L, -2) == LUA_TNUMBER && lua_type(l->L, -1) == LUA_TNUMBER;
    if (nonzero && lua_isnil(l->L, -2) && lua_isnil(l->L, -1)) {
        *out = (struct spec_domain){.nonzero = true};
        numbers = true;
    }
    lua_pop(l->L, 2);
    out->has_usual = lua_getfield(l->L, -1, "usual") == LUA_TNUMBER;
    out->usual = out->has_usual ? lua_tonumber(l->L, -1) : 0;
    lua_pop(l->L, 1);
    if (!numbers || !isfinite(out->low) || !isfinite(out->high) || out->low > out->high)
        return loader_fail(l, "domains: %s: expected { low, high }, finite numbers", name);
    return 0;
}

static int compile_domains(struct loader *l, int op)
{
    if (lua_getfield(l->L, op, "domains") == LUA_TNIL)
        lua_newtable(l->L);
    if (!lua_istable(l->L, -1))
        return loader_fail(l, "domains: expected { InputTensor = { low, high }, … }");
    lua_pushnil(l->L);
    while (lua_next(l->L, -2)) {
        const char *name = lua_type(l->L, -2) == LUA_TSTRING ? lua_tostring(l->L, -2) : "";
        int field = spec_find_field(l->spec, name);
        if (field < 0 || !(field_is_input(&l->spec->fields[field]) || field_has_domain(l->spec->fields[field].kind)))
            return loader_fail(l, "domains: '%s' is no input, number or array of numbers", name);
        struct spec_domain *domain = &l->spec->domains[field];
        if (compile_domain(l, name, domain))
            return EXIT_HARNESS;
        if (!field_fits_domain(&l->spec->fields[field], domain))
            return loader_fail(l, "domains: %s: expected a range that the field can have", name);
        lua_pop(l->L, 1);
    }
    lua_settop(l->L, op);
    return 0;
}

/* The reference device computes outputs without a formula, but no operator of one's own. */
static int check_own_results(struct loader *l)
{
    const struct spec *spec = l->spec;
    for (int i = 0; catalogue_is_own((uint32_t)spec->type) && i < spec->field_count; i++) {
        int of = 0;
        while (of < spec->result_count && spec->results[of].field != i)
            of++;
        if (field_is_output(&spec->fields[i]) && of == spec->result_count)
            return loader_fail(l, "results: expected a formula for %s: nothing else says what it must be",
                               spec->fields[i].name);
    }
    return 0;
}

/* Compiles the operator's table at the top of the stack. */
static int load_compile_operator(struct loader *l)
{
    int op = lua_gettop(l->L);
    struct spec *spec = l->spec;
    l->part = "";
    loader_forget(l, l->spec);
    l->line = loader_integer(l, op, "line");
    spec->file = l->file;
    spec->name = loader_text(l, op, "id");
    spec->page = loader_text(l, op, "page");
    if (!*spec->page)
        spec->page = spec->name;
    const struct catalogue_entry *entry = catalogue_named(l->set->catalogue, spec->name);
    if (!entry)
        return loader_fail(l, "'%s' is not in the catalogue", spec->name);
    spec->type = entry->layout.type;
    char *lower = pool_string(&l->set->pool, spec->name);
    for (char *at = lower; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    spec->lower = lower;
    if (compile_fields(l, op) || compile_levels(l, op) || compile_rules(l, op))
        return EXIT_HARNESS;
    if (compile_situations(l, op))
        return EXIT_HARNESS;
    compile_level_breaks(spec);
    if (compile_beyond(l, op))
        return EXIT_HARNESS;
    if (compile_indices(l, op) || compile_grids(l, op) || compile_rows(l, op) || compile_selection(l, op) ||
        compile_parameters(l, op) || compile_slice(l) || compile_sparse(l, op) || compile_domains(l, op) ||
        compile_results(l, op) || check_own_results(l) || compile_sources(l, op))
        return EXIT_HARNESS;
    lua_getfield(l->L, op, "meaning");
    spec->has_meaning = lua_isfunction(l->L, -1);
    compile_bounds(l);
    spec->nodes = pool_copy(&l->set->pool, l->nodes, (size_t)spec->node_count * sizeof *l->nodes);
    spec->atoms = pool_copy(&l->set->pool, l->atoms, (size_t)spec->atom_count * sizeof *l->atoms);
    lua_settop(l->L, op);
    return 0;
}

static bool load_is_named(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    return strcmp(slash ? slash + 1 : file, name) == 0;
}

/* Returns the kind of table that a file must return, by the file's name. */
static const char *wanted_of(const char *file)
{
    if (load_is_named(file, "tensor.lua"))
        return "tensor_rules";
    if (load_is_named(file, "rulings.lua"))
        return "rulings";
    return load_is_named(file, "interface.lua") ? "interface" : "operator";
}

/* Runs catalogue.lua in the folder of `files`, with the words at the top of the stack, and gives it to the words. */
static int load_catalogue(struct loader *l, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *path = pool_format(&l->set->pool, "%.*scatalogue.lua", slash ? (int)(slash + 1 - file) : 0, file);
    if (script_file(l->set->script, path, l->error))
        return EXIT_HARNESS;
    if (compile_catalogue(l, path))
        return EXIT_HARNESS;
    lua_getfield(l->L, -2, "set_catalogue");
    lua_pushvalue(l->L, -2);
    loader_open_structs(l);
    lua_call(l->L, 2, 0);
    lua_pop(l->L, 1);
    lua_pushnil(l->L); /* specs may not use this word */
    lua_setfield(l->L, -2, "set_catalogue");
    return 0;
}

/* Runs compile_operator() in a protected call: a Lua error, such as indexing a number, must not end the process. */
static int compile_protected(lua_State *L)
{
    struct loader *l = lua_touserdata(L, 2);
    lua_settop(L, 1);
    lua_pushinteger(L, load_compile_operator(l));
    return 1;
}

/* An operator that a file returned; its table is in the registry, by its name. */
struct found_operator {
    const char *name, *file;
};

struct found_operators {
    struct found_operator *items;
    size_t count, capacity;
    const char *interface; /* the file whose table is in the registry as "assay.interface"; null: none */
};

/* Remembers the operator's table at the top of the stack. */
static int load_add_operator(struct loader *l, struct found_operators *found)
{
    const char *name = loader_text(l, -1, "id");
    l->line = loader_integer(l, -1, "line");
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(found->items[i].name, name) == 0)
            return loader_fail(l, "operator \"%s\" is also in %s", name, found->items[i].file);
    if (found->count == found->capacity) {
        found->capacity = found->capacity * 2 + 64;
        struct found_operator *more = realloc(found->items, found->capacity * sizeof *more);
        if (!more)
            return error_set(l->error, EXIT_HARNESS, "%s: out of memory", l->file);
        found->items = more;
    }
    found->items[found->count++] = (struct found_operator){name, l->file};
    lua_getfield(l->L, LUA_REGISTRYINDEX, "assay.operators");
    lua_pushvalue(l->L, -2);
    lua_setfield(l->L, -2, name);
    lua_pop(l->L, 1);
    return 0;
}

static bool is_kind(struct loader *l, const char *wanted)
{
    return lua_istable(l->L, -1) && strcmp(loader_text(l, -1, "kind"), wanted) == 0;
}

/* Adds the operator, or the list of operators, at the top of the stack. */
static int add_operators(struct loader *l, struct found_operators *found)
{
    static const char expected[] = "expected the file to return operator \"NAME\" { … }, or a list of them";
    if (is_kind(l, "operator"))
        return load_add_operator(l, found);
    size_t count = lua_istable(l->L, -1) ? lua_rawlen(l->L, -1) : 0;
    int result = count ? 0 : loader_fail(l, expected);
    for (size_t i = 0; i < count && !result; i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        result = is_kind(l, "operator") ? load_add_operator(l, found) : loader_fail(l, expected);
        lua_pop(l->L, 1);
    }
    return result;
}

/* Runs one file, with the words at the top of the stack. Adds its operators or the interface to `found`, or compiles
 * the rulings. */
static int load_file(struct loader *l, const char *file, struct found_operators *found)
{
    const char *wanted = wanted_of(file);
    if (script_file(l->set->script, file, l->error))
        return EXIT_HARNESS;
    l->file = file;
    l->part = "";
    l->line = 1;
    int result = 0;
    if (strcmp(wanted, "operator") == 0)
        result = add_operators(l, found);
    else if (!is_kind(l, wanted))
        result = loader_fail(l, "expected the file to return %s { … }", wanted);
    else if (strcmp(wanted, "rulings") == 0)
        result = compile_rulings(l);
    else if (strcmp(wanted, "interface") == 0) {
        found->interface = file;
        lua_pushvalue(l->L, -1);
        lua_setfield(l->L, LUA_REGISTRYINDEX, "assay.interface");
    }
    lua_pop(l->L, 1);
    return result;
}

/* Runs compile_interface() in a protected call, as compile_protected() does. */
static int interface_protected(lua_State *L)
{
    struct loader *l = lua_touserdata(L, 2);
    lua_settop(L, 1);
    lua_pushinteger(L, compile_interface(l));
    return 1;
}

/* Compiles the table at the top of the stack, with one of the functions above, to the spec after the last one. */
static int compile_next(struct loader *l, lua_CFunction compile, const char *file)
{
    lua_State *L = l->L;
    l->file = file;
    l->spec = &l->set->specs[l->set->count];
    lua_pushcfunction(L, compile);
    lua_insert(L, -2);
    lua_pushlightuserdata(L, l);
    if (lua_pcall(L, 2, 1, 0) != LUA_OK)
        return loader_fail(l, "not as expected: %s", lua_tostring(L, -1));
    bool good = lua_tointeger(L, -1) == 0;
    lua_pop(L, 1);
    if (good)
        l->spec->blank->op = (uint16_t)l->set->count;
    return good ? 0 : EXIT_HARNESS;
}

static int compile_found(struct loader *l, const struct found_operator *op)
{
    lua_getfield(l->L, LUA_REGISTRYINDEX, "assay.operators");
    lua_getfield(l->L, -1, op->name);
    lua_remove(l->L, -2);
    int result = compile_next(l, compile_protected, op->file);
    if (result == 0)
        l->set->count++;
    return result;
}

static int by_operator(const void *a, const void *b)
{
    return strcmp(((const struct found_operator *)a)->name, ((const struct found_operator *)b)->name);
}

/* Pushes the table of words that specs may use. */
static int load_words(struct script *script, struct error *error)
{
    if (script_prelude(script, "load/expressions.lua", load_expressions_lua, 0, 2, error))
        return EXIT_HARNESS;
    if (script_prelude(script, "load/prelude.lua", load_prelude_lua, 2, 2, error))
        return EXIT_HARNESS;
    if (script_prelude(script, "load/situations.lua", load_situations_lua, 2, 2, error))
        return EXIT_HARNESS;
    if (script_prelude(script, "load/families.lua", load_families_lua, 2, 1, error))
        return EXIT_HARNESS;
    if (formula_add_words(script, error))
        return EXIT_HARNESS;
    lua_pushvalue(script_state(script), -1);
    if (script_prelude(script, "load/activations.lua", load_activations_lua, 1, 0, error))
        return EXIT_HARNESS;
    lua_pushvalue(script_state(script), -1);
    if (script_prelude(script, "load/carried.lua", load_carried_lua, 1, 0, error))
        return EXIT_HARNESS;
    lua_pushvalue(script_state(script), -1);
    if (script_prelude(script, "load/normalisations.lua", load_normalisations_lua, 1, 0, error))
        return EXIT_HARNESS;
    return 0;
}

/* Half of the script's limit of memory, in KiB. By then, half of what the files allocated is garbage. */
enum { COLLECT_PAST = 64 * 1024 };

/* Returns true if a file is one of `names`, which a null pointer ends; null: all files are. */
static bool is_one_of(const char *file, const char *const *names)
{
    while (names && *names && !load_is_named(file, *names))
        names++;
    return !names || *names;
}

/* Runs the files of the folder, with the words at the top of the stack: first the catalogue, then the other files that
 * are not operators, then the operators: of all files (null), or of the files `only`, which need no rulings. */
static int load_folder(struct loader *l, const char *folder, const char *const *only, struct found_operators *found)
{
    static const char *const endings[] = {".lua", NULL}, *const tensor_file[] = {"tensor.lua", NULL};
    const char *const *with_operators = only ? tensor_file : NULL; /* operators have the rules of that file, too */
    const char **files = NULL;
    int count = script_folder(folder, endings, &l->set->pool, &files, l->error), result = 0;
    if (count <= 0)
        return EXIT_HARNESS;
    result = load_catalogue(l, files[0]);
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count && result == 0; i++)
            if (!load_is_named(files[i], "catalogue.lua") &&
                (strcmp(wanted_of(files[i]), "operator") == 0) == (pass == 1) &&
                is_one_of(files[i], pass == 0 ? with_operators : only)) {
                result = load_file(l, files[i], found);
                if (lua_gc(l->L, LUA_GCCOUNT) > COLLECT_PAST)
                    lua_gc(l->L, LUA_GCCOLLECT);
            }
    return result;
}

/* Compiles the operators that were found, or the one with the name `only` (null: all), and the interface. */
static int compile_all(struct loader *l, struct found_operators *found, const char *only)
{
    int result = 0;
    l->set->specs = pool_alloc(&l->set->pool, (found->count + 1) * sizeof *l->set->specs);
    if (found->count > 0)
        qsort(found->items, found->count, sizeof *found->items, by_operator);
    for (size_t i = 0; i < found->count && result == 0; i++)
        if (!only || strcmp(found->items[i].name, only) == 0)
            result = compile_found(l, &found->items[i]);
    if (result == 0 && found->interface && !only) {
        lua_getfield(l->L, LUA_REGISTRYINDEX, "assay.interface");
        result = compile_next(l, interface_protected, found->interface);
        l->set->interface = l->spec;
    }
    return result;
}

/* Runs the files of a folder, or those of its files `files`, in the new script of an empty set; null: there is none.
 * The word `define` makes only the operator `only` (null: all). */
static int load_files(struct loader *l, const char *folder, const char *const *files, const char *only,
                      struct found_operators *found)
{
    if (!l->set->script)
        return error_set(l->error, EXIT_HARNESS, "out of memory for Lua");
    l->set->folder = pool_string(&l->set->pool, folder);
    l->L = script_state(l->set->script);
    lua_newtable(l->L);
    lua_setfield(l->L, LUA_REGISTRYINDEX, "assay.operators");
    lua_pushstring(l->L, only); /* null: nil */
    lua_setfield(l->L, LUA_REGISTRYINDEX, "assay.only");
    lua_gc(l->L, LUA_GCSTOP); /* load_folder() collects a few times instead: often would take longer than the files */
    int result = load_words(l->set->script, l->error) || load_folder(l, folder, files, found);
    loader_close_structs(l);
    return result;
}

/* Ends what load_files() began. Returns 0, or EXIT_HARNESS with the set empty if `result` is an error. */
static int end_loading(struct loader *l, struct found_operators *found, int result)
{
    free(found->items);
    if (result) {
        spec_set_free(l->set);
        return EXIT_HARNESS;
    }
    lua_settop(l->L, 0);
    lua_gc(l->L, LUA_GCRESTART);
    l->set->hash = script_hash(l->set->script);
    return 0;
}

/* Loads all operators, or `only`. */
static int load_with(struct spec_set *set, const char *folder, const struct spec *only, struct error *error)
{
    const char *slash = only ? strrchr(only->file, '/') : NULL, *name = only ? only->name : NULL;
    const char *const files[] = {slash ? slash + 1 : NULL, NULL};
    struct found_operators found = {0};
    struct loader l = {.set = set, .error = error};
    const int result = load_files(&l, folder, only ? files : NULL, name, &found) || compile_all(&l, &found, name);
    return end_loading(&l, &found, result);
}

int spec_set_load_into(struct spec_set *set, const char *folder, struct error *error)
{
    set->script = script_new();
    return load_with(set, folder, NULL, error);
}

int spec_set_load_changed(struct spec_set *set, const char *folder, const struct spec *only, script_change *change,
                          void *context, struct error *error)
{
    *set = (struct spec_set){.script = script_new()};
    if (set->script)
        script_set_change(set->script, change, context);
    return load_with(set, folder, only, error);
}

int spec_set_add_script(struct spec_set *set, const char *folder, const char *const *files, struct error *error)
{
    struct spec_set tables = {.script = script_new()};
    struct found_operators found = {0};
    struct loader l = {.set = &tables, .error = error};
    const int result = end_loading(&l, &found, load_files(&l, folder, files, NULL, &found));
    if (result == 0) {
        set->script = tables.script;
        tables.script = NULL;
        spec_set_free(&tables);
    }
    return result;
}

int spec_set_load(struct spec_set *set, const char *folder, struct error *error)
{
    *set = (struct spec_set){0};
    return spec_set_load_into(set, folder, error);
}

void spec_set_free(struct spec_set *set)
{
    script_free(set->script);
    pool_clear(&set->pool);
    if (set->kept > 0)
        close(set->kept - 1);
    *set = (struct spec_set){0};
}

void spec_push(const struct spec_set *set, int spec)
{
    lua_State *L = script_state(set->script);
    lua_getfield(L, LUA_REGISTRYINDEX, "assay.operators");
    lua_getfield(L, -1, set->specs[spec].name);
    lua_remove(L, -2);
}
