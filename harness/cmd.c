#include "harness/cmd.h"

#include "harness/runner.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command *const cmd_all[] = {&cmd_devices,    &cmd_list,     &cmd_show,   &cmd_run,
                                         &cmd_repro,      &cmd_spec,     &cmd_config, &cmd_manual,
                                         &cmd_completion, &cmd_complete, &cmd_worker, NULL};

static void on_signal(int signal)
{
    (void)signal;
    runner_interrupt();
}

void cmd_catch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}

int cmd_load_specs(const struct cmd_source *source, struct cmd_plan *out, struct error *error)
{
    memset(out, 0, sizeof *out);
    int result = paths_folder("specs", source->specs, out->specs_folder, error);
    return result ? result : spec_set_load(&out->specs, out->specs_folder, error);
}

/* The name, or front part of one with as many dots, that a filter which matches none may mean; "" if nothing is near.
 * A ".*" at its end stays. */
static void nearest_filter(const struct plan *plan, const char *pattern, char *near, size_t size)
{
    size_t length = strlen(pattern), dots = 0, count = 0;
    bool star = length > 2 && !strcmp(pattern + length - 2, ".*");
    char *bare = strndup(pattern, star ? length - 2 : length), **fronts = calloc(plan->count, sizeof *fronts);
    *near = '\0';
    for (const char *dot = bare; dot && (dot = strchr(dot, '.')); dot++)
        dots++;
    for (size_t i = 0; bare && fronts && i < plan->count; i++) {
        const char *end = plan->cases[i].name;
        for (size_t skipped = 0; *end && (*end != '.' || skipped++ < dots);)
            end++;
        size_t width = (size_t)(end - plan->cases[i].name);
        bool again = count && !strncmp(fronts[count - 1], plan->cases[i].name, width) && !fronts[count - 1][width];
        if (!again && (fronts[count] = strndup(plan->cases[i].name, width)))
            count++;
    }
    const char *found = bare ? options_nearest(bare, (const char *const *)fronts, count) : NULL;
    if (found)
        snprintf(near, size, "%s%s", found, star ? ".*" : "");
    for (size_t i = 0; i < count; i++)
        free(fronts[i]);
    free(fronts);
    free(bare);
}

/* Adds to the text of EXIT_NO_MATCH what may have been meant. */
static void suggest_filter(const struct cmd_plan *in, struct plan_filter filter, struct error *error)
{
    struct plan all;
    struct error ignored = {0};
    char near[512] = "";
    const struct option_list patterns = {filter.patterns, filter.pattern_count};
    filter.pattern_count = 0;
    if (plan_make(&all, &in->specs, in->cases_folder, &filter, &ignored))
        return;
    for (size_t i = 0; i < patterns.count && !*near; i++) {
        size_t hits = 0;
        for (size_t j = 0; j < all.count && !hits; j++)
            hits += plan_matches(patterns.items[i], all.cases[j].name);
        if (hits == 0)
            nearest_filter(&all, patterns.items[i], near, sizeof near);
    }
    size_t used = strlen(error->text);
    if (*near)
        snprintf(error->text + used, sizeof error->text - used, "; did you mean '%s'?", near);
    plan_free(&all);
}

int cmd_load(const struct cmd_source *source, const struct option_list *patterns, struct cmd_plan *out,
             struct error *error)
{
    struct plan_filter filter = {.patterns = patterns->items,
                                 .pattern_count = patterns->count,
                                 .operators = source->operators.items,
                                 .operator_count = source->operators.count,
                                 .levels = source->levels.items,
                                 .level_count = source->levels.count};
    int result = cmd_load_specs(source, out, error);
    if (result == 0)
        result = paths_folder("cases", source->cases, out->cases_folder, error);
    if (result == 0)
        result = plan_make(&out->plan, &out->specs, out->cases_folder, &filter, error);
    if (result == EXIT_NO_MATCH && patterns->count)
        suggest_filter(out, filter, error);
    if (result)
        cmd_unload(out);
    return result;
}

void cmd_unload(struct cmd_plan *plan)
{
    plan_free(&plan->plan);
    if (plan->specs.script)
        spec_set_free(&plan->specs);
}

static int no_such_case(const struct plan *plan, const char *name, struct error *error)
{
    const char **names = calloc(plan->count, sizeof *names);
    for (size_t i = 0; names && i < plan->count; i++)
        names[i] = plan->cases[i].name;
    const char *near = names ? options_nearest(name, names, plan->count) : NULL;
    error_set(error, EXIT_NO_MATCH, "no case is named '%s'%s%s%s; `assay list` prints the names", name,
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    free(names);
    return EXIT_NO_MATCH;
}

int cmd_load_case(const struct cmd_source *source, const char *name, struct cmd_plan *out, const struct testcase **c,
                  struct error *error)
{
    /* The operator is the name's first part: the others need not be planned. */
    char lead[64];
    const char *operator_name = lead;
    struct cmd_source narrowed = *source;
    size_t length = strcspn(name, ".");
    int result = cmd_load_specs(source, out, error);
    if (result)
        return result;
    if (length < sizeof lead) {
        memcpy(lead, name, length);
        lead[length] = '\0';
        if (narrowed.operators.count == 0 && spec_set_find(&out->specs, lead) >= 0)
            narrowed.operators = (struct option_list){.items = &operator_name, .count = 1};
    }
    cmd_unload(out);
    result = cmd_load(&narrowed, &(struct option_list){0}, out, error);
    if (result)
        return result;
    for (size_t i = 0; i < out->plan.count; i++)
        if (strcmp(out->plan.cases[i].name, name) == 0) {
            *c = &out->plan.cases[i];
            return 0;
        }
    result = no_such_case(&out->plan, name, error);
    cmd_unload(out);
    return result;
}
