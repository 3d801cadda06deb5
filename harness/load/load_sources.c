#include "harness/load/load_internal.h"
#include "harness/spec/contents.h"

#include <string.h>

/* Compiles the words of field `key` of the table at the top of the stack to bits, by their index in `names`. `before`
 * begins the message about an unknown word. */
static int compile_words(struct loader *l, const char *before, const char *key, const char *const names[],
                         uint64_t *out)
{
    const char *at = loader_text(l, -1, key);
    *out = 0;
    while (*(at += strspn(at, " "))) {
        size_t length = strcspn(at, " ");
        int i = 0;
        while (names[i] && (strncmp(names[i], at, length) != 0 || names[i][length]))
            i++;
        if (!names[i])
            return loader_fail(l, "%s%s: '%.*s' is not known", before, key, (int)length, at);
        *out |= 1ull << i;
        at += length;
    }
    return 0;
}

int compile_contents(struct loader *l, const char *before, struct evidence *out)
{
    return compile_words(l, before, "fill", fill_names, &out->fills) ||
           compile_words(l, before, "indices", index_fill_names, &out->index_fills);
}

int compile_evidence(struct loader *l, struct evidence *out)
{
    lua_getfield(l->L, -1, "shown_by");
    if (lua_istable(l->L, -1)) {
        if (compile_contents(l, "shown_by: ", out))
            return EXIT_HARNESS;
        out->strides = loader_true(l, -1, "strides");
        out->in_place = loader_true(l, -1, "in_place");
        out->rejected = loader_true(l, -1, "rejected");
        out->lifecycle = loader_true(l, -1, "lifecycle");
    }
    lua_pop(l->L, 1);
    return 0;
}

static int load_sources_compile_sentences(struct loader *l, int op)
{
    struct spec_sentences *s = &l->spec->sentences;
    s->page = s->informative = pool_string(&l->set->pool, "");
    lua_getfield(l->L, op, "sentences");
    if (lua_istable(l->L, -1)) {
        s->page = loader_text(l, -1, "page");
        s->first = loader_integer(l, -1, "first");
        s->last = loader_integer(l, -1, "last");
        s->informative = loader_text(l, -1, "informative");
        if (!*s->page || s->first < 1 || s->last < s->first || s->last > SPEC_MAX_SENTENCES)
            return loader_fail(l, "sentences: expected { page = \"…\", first = N, last = N, informative = \"…\" }");
    }
    lua_pop(l->L, 1);
    return 0;
}

static int compile_examples(struct loader *l, int op)
{
    lua_getfield(l->L, op, "examples");
    size_t count = lua_istable(l->L, -1) ? lua_rawlen(l->L, -1) : 0;
    l->spec->examples = pool_alloc(&l->set->pool, (count + 1) * sizeof *l->spec->examples);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        if (!lua_istable(l->L, -1) || strcmp(loader_text(l, -1, "kind"), "example") != 0)
            return loader_fail(l, "examples: entry %zu is not made by example", i + 1);
        l->spec->examples[i] = (struct spec_example){.id = loader_text(l, -1, "id"),
                                                     .pages = loader_text(l, -1, "page"),
                                                     .ruling = loader_text(l, -1, "ruling")};
        l->spec->example_count++;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return 0;
}

int compile_sources(struct loader *l, int op)
{
    const char *introduced = loader_text(l, op, "introduced");
    if (*introduced)
        l->spec->rules[spec_find_rule(l->spec, "introduced")].pages = introduced;
    return load_sources_compile_sentences(l, op) || compile_examples(l, op) ? EXIT_HARNESS : 0;
}

int compile_rulings(struct loader *l)
{
    lua_getfield(l->L, -1, "list");
    size_t count = lua_rawlen(l->L, -1);
    l->set->rulings = pool_alloc(&l->set->pool, (count + 1) * sizeof *l->set->rulings);
    for (size_t i = 0; i < count; i++) {
        lua_rawgeti(l->L, -1, (lua_Integer)i + 1);
        if (!lua_istable(l->L, -1))
            return loader_fail(l, "rulings: expected { \"A1\", \"in one line\" }");
        struct ruling *ruling = &l->set->rulings[i];
        lua_rawgeti(l->L, -1, 1);
        lua_rawgeti(l->L, -2, 2);
        if (lua_type(l->L, -2) != LUA_TSTRING || lua_type(l->L, -1) != LUA_TSTRING)
            return loader_fail(l, "rulings: expected { \"A1\", \"in one line\" }");
        ruling->id = pool_string(&l->set->pool, lua_tostring(l->L, -2));
        ruling->text = pool_string(&l->set->pool, lua_tostring(l->L, -1));
        lua_pop(l->L, 2);
        ruling->unused = loader_text(l, -1, "unused");
        for (size_t j = 0; j < i; j++)
            if (strcmp(l->set->rulings[j].id, ruling->id) == 0)
                return loader_fail(l, "rulings: '%s' occurs twice", ruling->id);
        l->set->ruling_count++;
        lua_pop(l->L, 1);
    }
    lua_pop(l->L, 1);
    return 0;
}
