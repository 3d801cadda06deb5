/* assay mustpass: the lists of cases that a claim of conformance names. */
#include "harness/base/input.h"
#include "harness/cli/cmd.h"
#include "harness/plan/case_name.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { VERSIONS_MAX = 64 };

/* A list is compressed, since it names some hundred thousand cases. */
static const char ending[] = ".txt.gz";
enum { ENDING_LENGTH = sizeof ending - 1 };

/* Lists the versions of the lists in the folder, "1.0" of "1.0.txt.gz", sorted. */
struct versions {
    char *names[VERSIONS_MAX];
    size_t count;
};

static int by_version(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static int find_versions(const char *folder, struct versions *versions, struct error *error)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return error_set(error, EXIT_HARNESS, "%s: %m; expected the mustpass lists", folder);
    for (struct dirent *entry; (entry = readdir(dir)) && versions->count < VERSIONS_MAX;) {
        size_t length = strlen(entry->d_name);
        if (length > ENDING_LENGTH && entry->d_name[0] != '.' &&
            strcmp(entry->d_name + length - ENDING_LENGTH, ending) == 0 &&
            (versions->names[versions->count] = strndup(entry->d_name, length - ENDING_LENGTH)))
            versions->count++;
    }
    closedir(dir);
    qsort(versions->names, versions->count, sizeof *versions->names, by_version);
    return 0;
}

/* Prints the list and, with `counts`, only its version and how many cases it names. */
static int mustpass_print_list(const char *folder, const char *version, bool counts, struct error *error)
{
    char path[PATHS_SIZE + 160], line[CASE_NAME_SIZE + 2];
    size_t cases = 0;
    snprintf(path, sizeof path, "%s/%.64s%s", folder, version, ending);
    int descriptor = input_open(path, "a mustpass list", INPUT_MAX, NULL, error);
    gzFile file = descriptor < 0 ? NULL : gzdopen(descriptor, "r");
    if (!file)
        return descriptor < 0 ? (int)error->status : error_set(error, EXIT_HARNESS, "out of memory");
    while (gzgets(file, line, sizeof line)) {
        cases += *line != '#' && *line != '\n';
        if (!counts)
            fputs(line, stdout);
    }
    int problem = Z_OK;
    gzerror(file, &problem);
    if (problem == Z_ERRNO)
        error_set(error, EXIT_HARNESS, "%s: %m", path);
    else if (problem != Z_OK && problem != Z_STREAM_END)
        error_set(error, EXIT_HARNESS, "%s: the compressed list is damaged", path);
    else if (counts)
        printf("%s  %zu cases\n", version, cases);
    gzclose_r(file);
    return (int)error->status;
}

static int cmd_mustpass_run(const void *values, const struct word_list *arguments, struct error *error)
{
    char cases[PATHS_SIZE], folder[PATHS_SIZE + 16];
    struct versions versions = {.count = 0};
    (void)values;
    if (arguments->count > 1)
        return error_set(error, EXIT_USAGE, "expected `assay mustpass` or `assay mustpass VERSION`");
    int result = paths_cases(NULL, cases, error);
    snprintf(folder, sizeof folder, "%s/mustpass", cases);
    if (result == 0)
        result = find_versions(folder, &versions, error);
    bool found = arguments->count == 0;
    for (size_t i = 0; i < versions.count && result == 0; i++) {
        bool asked = arguments->count > 0 && strcmp(versions.names[i], arguments->items[0]) == 0;
        found |= asked;
        if (asked || arguments->count == 0)
            result = mustpass_print_list(folder, versions.names[i], !asked, error);
    }
    if (result == 0 && !found) {
        char known[WORDS_TEXT];
        words_text((const char *const *)versions.names, versions.count, known, sizeof known);
        result =
            error_set(error, EXIT_NO_MATCH, "no mustpass list is named '%s'; expected %s", arguments->items[0], known);
    }
    for (size_t i = 0; i < versions.count; i++)
        free(versions.names[i]);
    return result;
}

static const struct option options[] = {{0}};

const struct command cmd_mustpass = {
    .name = "mustpass",
    .arguments = "[VERSION]",
    .summary = "print the list of cases that a conformant device must pass",
    .examples = "assay mustpass\n"
                "assay mustpass 1.1 | assay run -d ./mydevice.so --case-list -\n",
    .notes =
        "A list never changes once it is published, whatever cases are added: passing it means the same on any day, "
        "and no case that it names is ever renamed or removed. It has all cases that belong to no tier and whose "
        "deviations fail; those that test rulings of this project alone (soft rules) are left out. The first lines of "
        "a list name the operators of each feature level that it covers; the cases follow by level, and a device skips "
        "those above the level that it promises. Without VERSION, prints the names of the lists.\n",
    .options = options,
    .values_size = 1,
    .run = cmd_mustpass_run};
