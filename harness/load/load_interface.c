/* load_interface.c: compiles the table of specs/interface.lua. The interface is a spec without fields and conditions,
 * so that its cases are planned, run and recorded as those of operators are. */
#include "harness/describe/field_kind.h"
#include "harness/load/load_internal.h"

#include <string.h>

static int compile_sentence(struct loader *l, struct sentence *out)
{
    const char *texts[3] = {"", "", ""};
    for (int i = 0; lua_istable(l->L, -1) && i < 3; i++) {
        lua_rawgeti(l->L, -1, i + 1);
        const char *text = lua_tostring(l->L, -1);
        texts[i] = pool_string(&l->set->pool, text ? text : "");
        lua_pop(l->L, 1);
    }
    *out = (struct sentence){.id = texts[0], .text = texts[1], .exempt = texts[2]};
    if (!*out->id || !*out->text)
        return loader_fail(l, "sentences: expected { \"D1\", \"A sentence.\", \"says\" }");
    static const char *const known[] = {"", "says", "permits", "assay", "rules"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i], out->exempt) == 0)
            return 0;
    return loader_fail(l, "sentences: %s: '%s' is not known; known: says permits assay rules", out->id, out->exempt);
}

static int load_interface_compile_sentences(struct loader *l)
{
    struct spec_set *set = l->set;
    lua_getfield(l->L, -1, "sentences");
    size_t count = lua_rawlen(l->L, -1);
    set->sentences = pool_alloc(&set->pool, (count + 1) * sizeof *set->sentences);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        if (compile_sentence(l, &set->sentences[i]))
            return EXIT_HARNESS;
        for (size_t j = 0; j < i; j++)
            if (strcmp(set->sentences[j].id, set->sentences[i].id) == 0)
                return loader_fail(l, "sentences: '%s' occurs twice", set->sentences[i].id);
        set->sentence_count++;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return 0;
}

static int compile_behaviours(struct loader *l)
{
    lua_getfield(l->L, -1, "behaviours");
    size_t count = lua_rawlen(l->L, -1);
    l->spec->rules = pool_alloc(&l->set->pool, (count + 1) * sizeof *l->spec->rules);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        if (compile_behaviour(l))
            return EXIT_HARNESS;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return 0;
}

int compile_interface(struct loader *l)
{
    struct pool *pool = &l->set->pool;
    struct spec *spec = l->spec;
    l->part = "";
    l->line = 1;
    *spec = (struct spec){.name = pool_string(pool, "INTERFACE"),
                          .lower = pool_string(pool, "interface"),
                          .file = l->file,
                          .page = pool_string(pool, "device.h"),
                          .since = level_all[0],
                          .catalogue = l->set->catalogue,
                          .level_count = 1,
                          .rows = {.field = -1},
                          .selection = {.positions = -1},
                          .slice = -1};
    spec->levels[0] = (struct spec_level){.level = level_all[0],
                                          .name = level_name(level_all[0]),
                                          .pages = pool_string(pool, ""),
                                          .ruling = pool_string(pool, "")};
    spec->sentences.page = spec->sentences.informative = pool_string(pool, "");
    spec->nodes = pool_alloc(pool, sizeof *spec->nodes);
    spec->atoms = pool_alloc(pool, sizeof *spec->atoms);
    struct opdesc blank;
    spec_lay_out(spec, &blank);
    spec->blank = pool_copy(pool, &blank, blank.size);
    return compile_behaviours(l) || load_interface_compile_sentences(l) ? EXIT_HARNESS : 0;
}
