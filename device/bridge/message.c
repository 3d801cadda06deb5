#include "device/bridge/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const type_names[] = {
    [DML_TENSOR_DATA_TYPE_FLOAT32] = "FLOAT32", [DML_TENSOR_DATA_TYPE_FLOAT16] = "FLOAT16",
    [DML_TENSOR_DATA_TYPE_UINT32] = "UINT32",   [DML_TENSOR_DATA_TYPE_UINT16] = "UINT16",
    [DML_TENSOR_DATA_TYPE_UINT8] = "UINT8",     [DML_TENSOR_DATA_TYPE_INT32] = "INT32",
    [DML_TENSOR_DATA_TYPE_INT16] = "INT16",     [DML_TENSOR_DATA_TYPE_INT8] = "INT8",
    [DML_TENSOR_DATA_TYPE_FLOAT64] = "FLOAT64", [DML_TENSOR_DATA_TYPE_UINT64] = "UINT64",
    [DML_TENSOR_DATA_TYPE_INT64] = "INT64",
};
enum { TYPES = sizeof type_names / sizeof *type_names };

static const struct {
    const char *name;
    HRESULT value;
} statuses[] = {
    {"S_OK", S_OK},
    {"E_FAIL", E_FAIL},
    {"E_INVALIDARG", E_INVALIDARG},
    {"E_OUTOFMEMORY", E_OUTOFMEMORY},
    {"DXGI_ERROR_UNSUPPORTED", DXGI_ERROR_UNSUPPORTED},
    {"DXGI_ERROR_DEVICE_REMOVED", DXGI_ERROR_DEVICE_REMOVED},
};

/* ---- operators */

/* The documented fields of each operator, and where struct descriptor has the attributes. */
struct attribute {
    const char *name;
    size_t offset;
};

#define ATTRIBUTE(name, member)                                                                                        \
    {                                                                                                                  \
        name, offsetof(struct descriptor, member)                                                                      \
    }
#define AXIS ATTRIBUTE("Axis", axis)
#define COUNTS                                                                                                         \
    ATTRIBUTE("InputDimensionCount", input_dimension_count), ATTRIBUTE("IndicesDimensionCount", indices_dimension_count)
#define GATHERS                                                                                                        \
    {"InputTensor", "IndicesTensor"},                                                                                  \
    {                                                                                                                  \
        "OutputTensor"                                                                                                 \
    }
#define SCATTERS                                                                                                       \
    {"InputTensor", "IndicesTensor", "UpdatesTensor"},                                                                 \
    {                                                                                                                  \
        "OutputTensor"                                                                                                 \
    }

static const struct {
    DML_OPERATOR_TYPE type;
    const char *name;
    const char *inputs[DESCRIPTOR_MAX_INPUTS], *outputs[DESCRIPTOR_MAX_OUTPUTS];
    struct attribute attributes[3];
} operators[] = {
    {DML_OPERATOR_GATHER, "GATHER", GATHERS, {AXIS, ATTRIBUTE("IndexDimensions", index_dimensions)}},
    {DML_OPERATOR_GATHER_ELEMENTS, "GATHER_ELEMENTS", GATHERS, {AXIS}},
    {DML_OPERATOR_GATHER_ND, "GATHER_ND", GATHERS, {COUNTS}},
    {DML_OPERATOR_GATHER_ND1, "GATHER_ND1", GATHERS, {COUNTS, ATTRIBUTE("BatchDimensionCount", batch_dimension_count)}},
    {DML_OPERATOR_SCATTER_ELEMENTS, "SCATTER_ELEMENTS", SCATTERS, {AXIS}},
    {DML_OPERATOR_SCATTER_ND, "SCATTER_ND", SCATTERS, {COUNTS}},
    {DML_OPERATOR_NONZERO_COORDINATES,
     "NONZERO_COORDINATES",
     {"InputTensor"},
     {"OutputCountTensor", "OutputCoordinatesTensor"},
     {{0}}},
};
enum { OPERATORS = sizeof operators / sizeof *operators };
_Static_assert((int)OPERATORS == (int)MESSAGE_OPERATORS, "message.h has an element for each operator");

static json_t *numbers(const uint32_t *values, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(array, json_integer(values[i]));
    return array;
}

static json_t *tensor(const struct tensor *t, int packed)
{
    uint64_t bytes = packed ? t->count * t->element_size : t->bytes;
    return json_pack("{s:s, s:o, s:o, s:I}", "DataType", type_names[t->type], "Sizes", numbers(t->sizes, t->rank),
                     "Strides", packed ? json_null() : numbers(t->strides, t->rank), "TotalTensorSizeInBytes",
                     (json_int_t)bytes);
}

json_t *message_operator(const struct descriptor *d, int packed)
{
    size_t which = 0;
    json_t *desc = json_object();
    while (which < OPERATORS - 1 && operators[which].type != d->type)
        which++;
    for (uint32_t i = 0; i < d->input_count; i++)
        json_object_set_new(desc, operators[which].inputs[i], tensor(&d->inputs[i], packed));
    for (uint32_t i = 0; i < d->output_count; i++)
        json_object_set_new(desc, operators[which].outputs[i], tensor(&d->outputs[i], packed));
    for (const struct attribute *a = operators[which].attributes; a->name && a < operators[which].attributes + 3; a++) {
        uint32_t value;
        memcpy(&value, (const char *)d + a->offset, sizeof value);
        json_object_set_new(desc, a->name, json_integer(value));
    }
    return json_pack("{s:s, s:o}", "Type", operators[which].name, "Desc", desc);
}

/* ---- sending and receiving */

int message_send(struct peer *peer, const char *kind, const char *name, json_t *body, const struct peer_bytes *parts,
                 size_t count)
{
    json_t *request = json_pack("{s:s}", "request", kind);
    if (name)
        json_object_set_new(request, name, body);
    char *text = json_dumps(request, JSON_COMPACT);
    int good = text ? peer_send(peer, text, strlen(text), parts, count)
                    : peer_lose(peer, "no memory for a request to the peer");
    free(text);
    json_decref(request);
    return good;
}

json_t *message_receive(struct peer *peer, uint64_t *data_size)
{
    size_t size;
    json_error_t error;
    char *text = peer_receive(peer, &size, data_size);
    if (!text)
        return NULL;
    json_t *answer = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error), *own;
    if (!answer || !json_is_object(answer))
        peer_lose(peer, "the peer's answer is not a JSON object: %s: \"%.60s\"", answer ? "another value" : error.text,
                  text);
    else if ((own = json_object_get(answer, "error")) != NULL)
        peer_lose(peer, "the peer says: %.400s", json_is_string(own) ? json_string_value(own) : "an error");
    free(text);
    if (!*peer->problem)
        return answer;
    json_decref(answer);
    return NULL;
}

/* ---- answers */

static int find_type(const char *name)
{
    for (int i = 0; i < TYPES && name; i++)
        if (type_names[i] && !strcmp(type_names[i], name))
            return i;
    return -1;
}

/* Turns "6_4" into 0x6400. Does not check that the level exists: assay does. */
static int read_level(const char *text, DML_FEATURE_LEVEL *out)
{
    unsigned major, minor;
    char rest;
    if (sscanf(text, "%1u_%1u%c", &major, &minor, &rest) != 2)
        return 0;
    *out = (DML_FEATURE_LEVEL)(major << 12 | minor << 8);
    return 1;
}

/* Reads a list of data types; `what` names it in errors. */
static int read_types(struct peer *peer, const char *what, json_t *types, uint32_t *out)
{
    size_t i;
    json_t *type;
    if (!json_is_array(types))
        return peer_lose(peer, "the peer's answer to hello: %s is not an array", what);
    json_array_foreach(types, i, type)
    {
        int found = find_type(json_string_value(type));
        if (found < 0)
            return peer_lose(peer, "the peer's answer to hello: %s: \"%.40s\" is not a data type such as FLOAT32", what,
                             json_is_string(type) ? json_string_value(type) : "(no text)");
        *out |= 1u << found;
    }
    return 1;
}

static const char *tensor_name(size_t which, uint32_t tensor)
{
    return tensor < DESCRIPTOR_MAX_INPUTS ? operators[which].inputs[tensor]
                                          : operators[which].outputs[tensor - DESCRIPTOR_MAX_INPUTS];
}

/* Reads what the peer says about one operator. */
static int read_operator(struct peer *peer, size_t which, json_t *about, struct message_hello *out)
{
    struct message_support *entry = &out->operators[which];
    json_int_t rank = DESCRIPTOR_MAX_DIMENSIONS;
    json_t *types = NULL, *list;
    const char *name;
    json_error_t error;
    if (json_unpack_ex(about, &error, JSON_STRICT, "{s?I, s?o}", "max_rank", &rank, "types", &types) != 0)
        return peer_lose(peer, "the peer's answer to hello: operators: %s: %s", operators[which].name, error.text);
    if (rank < 1 || rank > DESCRIPTOR_MAX_DIMENSIONS || (types && !json_is_object(types)))
        return peer_lose(peer, "the peer's answer to hello: operators: %s: %s", operators[which].name,
                         types && !json_is_object(types) ? "types is not an object" : "max_rank must be from 1 to 8");
    entry->known = 1;
    entry->max_rank = (uint32_t)rank;
    for (uint32_t i = 0; i < MESSAGE_TENSORS; i++)
        entry->types[i] = out->data_types;
    json_object_foreach(types, name, list)
    {
        uint32_t i = 0, mask = 0;
        while (i < MESSAGE_TENSORS && (!tensor_name(which, i) || strcmp(tensor_name(which, i), name) != 0))
            i++;
        if (i == MESSAGE_TENSORS)
            return peer_lose(peer, "the peer's answer to hello: operators: %s has no tensor \"%.40s\"",
                             operators[which].name, name);
        if (!read_types(peer, name, list, &mask))
            return 0;
        entry->types[i] = mask;
    }
    return 1;
}

static int read_operators(struct peer *peer, json_t *list, struct message_hello *out)
{
    const char *name;
    json_t *about;
    if (!json_is_object(list))
        return peer_lose(peer, "the peer's answer to hello: operators is not an object");
    json_object_foreach(list, name, about)
    {
        size_t which = 0;
        while (which < OPERATORS && strcmp(operators[which].name, name) != 0)
            which++;
        if (which == OPERATORS)
            return peer_lose(peer, "the peer's answer to hello: \"%.40s\" is not an operator such as GATHER", name);
        if (!read_operator(peer, which, about, out))
            return 0;
    }
    return 1;
}

static size_t find_operator(DML_OPERATOR_TYPE type)
{
    size_t which = 0;
    while (which < OPERATORS && operators[which].type != type)
        which++;
    return which;
}

int message_has_operator(const struct message_hello *hello, DML_OPERATOR_TYPE type)
{
    size_t which = find_operator(type);
    return which < OPERATORS && hello->operators[which].known;
}

int message_takes(const struct message_hello *hello, const struct descriptor *d, char *text, size_t size)
{
    size_t which = find_operator(d->type);
    const struct message_support *entry = &hello->operators[which];
    if (d->inputs[0].rank > entry->max_rank) {
        snprintf(text, size, "the peer supports up to %u dimensions, not %u", entry->max_rank, d->inputs[0].rank);
        return 0;
    }
    for (uint32_t i = 0; i < d->input_count + d->output_count; i++) {
        uint32_t at = i < d->input_count ? i : DESCRIPTOR_MAX_INPUTS + i - d->input_count;
        const struct tensor *tensor = i < d->input_count ? &d->inputs[i] : &d->outputs[i - d->input_count];
        if (!(hello->data_types & entry->types[at] & 1u << tensor->type)) {
            snprintf(text, size, "the peer does not support %s of %s", tensor_name(which, at),
                     type_names[tensor->type]);
            return 0;
        }
    }
    return 1;
}

int message_read_hello(struct peer *peer, json_t *answer, struct message_hello *out)
{
    const char *name = "", *driver = "", *version = "", *level = NULL;
    json_int_t bytes = 0, batch = 64;
    json_t *types = NULL, *list = NULL;
    json_error_t error;
    *out = (struct message_hello){0};
    if (json_unpack_ex(answer, &error, JSON_STRICT, "{s:s, s:o, s:o, s?s, s?s, s?s, s?I, s?I, s?b, s?b}", "name", &name,
                       "data_types", &types, "operators", &list, "driver", &driver, "version", &version,
                       "feature_level", &level, "max_tensor_bytes", &bytes, "max_batch", &batch, "strides",
                       &out->strides, "compile", &out->compile) != 0)
        return peer_lose(peer, "the peer's answer to hello: %s", error.text);
    if (level && !read_level(level, &out->info.feature_level))
        return peer_lose(peer, "the peer's answer to hello: \"%.20s\" is not a feature level such as 6_4", level);
    if (bytes < 0 || batch < 1 || batch > UINT32_MAX)
        return peer_lose(peer, "the peer's answer to hello: max_tensor_bytes must be 0 or more, max_batch 1 or more");
    snprintf(out->info.name, sizeof out->info.name, "%s", name);
    snprintf(out->info.driver, sizeof out->info.driver, "%s", driver);
    snprintf(out->info.version, sizeof out->info.version, "%s", version);
    out->info.max_tensor_bytes = (uint64_t)bytes;
    out->info.max_batch = (uint32_t)batch;
    out->info.flags = ASSAY_DEVICE_SHARED_VALIDATION;
    return read_types(peer, "data_types", types, &out->data_types) && read_operators(peer, list, out);
}

int message_read_status(struct peer *peer, json_t *answer, HRESULT *status, uint64_t *device_ns, const char **text)
{
    const char *name = "";
    json_int_t ns = 0;
    json_error_t error;
    *text = "";
    if (json_unpack_ex(answer, &error, JSON_STRICT, "{s:s, s?I, s?s}", "status", &name, "device_ns", &ns, "message",
                       text) != 0)
        return peer_lose(peer, "the peer's answer: %s", error.text);
    if (ns < 0)
        return peer_lose(peer, "the peer's answer: device_ns is negative");
    *device_ns = (uint64_t)ns;
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if (!strcmp(statuses[i].name, name)) {
            *status = statuses[i].value;
            return 1;
        }
    return peer_lose(peer, "the peer's answer: \"%.40s\" is not a status such as S_OK or E_FAIL", name);
}
