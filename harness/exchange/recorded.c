#include "harness/exchange/recorded.h"

#include "harness/plan/casefile.h"
#include "harness/base/datatype.h"
#include "harness/exchange/export.h"
#include "harness/describe/marshal.h"
#include "harness/base/npy.h"
#include "harness/base/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct assay_device {
    struct recorded recorded;
    DML_FEATURE_LEVEL level;
    char message[512];
};

struct assay_operator {
    char nothing;
};

struct assay_compiled {
    char nothing;
};

/* ---- the output of DxDispatch */

/* Returns the first failed HRESULT in a line: eight hexadecimal digits with the highest bit set; E_FAIL if there is
 * none. */
static HRESULT find_result(const char *line)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    for (const char *at = line; *at; at++) {
        size_t length = strspn(at, digits);
        if (length == 8 && strchr("89abcdefABCDEF", *at))
            return (HRESULT)strtoul(at, NULL, 16);
        at += length ? length - 1 : 0;
    }
    return E_FAIL;
}

static void recorded_read_line(struct recorded *r, const char *line)
{
    static const char running[] = "Running on '";
    const char *name = strstr(line, running);
    bool creating = strstr(line, "ERROR creating dispatchable"), starting = strstr(line, "ERROR while initializing");
    if (name && !*r->name) {
        name += sizeof running - 1;
        snprintf(r->name, sizeof r->name, "%.*s", (int)strcspn(name, "'"), name);
    }
    r->accepted |= strstr(line, "Resource '" EXPORT_ACCEPTED "'") != NULL;
    for (int i = -1; (i = testcase_next_tensor(&r->c, i)) >= 0;) {
        char report[128];
        snprintf(report, sizeof report, "Resource '%s' written", r->c.spec->tensor_names[i]);
        r->written |= strstr(line, report) ? 1u << i : 0;
    }
    if ((!creating && !starting) || FAILED(r->created) || FAILED(r->compiled))
        return;
    *(creating ? &r->created : &r->compiled) = find_result(line);
    snprintf(r->message, sizeof r->message, "%s", line);
}

/* Converts UTF-16, in which Windows' shells redirect output, to its low bytes: the text that matters is ASCII. */
static void recorded_narrow(char *text, uint64_t *size)
{
    uint64_t to = 0;
    if (*size < 2 || (uint8_t)text[0] != 0xFF || (uint8_t)text[1] != 0xFE)
        return;
    for (uint64_t from = 2; from < *size; from += 2)
        text[to++] = text[from];
    *size = to;
}

/* Reads the log. Returns false if there is none. */
static bool read_log(struct recorded *r, const char *folder)
{
    char path[PATHS_SIZE];
    struct error nothing = {0};
    uint64_t size;
    snprintf(path, sizeof path, "%s/" EXPORT_LOG, folder);
    char *text = (char *)npy_load(path, &size, &nothing);
    if (!text)
        return false;
    recorded_narrow(text, &size);
    text[size] = '\0';
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\r\n"));)
        recorded_read_line(r, line);
    free(text);
    return true;
}

/* ---- the outputs */

static int read_output(struct recorded *r, int field, const char *folder, bool logged, struct error *error)
{
    const struct opdesc_tensor *t = &r->c.desc->items[field].tensor;
    uint64_t needed = elements_bytes(datatype_of(t->data_type)->bits, (uint64_t)opdesc_extent(t));
    char path[PATHS_SIZE];
    struct npy npy;
    export_tensor_file(path, sizeof path, folder, r->c.spec->tensor_names[field], "");
    if (access(path, F_OK) != 0)
        return error_set(error, EXIT_HARNESS,
                         "%s: %m; DxDispatch writes it: run `dxdispatch.exe model.json` in that folder", path);
    if (logged && !(r->written >> field & 1))
        return error_set(error, EXIT_HARNESS,
                         "%s/" EXPORT_LOG ": does not report that %s was written; expected the output of the run of "
                         "DxDispatch that wrote it",
                         folder, r->c.spec->tensor_names[field]);
    if (npy_read(path, &npy, error))
        return EXIT_HARNESS;
    r->outputs[field] =
        (struct literal){.data = npy.data, .count = (uint32_t)(npy.size < t->total ? npy.size : t->total)};
    if (npy.type != npy_type_of(t->data_type))
        return error_set(error, EXIT_HARNESS, "%s: expected elements of type %s, found %s", path,
                         datatype_of(npy_type_of(t->data_type))->name, datatype_of(npy.type)->name);
    if (npy.size < needed || npy.size > export_buffer_bytes(t))
        return error_set(error, EXIT_HARNESS, "%s: expected %llu bytes of elements, found %llu", path,
                         (unsigned long long)t->total, (unsigned long long)npy.size);
    return 0;
}

/* The folder may be without this file. */
static void recorded_read_before(struct recorded *r, int field, const char *folder)
{
    char path[PATHS_SIZE];
    struct npy npy;
    struct error ignored = {0};
    export_tensor_file(path, sizeof path, folder, r->c.spec->tensor_names[field], ".before");
    if (access(path, R_OK) == 0 && npy_read(path, &npy, &ignored) == 0)
        r->before[field] = (struct literal){.data = npy.data, .count = (uint32_t)npy.size};
}

static int read_case(struct recorded *r, const char *folder, const struct spec_set *specs, struct error *error)
{
    char path[PATHS_SIZE];
    struct json_cursor file;
    snprintf(path, sizeof path, "%s/" EXPORT_CASE, folder);
    int result = json_cursor_open(path, false, &file, error);
    if (result)
        return result;
    struct json_cursor cases = json_cursor_member(&file, "cases"), first = json_cursor_entry(&cases, 0);
    result = json_cursor_array(&cases, error);
    if (result == 0 && json_array_size(cases.value) != 1)
        result = json_cursor_error(&cases, error, "expected one case");
    if (result == 0)
        result = casefile_read(&first, specs, NULL, NULL, &r->pool, &r->c, error);
    json_cursor_close(&file);
    return result;
}

int recorded_load(struct recorded *r, const char *folder, const struct spec_set *specs, struct error *error)
{
    *r = (struct recorded){.c = {.spec = NULL}};
    if (strlen(folder) > PATHS_SIZE - 256)
        return error_set(error, EXIT_HARNESS, "the name of the folder is too long");
    int result = read_case(r, folder, specs, error);
    if (result)
        return result;
    bool logged = read_log(r, folder);
    bool rejected = FAILED(r->created) || FAILED(r->compiled);
    if (r->c.expect != EXPECT_RESULTS) {
        r->c.literals = NULL; /* nothing was run, so given outputs cannot be held */
        if (rejected || r->accepted)
            return 0;
        return error_set(error, EXIT_HARNESS,
                         "%s/" EXPORT_LOG ": %s; expected the output of DxDispatch, which tells whether the operator "
                         "was accepted",
                         folder, logged ? "reports neither acceptance nor an error" : "no such file");
    }
    for (int i = -1; result == 0 && !rejected && (i = testcase_next_tensor(&r->c, i)) >= 0;)
        if (field_is_output(spec_tensor_field(r->c.spec, i)) &&
            (result = read_output(r, i, folder, logged, error)) == 0)
            recorded_read_before(r, i, folder);
    return result;
}

void recorded_free(struct recorded *r)
{
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        free((void *)(uintptr_t)r->outputs[i].data), free((void *)(uintptr_t)r->before[i].data);
    pool_clear(&r->pool);
}

/* ---- the device */

/* Splits "level=5_0,FOLDER" or "FOLDER" and returns the folder; null: there is no such level. Without a level, the
 * highest one: the recording does not tell which level the implementation has. */
static const char *recorded_read_arguments(const char *text, DML_FEATURE_LEVEL *level)
{
    static const char key[] = "level=";
    char name[16];
    *level = level_all[SPEC_MAX_LEVELS - 1];
    if (strncmp(text, key, sizeof key - 1) != 0 || !strchr(text, ','))
        return text;
    text += sizeof key - 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ","), text);
    *level = level_find(name);
    return *level ? strchr(text, ',') + 1 : NULL;
}

static HRESULT recorded_create_device(const struct spec_set *specs, const assay_device_config *config,
                                      assay_device **out, char *message, size_t message_size)
{
    struct error error = {0};
    DML_FEATURE_LEVEL level;
    const char *folder = recorded_read_arguments(config->arguments, &level);
    assay_device *device = calloc(1, sizeof *device);
    if (!folder)
        snprintf(message, message_size, "unknown feature level; expected level=5_0,FOLDER or FOLDER");
    if (!device || !folder) {
        free(device);
        return folder ? E_OUTOFMEMORY : E_INVALIDARG;
    }
    device->level = level;
    if (recorded_load(&device->recorded, folder, specs, &error)) {
        snprintf(message, message_size, "%s", error.text);
        recorded_free(&device->recorded);
        free(device);
        return E_INVALIDARG;
    }
    *out = device;
    return S_OK;
}

static void recorded_destroy_device(assay_device *device)
{
    if (device)
        recorded_free(&device->recorded);
    free(device);
}

static HRESULT recorded_describe(assay_device *device, assay_device_info *info)
{
    const char *name = device->recorded.name;
    info->feature_level = device->level;
    snprintf(info->name, sizeof info->name, "%s", *name ? name : "recorded");
    snprintf(info->driver, sizeof info->driver, "recorded by DxDispatch");
    info->max_batch = 1;
    return S_OK;
}

static BOOL recorded_supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    (void)device, (void)type;
    return 1;
}

static HRESULT recorded_create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    const struct testcase *c = &device->recorded.c;
    struct opdesc asked;
    snprintf(device->message, sizeof device->message, "%s", device->recorded.message);
    if (FAILED(device->recorded.created))
        return device->recorded.created;
    if (desc->Type == c->spec->type)
        marshal_read(c->spec, desc, &asked);
    if (desc->Type != c->spec->type || !testcase_same_desc(c->spec, &asked, c->desc)) {
        snprintf(device->message, sizeof device->message, "the recording is of another description");
        return DXGI_ERROR_UNSUPPORTED;
    }
    *out = calloc(1, sizeof **out);
    return *out ? S_OK : E_OUTOFMEMORY;
}

static void recorded_destroy_operator(assay_device *device, assay_operator *op)
{
    (void)device;
    free(op);
}

static HRESULT recorded_compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                         assay_compiled **out)
{
    (void)op, (void)flags;
    if (FAILED(device->recorded.compiled))
        return device->recorded.compiled;
    *out = calloc(1, sizeof **out);
    return *out ? S_OK : E_OUTOFMEMORY;
}

static void recorded_destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    (void)device;
    free(compiled);
}

/* Bytes that equal those before the recorded dispatch count as not written. */
static void write_output(const struct recorded *r, int field, uint8_t *to)
{
    const uint8_t *bytes = r->outputs[field].data, *before = r->before[field].data;
    for (uint32_t i = 0; i < r->outputs[field].count; i++)
        if (!before || i >= r->before[field].count || before[i] != bytes[i])
            to[i] = bytes[i];
}

static HRESULT recorded_dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                                 assay_dispatch_result *out)
{
    const struct recorded *r = &device->recorded;
    for (uint32_t n = 0; n < count; n++) {
        uint32_t output = 0;
        for (int i = -1; (i = spec_next_tensor(r->c.spec, r->c.desc, i)) >= 0;) {
            if (!field_is_output(spec_tensor_field(r->c.spec, i)))
                continue;
            const assay_binding *to = &items[n].outputs[output++];
            if (r->c.desc->items[i].tensor.present) /* the binding of an absent output is empty */
                write_output(r, i, (uint8_t *)to->base + to->offset);
        }
        out[n] = (assay_dispatch_result){.status = S_OK};
    }
    return S_OK;
}

static const char *recorded_message(assay_device *device)
{
    return device->message;
}

static const assay_device_api api = {.abi = ASSAY_DEVICE_ABI,
                                     .size = sizeof api,
                                     .destroy_device = recorded_destroy_device,
                                     .describe = recorded_describe,
                                     .supports_data_type = recorded_supports_data_type,
                                     .create_operator = recorded_create_operator,
                                     .destroy_operator = recorded_destroy_operator,
                                     .compile_operator = recorded_compile_operator,
                                     .destroy_compiled = recorded_destroy_compiled,
                                     .dispatch = recorded_dispatch,
                                     .message = recorded_message};

const struct builtin_device recorded_device = {.name = "recorded", .api = &api, .create = recorded_create_device};
