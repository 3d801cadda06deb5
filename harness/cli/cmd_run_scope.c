/* The options and filters that choose the cases of a run: as the database stores them, and for a command. */
#include "harness/cli/cmd_run.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the words, quoted for a shell, with spaces between them. */
static const char *quoted(struct pool *pool, const struct word_list *words)
{
    const char *all = "";
    for (size_t i = 0; i < words->count; i++) {
        size_t size = 4 * strlen(words->items[i]) + 3;
        char *word = pool_alloc(pool, size);
        all = pool_format(pool, "%s%s%s", all, i ? " " : "", text_quoted(word, size, words->items[i]));
    }
    return all;
}

static const char *run_scope_source_of(struct pool *pool, const struct cmd_source *source)
{
    size_t room = 2 + 2 * (source->cases.count + source->case_lists.count);
    struct word_list words = {.items = pool_alloc(pool, room * sizeof *words.items)};
    if (source->specs) {
        words.items[words.count++] = "--specs";
        words.items[words.count++] = source->specs;
    }
    for (size_t i = 0; i < source->cases.count; i++) {
        words.items[words.count++] = "--cases";
        words.items[words.count++] = source->cases.items[i];
    }
    for (size_t i = 0; i < source->case_lists.count; i++) {
        words.items[words.count++] = "--case-list";
        words.items[words.count++] = source->case_lists.items[i];
    }
    return quoted(pool, &words);
}

/* Returns the filters of the command line, and those of --exclude as "not FILTER". */
static const char *filters_of(struct pool *pool, const struct cmd_source *source, const struct word_list *filters)
{
    size_t room = filters->count + 2 * source->exclude.count + 1;
    struct word_list words = {.items = pool_alloc(pool, room * sizeof *words.items)};
    for (size_t i = 0; i < filters->count; i++)
        words.items[words.count++] = filters->items[i];
    for (size_t i = 0; i < source->exclude.count; i++) {
        words.items[words.count++] = "not";
        words.items[words.count++] = source->exclude.items[i];
    }
    return quoted(pool, &words);
}

struct store_scope cmd_run_scope(struct pool *pool, const struct cmd_source *source, const struct word_list *filters)
{
    struct store_scope scope = {.filters = filters_of(pool, source, filters),
                                .operators = quoted(pool, &source->operators),
                                .levels = quoted(pool, &source->levels),
                                .tier = source->tier ? source->tier : "",
                                .source = run_scope_source_of(pool, source),
                                .half = source->half};
    scope.whole_plan =
        !*scope.filters && source->operators.count == 0 && source->levels.count == 0 && !*scope.tier && !*scope.source;
    return scope;
}

void cmd_run_reproduce_options(const struct cmd_source *source, char text[CMD_REPRODUCE_OPTIONS])
{
    char quoted[CMD_REPRODUCE_OPTIONS];
    *text = '\0';
    if (source->specs)
        snprintf(text, CMD_REPRODUCE_OPTIONS, " --specs %s", text_quoted(quoted, sizeof quoted, source->specs));
    for (size_t i = 0; i < source->cases.count; i++)
        snprintf(text + strlen(text), CMD_REPRODUCE_OPTIONS - strlen(text), " --cases %s",
                 text_quoted(quoted, sizeof quoted, source->cases.items[i]));
    for (size_t i = 0; i < source->allow.count; i++)
        snprintf(text + strlen(text), CMD_REPRODUCE_OPTIONS - strlen(text), " --allow %s",
                 text_quoted(quoted, sizeof quoted, source->allow.items[i]));
    if (source->half)
        snprintf(text + strlen(text), CMD_REPRODUCE_OPTIONS - strlen(text), " --half");
}
