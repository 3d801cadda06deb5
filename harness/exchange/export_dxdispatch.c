/* Exports a case as a folder that DxDispatch runs on real DirectML. `assay verify` then judges the outputs. */
#include "harness/exchange/export.h"

#include "harness/trial/compare.h"
#include "harness/base/datatype.h"
#include "harness/base/dml_names.h"
#include "harness/base/npy.h"
#include "harness/describe/desc_json.h"
#include "harness/describe/field_kind.h"
#include "harness/base/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void export_tensor_file(char *path, size_t size, const char *folder, const char *tensor, const char *what)
{
    snprintf(path, size, "%s%s%s%s.npy", folder, *folder ? "/" : "", tensor, what);
}

static int make_folder(const char *folder, struct error *error)
{
    if (mkdir(folder, 0777) == 0)
        return 0;
    if (errno != EEXIST)
        return error_set(error, EXIT_HARNESS, "%s: %m", folder);
    DIR *dir = opendir(folder);
    if (!dir)
        return error_set(error, EXIT_HARNESS, "%s: %m", folder);
    int entries = 0;
    while (readdir(dir))
        entries++;
    closedir(dir);
    return entries <= 2 ? 0 : error_set(error, EXIT_USAGE, "%s: expected a new or empty folder", folder);
}

uint64_t export_buffer_bytes(const struct opdesc_tensor *t)
{
    uint64_t unit = datatype_of(t->data_type)->bits > 32 ? 8 : 4;
    return (t->total + unit - 1) / unit * unit;
}

/* Returns true if the buffer holds the elements in row-major order and no more padding than DxDispatch adds itself. */
static bool is_packed(const struct opdesc_tensor *t)
{
    uint64_t bytes = elements_bytes(datatype_of(t->data_type)->bits, (uint64_t)opdesc_elements(t));
    return !t->has_strides && datatype_of(t->data_type)->bits >= 8 && (bytes + 3) / 4 * 4 == export_buffer_bytes(t);
}

static int write_tensor(const struct export *e, int item, const char *folder, const char *what, const uint8_t *data,
                        struct error *error)
{
    const struct opdesc_tensor *t = &e->c.desc->items[item].tensor;
    unsigned type = npy_type_of(t->data_type), width = datatype_of(type)->bits;
    uint32_t count = (uint32_t)(export_buffer_bytes(t) / elements_bytes(width, 1));
    char path[PATHS_SIZE];
    export_tensor_file(path, sizeof path, folder, e->c.spec->tensor_names[item], what);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    int wrong = -1;
    if (file >= 0 && is_packed(t))
        wrong = npy_write(file, type, t->dims, t->sizes, data, elements_bytes(width, (uint64_t)opdesc_elements(t)));
    else if (file >= 0)
        wrong = npy_write(file, type, 1, &count, data, export_buffer_bytes(t));
    wrong |= file >= 0 ? close(file) : 0;
    return wrong ? error_set(error, EXIT_HARNESS, "%s: %s", path, strerror(errno)) : 0;
}

/* Writes inputs, expected outputs, and the outputs' contents before the dispatch: the complement of the expected
 * output, so that bytes that are not written are found; an input that has the output's memory gives its own
 * contents. */
static int write_tensors(const struct export *e, const char *folder, struct error *error)
{
    int result = 0;
    for (int i = -1; result == 0 && (i = testcase_next_tensor(&e->c, i)) >= 0;) {
        if (field_is_input(spec_tensor_field(e->c.spec, i))) {
            result = write_tensor(e, i, folder, "", e->tensors[i], error);
            continue;
        }
        uint64_t bytes = export_buffer_bytes(&e->c.desc->items[i].tensor);
        uint8_t *before = malloc(bytes);
        if (!before)
            return error_set(error, EXIT_HARNESS, "out of memory");
        for (uint64_t at = 0; at < bytes; at++)
            before[at] = (uint8_t)~e->tensors[i][at];
        result = write_tensor(e, i, folder, ".expected", e->tensors[i], error);
        if (result == 0)
            result = testcase_input_of(&e->c, i) >= 0 ? 0 : write_tensor(e, i, folder, ".before", before, error);
        free(before);
    }
    return result;
}

/* ---- model.json */

/* `input`: the input that has the output's memory; null: none has. The data type is in the .npy file, too, but not
 * every version of DxDispatch looks there first. */
static void add_buffer(json_t *resources, const char *name, const char *input, bool output, unsigned type)
{
    char path[128];
    export_tensor_file(path, sizeof path, "", input ? input : name, output && !input ? ".before" : "");
    json_object_set_new(resources, name,
                        json_pack("{s:s, s:{s:s}}", "initialValuesDataType", datatype_of(npy_type_of(type))->name,
                                  "initialValues", "sourcePath", path));
}

/* Returns the command that writes an output to the file that `assay verify` reads. */
static json_t *write_command(const char *name, const struct opdesc_tensor *t)
{
    char path[128];
    export_tensor_file(path, sizeof path, "", name, "");
    json_t *command = json_pack("{s:s, s:s, s:s}", "type", "writeFile", "resource", name, "targetPath", path);
    json_t *dimensions = json_array();
    for (uint32_t i = 0; i < t->dims; i++)
        json_array_append_new(dimensions, json_integer(t->sizes[i]));
    if (is_packed(t) && t->dims > 0)
        json_object_set(command, "dimensions", dimensions);
    json_decref(dimensions);
    return command;
}

/* Binds the resource of a tensor. An array of tensors has an array of resources. */
static void export_dxdispatch_bind(json_t *bindings, const struct spec_field *field, const char *name)
{
    if (!field_kinds[field->kind].is_array) {
        json_object_set_new(bindings, field->name, json_string(name));
        return;
    }
    if (!json_object_get(bindings, field->name))
        json_object_set_new(bindings, field->name, json_array());
    json_array_append_new(json_object_get(bindings, field->name), json_string(name));
}

/* Removes members that are null: DxDispatch takes a missing one as a null pointer, and refuses null. */
static void remove_nulls(json_t *fields)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe(fields, next, name, value) if (json_is_null(value)) json_object_del(fields, name);
}

static json_t *make_model(const struct export *e)
{
    const struct spec *spec = e->c.spec;
    json_t *resources = json_object(), *bindings = json_object(), *dispatchable = json_object(),
           *commands = json_array(), *writes = json_array();
    char type[80];
    bool good = desc_json_write(dispatchable, spec, e->c.desc);
    remove_nulls(json_object_get(dispatchable, "desc"));
    snprintf(type, sizeof type, "DML_OPERATOR_%s", dml_operator_old_name(spec->type)); /* DxDispatch knows only these */
    json_object_set_new(dispatchable, "type", json_string(type));
    if (e->half)
        json_object_set_new(dispatchable, "executionFlags",
                            json_pack("[s]", "DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION"));
    for (int i = -1; e->c.expect == EXPECT_RESULTS && (i = testcase_next_tensor(&e->c, i)) >= 0;) {
        const struct spec_field *field = spec_tensor_field(spec, i);
        const struct opdesc_tensor *t = &e->c.desc->items[i].tensor;
        int output = testcase_output_of(&e->c, i), input = testcase_input_of(&e->c, i);
        if (output < 0)
            add_buffer(resources, spec->tensor_names[i], input < 0 ? NULL : spec->tensor_names[input],
                       field_is_output(field), t->data_type);
        export_dxdispatch_bind(bindings, field, spec->tensor_names[output < 0 ? i : output]);
        if (field_is_output(field))
            json_array_append_new(writes, write_command(spec->tensor_names[i], t));
    }
    if (e->c.expect != EXPECT_RESULTS) { /* DxDispatch prints it only once all dispatchables have been accepted */
        json_object_set_new(resources, EXPORT_ACCEPTED,
                            json_pack("{s:s, s:[i]}", "initialValuesDataType", "UINT32", "initialValues", 1));
        json_array_append_new(commands, json_pack("{s:s, s:s}", "type", "print", "resource", EXPORT_ACCEPTED));
    } else
        json_array_append_new(commands, json_pack("{s:s, s:s, s:O}", "type", "dispatch", "dispatchable", spec->lower,
                                                  "bindings", bindings));
    json_array_extend(commands, writes);
    json_decref(bindings);
    json_decref(writes);
    json_t *model = json_pack("{s:o, s:{s:o}, s:o}", "resources", resources, "dispatchables", spec->lower, dispatchable,
                              "commands", commands);
    if (good)
        return model;
    json_decref(model);
    return NULL;
}

static int write_model(const struct export *e, const char *folder, struct error *error)
{
    char path[PATHS_SIZE];
    json_t *model = make_model(e);
    snprintf(path, sizeof path, "%s/model.json", folder);
    int wrong = !model || json_dump_file(model, path, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    json_decref(model);
    if (!wrong)
        return 0;
    return error_set(error, EXIT_HARNESS, "%s: %s", path, model ? strerror(errno) : "out of memory");
}

static int write_readme(const struct export *e, const char *folder, struct error *error)
{
    char path[PATHS_SIZE];
    snprintf(path, sizeof path, "%s/README.txt", folder);
    FILE *file = fopen(path, "w");
    if (!file)
        return error_set(error, EXIT_HARNESS, "%s: %m", path);
    fprintf(file,
            "%s\n\n"
            "On Windows, in this folder:\n\n"
            "    dxdispatch.exe model.json > %s 2>&1\n\n"
            "Copy the folder with the files that it wrote back, then run\n\n"
            "    assay verify %sFOLDER\n\n"
            "which tells whether DirectML did what is documented.\n",
            e->c.name, EXPORT_LOG, e->half ? "--half " : "");
    return fclose(file) == 0 ? 0 : error_set(error, EXIT_HARNESS, "%s: %m", path);
}

int export_dxdispatch(const struct export *e, const struct spec_set *specs, const char *folder, struct error *error)
{
    char path[PATHS_SIZE];
    const char *beyond = desc_json_beyond(e->c.spec, e->c.desc);
    if (beyond)
        return error_set(error, EXIT_USAGE, "%s: a model for DxDispatch cannot express %s", e->c.name, beyond);
    if ((size_t)snprintf(path, sizeof path, "%s/" EXPORT_CASE, folder) >= sizeof path - 128)
        return error_set(error, EXIT_USAGE, "the name of the folder is too long");
    int result = make_folder(folder, error);
    if (result == 0)
        result = export_json(e, specs, path, error);
    if (result == 0 && e->c.expect == EXPECT_RESULTS)
        result = write_tensors(e, folder, error);
    if (result == 0)
        result = write_model(e, folder, error);
    return result ? result : write_readme(e, folder, error);
}
