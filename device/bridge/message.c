#include "device/bridge/message.h"

#include "device/bridge/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Turns "6_4" into 0x6400. Does not check that the level exists: assay does. */
static int parse_level(const char *text, DML_FEATURE_LEVEL *out)
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
        int found = describe_find_type(json_string_value(type));
        if (found < 0)
            return peer_lose(peer, "the peer's answer to hello: %s: \"%.40s\" is not a data type such as FLOAT32", what,
                             json_is_string(type) ? json_string_value(type) : "(no text)");
        *out |= 1u << found;
    }
    return 1;
}

/* Reads the peer's statement about one operator. */
static int read_operator(struct peer *peer, const struct catalogue_operator *op, json_t *about, uint32_t data_types,
                         struct message_support *out)
{
    json_int_t rank = DESCRIPTOR_MAX_DIMENSIONS;
    json_t *types = NULL, *list;
    const char *name;
    json_error_t error;
    if (json_unpack_ex(about, &error, JSON_STRICT, "{s?I, s?o}", "max_rank", &rank, "types", &types) != 0)
        return peer_lose(peer, "the peer's answer to hello: operators: %s: %s", op->name, error.text);
    if (rank < 1 || rank > DESCRIPTOR_MAX_DIMENSIONS || (types && !json_is_object(types)))
        return peer_lose(peer, "the peer's answer to hello: operators: %s: %s", op->name,
                         types && !json_is_object(types) ? "types is not an object" : "max_rank must be from 1 to 8");
    out->known = 1;
    out->max_rank = (uint32_t)rank;
    for (uint32_t i = 0; i < op->field_count; i++)
        out->types[i] = data_types;
    json_object_foreach(types, name, list)
    {
        uint32_t i = 0, mask = 0;
        while (i < op->field_count && (!describe_is_tensor(&op->fields[i]) || strcmp(op->fields[i].name, name) != 0))
            i++;
        if (i == op->field_count)
            return peer_lose(peer, "the peer's answer to hello: operators: %s has no tensor \"%.40s\"", op->name, name);
        if (!read_types(peer, name, list, &mask))
            return 0;
        out->types[i] = mask & data_types;
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
        uint32_t type = describe_find_operator(name);
        if (!type)
            return peer_lose(peer, "the peer's answer to hello: \"%.40s\" is not an operator such as GATHER", name);
        if (!read_operator(peer, catalogue_find(type), about, out->data_types, &out->operators[type]))
            return 0;
    }
    return 1;
}

int message_has_operator(const struct message_hello *hello, DML_OPERATOR_TYPE type)
{
    return (uint32_t)type < MESSAGE_OPERATORS && hello->operators[type].known;
}

int message_takes(const struct message_hello *hello, const struct descriptor *d, char *text, size_t size)
{
    const struct catalogue_operator *op = catalogue_find((uint32_t)d->type);
    const struct message_support *entry = &hello->operators[d->type];
    const struct tensor *inputs = d->inputs, *outputs = d->outputs;
    for (uint32_t i = 0; i < op->field_count; i++)
        for (uint32_t n = describe_tensor_count(op, &op->fields[i], &d->desc); n > 0; n--) {
            const struct tensor *t = describe_is_output(&op->fields[i]) ? outputs++ : inputs++;
            if (t->rank > entry->max_rank) {
                snprintf(text, size, "the peer supports up to %u dimensions, not %u", entry->max_rank, t->rank);
                return 0;
            }
            if (t->rank && !(entry->types[i] >> t->type & 1)) {
                snprintf(text, size, "the peer does not support %s of %s", op->fields[i].name, describe_type(t->type));
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
    if (json_unpack_ex(answer, &error, JSON_STRICT, "{s:s, s:o, s:o, s?s, s?s, s?s, s?I, s?I, s?b, s?b, s?b}", "name",
                       &name, "data_types", &types, "operators", &list, "driver", &driver, "version", &version,
                       "feature_level", &level, "max_tensor_bytes", &bytes, "max_batch", &batch, "strides",
                       &out->strides, "memory", &out->memory, "compile", &out->compile) != 0)
        return peer_lose(peer, "the peer's answer to hello: %s", error.text);
    if (level && !parse_level(level, &out->info.feature_level))
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
