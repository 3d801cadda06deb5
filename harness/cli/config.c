#include "harness/cli/config.h"

#include "harness/base/input.h"
#include "harness/base/owner.h"
#include "harness/base/text.h"
#include "harness/cli/cmd.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MAX = 64, RANK_USER = 1, RANK_PROJECT = 3, RANK_PROFILE = 10 };

struct reader {
    struct option_settings *out;
    const char *file;
    const char *folder; /* in which relative paths begin; "": the current one */
    unsigned line;
    unsigned rank; /* of lines before the first section */
    const struct command *section;
    const char *wanted;  /* profile; null: none */
    const char *profile; /* of the section; null: none */
    const char *profiles[NAMES_MAX];
    size_t profile_count; /* seen in all files */
};

/* ---- where the files are */

static bool config_join(char path[PATHS_SIZE], const char *folder, const char *name)
{
    return (size_t)snprintf(path, PATHS_SIZE, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name) < PATHS_SIZE;
}

/* Returns true if a .assay in a parent folder may be trusted. A link may lead to a folder that others can write. */
static bool is_ours(const char *path, const struct stat *folder)
{
    struct stat status;
    int file = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    bool ours = file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode) && owner_is_us(&status) &&
                owner_is_us(folder);
    if (file >= 0)
        close(file);
    return ours;
}

/* Returns true if the search for .assay ends with this folder. */
static bool is_top(const char *folder)
{
    const char *home = getenv("HOME");
    char path[PATHS_SIZE];
    return strcmp(folder, "/") == 0 || (home && strcmp(folder, home) == 0) ||
           (config_join(path, folder, ".git") && access(path, F_OK) == 0);
}

static void find_above(struct config_files *files)
{
    char folder[PATHS_SIZE], path[PATHS_SIZE];
    struct stat first, status;
    if (!getcwd(folder, sizeof folder) || stat(folder, &first) != 0)
        return;
    while (!is_top(folder)) {
        char *slash = strrchr(folder, '/');
        slash[slash == folder] = '\0';
        if (stat(folder, &status) != 0 || status.st_dev != first.st_dev || !config_join(path, folder, ".assay"))
            return;
        if (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (is_ours(path, &status)) {
            strcpy(files->project, path);
            strcpy(files->folder, folder);
        } else {
            strcpy(files->ignored, path);
        }
        return;
    }
}

void config_find(struct config_files *files)
{
    const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    *files = (struct config_files){.project = ".assay"};
    if (base && *base == '/') {
        if (!config_join(files->user, base, "assay/config"))
            *files->user = '\0';
    } else if (home && *home == '/' && !config_join(files->user, home, ".config/assay/config")) {
        *files->user = '\0';
    }
    if (access(".assay", F_OK) != 0)
        find_above(files);
}

/* ---- values that are paths */

/* Returns the place in an option's value at which a path begins; null: the value has no path. */
static const char *find_path(const struct option *option, const char *value)
{
    static const char *const names[] = {"FILE", "DIR", "PATH", "DB", "DEVICE"};
    const char *argument = option->argument ? option->argument : "", *equals = strchr(value, '=');
    if (strncmp(argument, "FORMAT", 6) == 0)
        return equals ? equals + 1 : NULL;
    if (strcmp(argument, "PERMISSION") == 0)
        return equals && (strncmp(value, "write=", 6) == 0 || strncmp(value, "read=", 5) == 0) ? equals + 1 : NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(argument, names[i]) == 0)
            return value;
    return NULL;
}

/* Returns true if a text in the place of a path is a path: "-" is standard input, "reference" the name of a device. */
static bool is_path(const struct option *option, const char *path)
{
    size_t length = strcspn(path, ":");
    if (strcmp(option->argument, "DEVICE") != 0)
        return *path && strcmp(path, "-") != 0;
    return memchr(path, '/', length) || (length > 3 && strncmp(path + length - 3, ".so", 3) == 0);
}

/* Returns the value with "~/" at the start of a path replaced by the home folder, and a relative path begun in the
 * folder of the file. */
static const char *config_resolve(const struct reader *r, const struct option *option, const char *value)
{
    const char *path = find_path(option, value), *home = getenv("HOME");
    if (!path || !is_path(option, path))
        return value;
    int before = (int)(path - value);
    if (path[0] == '~' && (path[1] == '/' || path[1] == '\0') && home)
        return pool_format(&r->out->pool, "%.*s%s%s", before, value, home, path + 1);
    if (!*r->folder || *path == '/')
        return value;
    if (path[0] == '.' && path[1] == '/')
        path += 2;
    return pool_format(&r->out->pool, "%.*s%s/%s", before, value, strcmp(r->folder, "/") == 0 ? "" : r->folder, path);
}

/* ---- reading */

static void config_add(struct option_settings *out, const struct option_setting *setting)
{
    if ((out->count & (out->count - 1)) == 0) { /* full: the capacity is a power of two */
        struct option_setting *larger = pool_alloc(&out->pool, (out->count ? 2 * out->count : 1) * sizeof *larger);
        if (out->count)
            memcpy(larger, out->items, out->count * sizeof *larger);
        out->items = larger;
    }
    out->items[out->count++] = *setting;
}

static const struct command *find_command(const char *name, const char **near)
{
    const char *names[NAMES_MAX];
    size_t count = 0;
    for (size_t i = 0; cmd_all[i] && count < NAMES_MAX; i++) {
        if (cmd_all[i]->hidden)
            continue;
        names[count++] = cmd_all[i]->name;
        if (!strcmp(cmd_all[i]->name, name))
            return cmd_all[i];
    }
    *near = words_nearest(name, names, count);
    return NULL;
}

/* Takes the NAME of "profile NAME …" off `text`, and returns the rest. */
static int read_profile(struct reader *r, char **text, struct error *error)
{
    char *name = *text + strlen("profile "), *end;
    name += strspn(name, " \t");
    end = name + strcspn(name, " \t");
    *text = end + strspn(end, " \t");
    *end = '\0';
    if (!*name)
        return error_set(error, EXIT_USAGE, "expected the name of a profile, such as [profile ci]");
    r->profile = pool_string(&r->out->pool, name);
    if (r->profile_count < NAMES_MAX)
        r->profiles[r->profile_count++] = r->profile;
    return 0;
}

static int read_section(struct reader *r, char *text, struct error *error)
{
    const char *near;
    size_t length = strlen(text);
    int status = 0;
    if (text[length - 1] != ']')
        return error_set(error, EXIT_USAGE, "expected a section, such as [run], got \"%s\"", text);
    text[length - 1] = '\0';
    text++;
    r->section = NULL;
    r->profile = NULL;
    if (strncmp(text, "profile ", 8) == 0 && ((status = read_profile(r, &text, error)) || !*text))
        return status;
    r->section = find_command(text, &near);
    if (r->section)
        return 0;
    return error_set(error, EXIT_USAGE, "no command is named \"%s\"%s%s%s", text, near ? "; did you mean " : "",
                     near ? near : "", near ? "?" : "");
}

/* Returns the option that a line sets, of the section's command or of any command. Null: there is none; `near` is the
 * nearest name, or null. */
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
    if (status || (r->profile && (!r->wanted || strcmp(r->profile, r->wanted) != 0)))
        return status;
    config_add(r->out,
               &(struct option_setting){.command = r->section,
                                        .name = text,
                                        .value = config_resolve(r, option, value),
                                        .file = r->file,
                                        .line = r->line,
                                        .rank = r->rank + (r->section ? 1 : 0) + (r->profile ? RANK_PROFILE : 0)});
    return 0;
}

static int config_read_line(struct reader *r, const char *from, size_t length, struct error *error)
{
    char *line = pool_copy(&r->out->pool, from, length + 1), *text = line + strspn(line, " \t");
    if (strlen(line) != length)
        return error_set(error, EXIT_USAGE, "the line contains a zero byte");
    for (char *end = line + length; end > text && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    if (!*text || *text == '#')
        return 0;
    return *text == '[' ? read_section(r, text, error) : read_setting(r, text, error);
}

static int config_read_file(struct reader *r, const char *path, const char *folder, unsigned rank, struct error *error)
{
    r->file = pool_string(&r->out->pool, path);
    r->folder = folder;
    r->rank = rank;
    r->line = 0;
    r->section = NULL;
    r->profile = NULL;
    uint64_t size;
    struct error unread = {0};
    char *text = input_file(path, "a file of settings", INPUT_MAX, &size, &unread);
    int status = 0;
    if (!text)
        return errno == ENOENT || errno == ENOTDIR ? 0 : error_set(error, EXIT_USAGE, "%s", unread.text);
    for (char *line = text + text_mark(text, size), *end = text + size; line < end && !status;) {
        char *past = memchr(line, '\n', (size_t)(end - line));
        past = past ? past : end;
        *past = '\0';
        r->line++;
        status = config_read_line(r, line, (size_t)(past - line), error);
        if (status)
            error_context(error, "%s:%u", path, r->line);
        line = past + 1;
    }
    free(text);
    return status;
}

static int no_such_profile(const struct reader *r, const struct config_files *files, struct error *error)
{
    const char *near = words_nearest(r->wanted, r->profiles, r->profile_count);
    return error_set(error, EXIT_USAGE, "--profile-name: neither %s nor %s has [profile %s]%s%s%s", files->project,
                     *files->user ? files->user : "a file in ~/.config", r->wanted, near ? "; did you mean " : "",
                     near ? near : "", near ? "?" : "");
}

int config_load(const char *profile, struct option_settings *out, struct error *error)
{
    struct config_files files;
    struct reader r = {.out = out, .wanted = profile};
    *out = (struct option_settings){.count = 0};
    config_find(&files);
    if (*files.ignored)
        fprintf(
            stderr,
            "assay: %s is ignored: it is a link or no file, it or its folder belongs to another user, or others can "
            "write to it\n",
            files.ignored);
    int status = *files.user ? config_read_file(&r, files.user, "", RANK_USER, error) : 0;
    if (status == 0)
        status = config_read_file(&r, files.project, files.folder, RANK_PROJECT, error);
    bool found = !profile;
    for (size_t i = 0; i < r.profile_count && !found; i++)
        found = strcmp(r.profiles[i], profile) == 0;
    return status || found ? status : no_such_profile(&r, &files, error);
}
