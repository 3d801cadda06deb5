/* assay fuzz promote: makes a case of a finding's smallest description, an entry in the list of
 * cases/regressions.lua. */
#include "harness/check/check.h"
#include "harness/cli/cmd_fuzz.h"

#include "harness/results/fuzz_store.h"
#include "harness/describe/desc_text.h"
#include "harness/base/fileuse.h"
#include "harness/base/input.h"
#include "harness/base/outfile.h"
#include "harness/base/paths.h"
#include "harness/base/random.h"
#include "harness/case/testcase.h"
#include "harness/plan/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char mark[] = "  -- assay fuzz promote: next";

/* The list of cases that a finding is added to. */
struct promoting {
    const struct spec_set *specs;
    const char *specs_folder, *path;
};

/* Writes a list with a new entry before `after`. */
static int write_list(const char *path, const char *before, const char *entry, const char *after, struct error *error)
{
    struct outfile file;
    int result = outfile_open(&file, path, error);
    if (result)
        return result;
    errno = 0;
    fwrite(before, 1, (size_t)(after - before), file.out);
    fprintf(file.out, "%s%s", entry, after);
    return outfile_end(&file, !ferror(file.out), "", error);
}

/* Plans the cases of a list. */
static int plan_list(const struct promoting *p, const char *path, struct error *error)
{
    const struct plan_sources sources = {.paths = &path, .count = 1};
    const struct plan_filter all = {0};
    struct plan plan;
    int result = plan_make_apart(&plan, p->specs, p->specs_folder, &sources, &all, error);
    if (result == 0)
        plan_free(&plan);
    return result;
}

/* Checks in a scratch folder that the list with the new entry can be planned: the finding may be a stranger's, and no
 * command could plan the suite with a wrong case in it. */
static int promote_check_list(const struct promoting *p, const char *before, const char *entry, const char *after,
                              struct error *error)
{
    const char *base = getenv("TMPDIR");
    char folder[PATHS_SIZE], path[PATHS_SIZE + 32];
    snprintf(folder, sizeof folder, "%s/assay-promote-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(folder))
        return error_set(error, EXIT_HARNESS, "%s: %m; expected a folder for scratch files", folder);
    snprintf(path, sizeof path, "%s/regressions.lua", folder);
    struct error wrong = {0};
    int result = write_list(path, before, entry, after, error);
    if (result == 0 && (result = plan_list(p, path, &wrong)) != 0) {
        const char *place = strstr(wrong.text, path);
        error_set(error, wrong.status, "%s is as it was, since the case would not load: %s", p->path,
                  place ? place + strlen(folder) + 1 : wrong.text);
    }
    unlink(path);
    rmdir(folder);
    return result;
}

/* Writes the entry for the list. EXIT_USAGE: by the rules of the last feature level the finding makes no case. */
static int make_entry(const struct spec_set *specs, const struct fuzz_finding *finding, char *entry, size_t size,
                      struct error *error)
{
    const struct spec *spec = &specs->specs[finding->desc.op];
    char text[FUZZ_TEXT], more[160] = "";
    int broken[2] = {-1, -1};
    int count = rules_check(spec, &finding->desc, spec->levels[spec->level_count - 1].level, broken, 2);
    desc_text_print(spec, &finding->desc, text, sizeof text);
    if (count > 1 || (count == 1 && spec->rules[broken[0]].strength == STRENGTH_OPEN))
        return error_set(error, EXIT_USAGE, "'%s' cannot become a case: at the last feature level it breaks %s", text,
                         count > 1 ? "several rules" : "an open rule");
    if (count == 1)
        snprintf(more, sizeof more, " rejected = \"%s\",", spec->rules[broken[0]].id);
    size_t used = strlen(more);
    if (finding->executed)
        snprintf(more + used, sizeof more - used, " fill = \"%s\", indices = \"%s\",", fill_names[finding->data.fill],
                 index_fill_names[finding->data.indices]);
    snprintf(entry, size, "  { id = \"%s-%06x\", operator = \"%s\",%s\n    description = \"%s\" },\n",
             finding->rule < 0 ? "legal" : spec->rules[finding->rule].id,
             (unsigned)(random_hash(text, random_hash(more, 0)) & 0xffffff), spec->name, more, text);
    return 0;
}

static int promote_one(const struct promoting *p, const struct fuzz_finding *finding, struct error *error)
{
    const char *path = p->path;
    char entry[2 * FUZZ_TEXT];
    int result = make_entry(p->specs, finding, entry, sizeof entry, error);
    if (result)
        return result;
    uint64_t length;
    char *file = input_file(path, "the list of cases", INPUT_MAX, &length, error),
         *at = file ? strstr(file, mark) : NULL;
    if (!file)
        return (int)error->status;
    if (!at)
        result = error_set(error, EXIT_HARNESS, "%s: expected the line '%s'", path, mark);
    else if (strstr(file, entry))
        printf("%s already has it:\n%s", path, entry);
    else if ((result = promote_check_list(p, file, entry, at, error)) == 0 &&
             (result = write_list(path, file, entry, at, error)) == 0)
        printf("added to %s:\n%s", path, entry);
    free(file);
    return result;
}

/* The list of cases replaces no database and no spec, wherever links lead. */
static int fuzz_promote_check_files(const char *specs_folder, const char *path, const char *database,
                                    struct error *error)
{
    struct fileuse files = {0};
    fileuse_add(&files, FILEUSE_INPUT, "--specs", specs_folder);
    fileuse_add(&files, FILEUSE_SOURCE, "--db", database);
    fileuse_add(&files, FILEUSE_OUTPUT, "--cases", path);
    return fileuse_check(&files, error);
}

static bool is_installed(const char *folder)
{
    static const char end[] = "/share/assay/cases";
    size_t length = strlen(folder);
    return length >= sizeof end - 1 && strcmp(folder + length - (sizeof end - 1), end) == 0;
}

int cmd_fuzz_promote(const struct spec_set *specs, const char *specs_folder, const char *cases, const char *database,
                     const struct word_list *ids, struct error *error)
{
    char folder[PATHS_SIZE], path[PATHS_SIZE + 32];
    int result = paths_folder("cases", cases, folder, error);
    if (result == 0 && !cases && is_installed(folder))
        result =
            error_set(error, EXIT_USAGE,
                      "%s is installed, and the next installation would undo the change; copy it, and name the copy "
                      "with --cases DIR",
                      folder);
    snprintf(path, sizeof path, "%s/regressions.lua", folder);
    if (result == 0)
        result = fuzz_promote_check_files(specs_folder, path, database, error);
    if (result == 0 && ids->count < 2)
        result = error_set(error, EXIT_USAGE, "promote takes the ids of findings, as the view fuzz_findings has them");
    const struct promoting p = {specs, specs_folder, path};
    for (size_t i = 1; i < ids->count && result == 0; i++) {
        struct fuzz_finding finding;
        char *end;
        long long id = strtoll(ids->items[i], &end, 10);
        if (*end || end == ids->items[i])
            return error_set(error, EXIT_USAGE, "'%s': expected the number of a finding", ids->items[i]);
        result = fuzz_store_find(database, specs, id, &finding, error);
        if (result == 0)
            result = promote_one(&p, &finding, error);
    }
    return result;
}
