#include "harness/cli/cmd_run.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Finds the file NAME.expected beside NAME.so, if there is one. */
static bool find_beside(const char *device, char path[PATHS_SIZE])
{
    char name[PATHS_SIZE], library[PATHS_SIZE];
    size_t length;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(device, ":"), device);
    if (paths_device(name, library, NULL) != 0)
        return false;
    length = strlen(library);
    if (length > 3 && strcmp(library + length - 3, ".so") == 0)
        length -= 3;
    return (size_t)snprintf(path, PATHS_SIZE, "%.*s.expected", (int)length, library) < PATHS_SIZE &&
           access(path, F_OK) == 0;
}

static int run_expect_load(struct cmd_run_expect *e, const char *path, bool found, struct error *error)
{
    size_t used = strlen(e->sources);
    snprintf(e->sources + used, sizeof e->sources - used, "%s%s%s", used ? ", " : "", path,
             found ? " (beside the device; --no-expect leaves it out)" : "");
    return expect_load(&e->expect, path, found, error);
}

int cmd_run_expect_load(struct cmd_run_expect *e, const char *device, const struct word_list *files, bool beside,
                        struct error *error)
{
    char path[PATHS_SIZE];
    int result = beside && find_beside(device, path) ? run_expect_load(e, path, true, error) : 0;
    for (size_t i = 0; i < files->count && result == 0; i++)
        result = run_expect_load(e, files->items[i], false, error);
    return result;
}

void cmd_run_expect_free(struct cmd_run_expect *e)
{
    expect_free(&e->expect);
}

enum { PRINTED_MAX = 20 };

struct stale_lines {
    const char *device;
    size_t count;
};

static void run_expect_print_stale(void *context, const struct expect_line *line, const char *what)
{
    struct stale_lines *lines = context;
    if (lines->count++ >= PRINTED_MAX)
        return;
    fputs("assay: ", stderr);
    text_print(stderr, line->file);
    fprintf(stderr, ":%u: device '", line->number);
    text_print(stderr, lines->device);
    fputs("': ", stderr);
    text_print(stderr, what);
    putc('\n', stderr);
}

int cmd_run_expect_end(const struct cmd_run_expect *e, const char *device, const struct cmd_source *source,
                       size_t *stale, struct error *error)
{
    struct cmd_source whole = {.specs = source->specs,
                               .cases = source->cases,
                               .keep_going = true,
                               .unread = true,
                               .quiet = true,
                               .allow = source->allow};
    struct cmd_plan plan, others = {0};
    struct stale_lines lines = {.device = device};
    size_t fresh = 0;
    *stale = 0;
    for (size_t i = 0; i < e->expect.count; i++)
        fresh += e->expect.lines[i].applies && strncmp(e->expect.lines[i].reason, EXPECT_NEW, strlen(EXPECT_NEW)) == 0;
    if (fresh > 0)
        fprintf(stderr,
                "assay: device '%s': %zu expectations are still marked '" EXPECT_NEW "'; replace that by a reason\n",
                device, fresh);
    if (!expect_in_doubt(&e->expect))
        return 0;
    int result = cmd_load(&whole, &(struct word_list){0}, &plan, error);
    if (result)
        return result;
    struct word_list undecided = {.items = calloc(e->expect.count + 1, sizeof *undecided.items)};
    if (!undecided.items)
        result = error_set(error, EXIT_HARNESS, "out of memory");
    else
        undecided.count = expect_undecided(&e->expect, &plan.plan, undecided.items);
    whole.tier = "all";
    whole.may_miss = true;
    if (result == 0 && undecided.count > 0)
        result = cmd_load(&whole, &undecided, &others, error);
    free(undecided.items);
    if (result) {
        cmd_unload(&plan);
        return result;
    }
    *stale = expect_stale(&e->expect, &plan.plan, &others.plan, source->specs || source->cases.count,
                          run_expect_print_stale, &lines);
    if (*stale > PRINTED_MAX)
        fprintf(stderr, "assay: device '%s': %zu more lines are stale; `assay expect update` removes them\n", device,
                *stale - PRINTED_MAX);
    cmd_unload(&others);
    cmd_unload(&plan);
    return 0;
}
