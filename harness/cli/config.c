#include "harness/cli/config.h"

#include "harness/cli/cmd.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct option_settings *out;
    const char *file;
    unsigned line;
    unsigned rank; /* of lines before the first section */
    const struct command *section;
};

void config_paths(const char *paths[CONFIG_FILES])
{
    static char user[PATHS_SIZE];
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length = 0;
    if (base && *base == '/')
        length = snprintf(user, sizeof user, "%s/assay/config", base);
    else if (home && *home == '/')
        length = snprintf(user, sizeof user, "%s/.config/assay/config", home);
    paths[0] = length > 0 && (size_t)length < sizeof user ? user : NULL;
    paths[1] = ".assay";
}

static void add(struct option_settings *out, const struct option_setting *setting)
{
    if ((out->count & (out->count - 1)) == 0) { /* full: the capacity is a power of two */
        struct option_setting *larger = pool_alloc(&out->pool, (out->count ? 2 * out->count : 1) * sizeof *larger);
        if (out->count)
            memcpy(larger, out->items, out->count * sizeof *larger);
        out->items = larger;
    }
    out->items[out->count++] = *setting;
}

static int read_section(struct reader *r, char *text, struct error *error)
{
    const char *names[64], *near;
    size_t count = 0, length = strlen(text);
    if (text[length - 1] != ']')
        return error_set(error, EXIT_USAGE, "expected a section, such as [run], got \"%s\"", text);
    text[length - 1] = '\0';
    text++;
    for (size_t i = 0; cmd_all[i]; i++) {
        if (cmd_all[i]->hidden)
            continue;
        names[count++] = cmd_all[i]->name;
        if (!strcmp(cmd_all[i]->name, text)) {
            r->section = cmd_all[i];
            return 0;
        }
    }
    near = words_nearest(text, names, count);
    return error_set(error, EXIT_USAGE, "no command is named \"%s\"%s%s%s", text, near ? "; did you mean " : "",
                     near ? near : "", near ? "?" : "");
}

/* The option that a line sets, of the section's command or of any command. Null: there is none; `near` is the nearest
 * name, or null. */
static const struct option *find_option(const struct reader *r, const char *name, const char **near)
{
    *near = NULL;
    for (size_t i = 0; cmd_all[i]; i++) {
        if (cmd_all[i]->hidden || (r->section && cmd_all[i] != r->section))
            continue;
        const struct option *option = options_find(cmd_all[i], name, strlen(name));
        if (option)
            return option;
        const char *nearest = *near ? NULL : options_nearest_option(cmd_all[i], name);
        if (nearest && options_find(cmd_all[i], nearest, strlen(nearest))) /* options_common cannot be set */
            *near = nearest;
    }
    return NULL;
}

static int read_setting(struct reader *r, char *text, struct error *error)
{
    char *value = strchr(text, '='), *end;
    const char *near;
    if (!value)
        return error_set(error, EXIT_USAGE, "expected OPTION = VALUE, got \"%s\"", text);
    *value++ = '\0';
    value += strspn(value, " \t");
    for (end = text + strlen(text); end > text && isblank((unsigned char)end[-1]);)
        *--end = '\0';
    const struct option *option = find_option(r, text, &near);
    if (!option)
        return error_set(error, EXIT_USAGE, "%s%s has %s option \"%s\"%s%s%s", r->section ? "the command " : "",
                         r->section ? r->section->name : "no command", r->section ? "no" : "an", text,
                         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    int status = options_check(option, value, error);
    if (status)
        return status;
    add(r->out, &(struct option_setting){.command = r->section,
                                         .name = text,
                                         .value = value,
                                         .file = r->file,
                                         .line = r->line,
                                         .rank = r->rank + (r->section ? 1 : 0)});
    return 0;
}

static int read_line(struct reader *r, const char *from, size_t length, struct error *error)
{
    char *line = pool_copy(&r->out->pool, from, length + 1), *text = line + strspn(line, " \t");
    if (strlen(line) != length)
        return error_set(error, EXIT_USAGE, "the line contains a zero byte");
    for (char *end = line + length; end > text && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    return !*text || *text == '#' ? 0 : *text == '[' ? read_section(r, text, error) : read_setting(r, text, error);
}

static int read_file(struct option_settings *out, const char *path, unsigned rank, struct error *error)
{
    struct reader r = {.out = out, .file = pool_string(&out->pool, path), .rank = rank};
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t size = 0;
    int status = 0;
    if (!file)
        return errno == ENOENT || errno == ENOTDIR ? 0 : error_set(error, EXIT_USAGE, "%s: %m", path);
    while (!status) {
        ssize_t length = getline(&line, &size, file);
        if (length < 0)
            break;
        r.line++;
        status = read_line(&r, line, (size_t)length, error);
        if (status)
            error_context(error, "%s:%u", path, r.line);
    }
    if (!status && ferror(file))
        status = error_set(error, EXIT_USAGE, "%s: %m", path);
    free(line);
    fclose(file);
    return status;
}

int config_load(struct option_settings *out, struct error *error)
{
    const char *paths[CONFIG_FILES];
    int status = 0;
    *out = (struct option_settings){.count = 0};
    config_paths(paths);
    for (unsigned i = 0; i < CONFIG_FILES && !status; i++)
        status = paths[i] ? read_file(out, paths[i], 1 + 2 * i, error) : 0;
    return status;
}
