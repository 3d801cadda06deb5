#include "harness/trial/meaning.h"

#include "harness/trial/computed.h"
#include "harness/describe/field_kind.h"
#include "harness/check/check.h"
#include "harness/base/datatype.h"
#include "harness/describe/marshal.h"

#include <lauxlib.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TENSOR = 1 << 20 /* bytes: Lua takes microseconds for an element, and a case has ten seconds */ };

struct assay_device {
    const struct spec_set *specs;
    DML_FEATURE_LEVEL level;
    char message[1024];
};

struct assay_operator {
    struct opdesc desc;
};

struct assay_compiled {
    struct opdesc desc;
};

/* A tensor as a meaning sees it: a full userdata whose user value is the table { rank, sizes }. */
struct meaning_tensor {
    const char *name;
    struct opdesc_tensor desc;
    uint32_t strides[OPDESC_MAX_DIMENSIONS];
    char *data;
    uint64_t run; /* the run that the tensor belongs to; after that run, the memory is no longer its own */
    bool is_output;
};

/* The arguments of run_meaning(). */
struct meaning_run {
    const struct spec_set *specs;
    const struct opdesc *desc;
    const assay_dispatch_item *item;
};

/* The number of the run in progress. A script may keep a tensor longer than the run, or than the device; the number
 * shows it. */
static uint64_t current_run;

static const char *const tensor_type_name = "assay.tensor", *const steps_type_name = "assay.steps";

__attribute__((format(printf, 3, 4))) static HRESULT fail(assay_device *device, HRESULT result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(device->message, sizeof device->message, format, arguments);
    va_end(arguments);
    return result;
}

/* ---- the methods of a tensor */

static struct meaning_tensor *check_tensor(lua_State *L)
{
    struct meaning_tensor *t = luaL_checkudata(L, 1, tensor_type_name);
    if (t->run != current_run)
        luaL_error(L, "%s: used after its operator had run", t->name);
    return t;
}

/* Returns the offset of the element at the coordinates in the table at index 2. */
static uint64_t offset_of(lua_State *L, const struct meaning_tensor *t)
{
    uint64_t offset = 0;
    luaL_checktype(L, 2, LUA_TTABLE);
    for (uint32_t i = 0; i < t->desc.dims; i++) {
        lua_rawgeti(L, 2, i);
        if (!lua_isinteger(L, -1))
            luaL_error(L, "%s: coordinate %d is not an integer", t->name, (int)i);
        lua_Integer at = lua_tointeger(L, -1);
        if (at < 0 || at >= t->desc.sizes[i])
            luaL_error(L, "%s: coordinate %d is %I, not from 0 to %I", t->name, (int)i, (LUAI_UACINT)at,
                       (LUAI_UACINT)t->desc.sizes[i] - 1);
        offset += (uint64_t)at * t->strides[i];
        lua_pop(L, 1);
    }
    return offset;
}

static uint64_t meaning_bits_of(lua_State *L, const struct meaning_tensor *t)
{
    return element_get(datatype_of(t->desc.data_type)->bits, t->data, offset_of(L, t));
}

static int tensor_get(lua_State *L)
{
    struct meaning_tensor *t = check_tensor(L);
    lua_pushinteger(L, (lua_Integer)meaning_bits_of(L, t));
    return 1;
}

static int tensor_set(lua_State *L)
{
    struct meaning_tensor *t = check_tensor(L);
    uint64_t bits = (uint64_t)luaL_checkinteger(L, 3);
    unsigned width = datatype_of(t->desc.data_type)->bits;
    if (!t->is_output)
        return luaL_error(L, "%s: an input cannot be written", t->name);
    if (width < 64 && bits >> width != 0)
        return luaL_error(L, "%s: %I has more than %d bits", t->name, (LUAI_UACINT)bits, (int)width);
    element_put(width, t->data, offset_of(L, t), bits);
    return 0;
}

static int tensor_integer(lua_State *L)
{
    struct meaning_tensor *t = check_tensor(L);
    const struct datatype *type = datatype_of(t->desc.data_type);
    if (type->is_float)
        return luaL_error(L, "%s: holds no integers", t->name);
    uint64_t bits = meaning_bits_of(L, t);
    int64_t value = datatype_to_integer(t->desc.data_type, &bits);
    lua_pushinteger(L, value < 0 && !type->is_signed ? INT64_MAX : value);
    return 1;
}

static int tensor_number(lua_State *L)
{
    struct meaning_tensor *t = check_tensor(L);
    if (!datatype_of(t->desc.data_type)->is_float)
        return tensor_integer(L);
    uint64_t bits = meaning_bits_of(L, t);
    lua_pushnumber(L, datatype_to_double(t->desc.data_type, &bits));
    return 1;
}

/* Returns the integer toward zero; any integer for a NaN, and beyond 64 bits. */
static int64_t integer_of(double value)
{
    if (value >= 0x1p63 && value < 0x1p64)
        return (int64_t)(uint64_t)value;
    return fabs(value) < 0x1p63 ? (int64_t)value : INT64_MIN;
}

static int tensor_encode(lua_State *L)
{
    struct meaning_tensor *t = check_tensor(L);
    unsigned type = t->desc.data_type;
    double value = luaL_checknumber(L, 2);
    uint64_t bits = 0;
    if (datatype_of(type)->is_float)
        datatype_from_double(type, value, &bits);
    else
        datatype_from_integer(type, lua_isinteger(L, 2) ? lua_tointeger(L, 2) : integer_of(value), &bits);
    lua_pushinteger(L, (lua_Integer)bits);
    return 1;
}

/* The state of an iterator. The table that the meaning sees is separate, since the meaning may change it. */
struct steps {
    uint32_t rank, sizes[OPDESC_MAX_DIMENSIONS], at[OPDESC_MAX_DIMENSIONS];
    bool done;
};

static int tensor_step(lua_State *L)
{
    struct steps *s = luaL_checkudata(L, lua_upvalueindex(1), steps_type_name);
    if (s->done)
        return 0;
    lua_pushvalue(L, lua_upvalueindex(2));
    for (uint32_t i = 0; i < s->rank; i++) {
        lua_pushinteger(L, s->at[i]);
        lua_rawseti(L, -2, i);
    }
    uint32_t i = s->rank;
    while (i > 0 && ++s->at[i - 1] == s->sizes[i - 1])
        s->at[--i] = 0;
    s->done = i == 0;
    return 1;
}

static int tensor_coordinates(lua_State *L)
{
    struct meaning_tensor *t = check_tensor(L);
    struct steps *s = lua_newuserdatauv(L, sizeof *s, 0);
    *s = (struct steps){.rank = t->desc.dims};
    memcpy(s->sizes, t->desc.sizes, sizeof s->sizes);
    luaL_setmetatable(L, steps_type_name);
    lua_newtable(L);
    lua_pushcclosure(L, tensor_step, 2);
    return 1;
}

/* __index: a method from upvalue 1, or an entry of the user value. */
static int tensor_index(lua_State *L)
{
    luaL_checkudata(L, 1, tensor_type_name);
    lua_pushvalue(L, 2);
    if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
        return 1;
    lua_getiuservalue(L, 1, 1);
    lua_pushvalue(L, 2);
    lua_rawget(L, -2);
    return 1;
}

static void make_types(lua_State *L)
{
    static const luaL_Reg methods[] = {{"get", tensor_get},
                                       {"set", tensor_set},
                                       {"integer", tensor_integer},
                                       {"number", tensor_number},
                                       {"encode", tensor_encode},
                                       {"coordinates", tensor_coordinates},
                                       {NULL, NULL}};
    luaL_newmetatable(L, steps_type_name);
    if (luaL_newmetatable(L, tensor_type_name)) {
        luaL_newlib(L, methods);
        lua_pushcclosure(L, tensor_index, 1);
        lua_setfield(L, -2, "__index");
    }
    lua_pop(L, 2);
}

/* ---- running a meaning */

static void push_tensor(lua_State *L, const struct spec *spec, int item, const struct opdesc_tensor *desc,
                        const assay_binding *binding)
{
    struct meaning_tensor *t = lua_newuserdatauv(L, sizeof *t, 1);
    *t = (struct meaning_tensor){.name = spec->tensor_names[item],
                                 .desc = *desc,
                                 .data = (char *)binding->base + binding->offset,
                                 .run = current_run,
                                 .is_output = field_is_output(spec_tensor_field(spec, item))};
    opdesc_strides(desc, t->strides);
    luaL_setmetatable(L, tensor_type_name);
    lua_newtable(L);
    lua_pushinteger(L, desc->dims);
    lua_setfield(L, -2, "rank");
    lua_newtable(L);
    for (uint32_t i = 0; i < desc->dims; i++) {
        lua_pushinteger(L, desc->sizes[i]);
        lua_rawseti(L, -2, i);
    }
    lua_setfield(L, -2, "sizes");
    lua_setiuservalue(L, -2, 1);
}

/* Pushes the tensor of a field, nil if it is absent; of an array a list of tensors, from 0. `*next` is its place in the
 * bindings. */
static void meaning_push_tensors(lua_State *L, const struct meaning_run *run, int field, uint32_t *next)
{
    const struct spec *spec = &run->specs->specs[run->desc->op];
    const assay_binding *bindings = field_is_input(&spec->fields[field]) ? run->item->inputs : run->item->outputs;
    bool is_array = field_kinds[spec->fields[field].kind].is_array;
    if (is_array)
        lua_newtable(L);
    for (unsigned i = 0; i < opdesc_count(run->desc, field); i++) {
        int item = spec_item(spec, field) + (int)i;
        const assay_binding *binding = &bindings[(*next)++];
        if (run->desc->items[item].tensor.present)
            push_tensor(L, spec, item, &run->desc->items[item].tensor, binding);
        else
            lua_pushnil(L);
        if (is_array)
            lua_rawseti(L, -2, (lua_Integer)i);
    }
}

/* Sets the entry "VALUEBits" of the table on the stack: a NaN has more than its value. */
static void push_scalar_bits(lua_State *L, const struct field_ref *ref)
{
    char name[64];
    snprintf(name, sizeof name, "%sBits", ref->fields[ref->at].name);
    lua_pushinteger(L, (lua_Integer)datatype_bits(field_scalar_type(ref), ref->values[ref->at].bytes));
    lua_setfield(L, -2, name);
}

/* Runs the meaning of run->desc on a table of its fields. Lua calls this function in protected mode. */
static int run_meaning(lua_State *L)
{
    const struct meaning_run *run = lua_touserdata(L, 1);
    const struct spec *spec = &run->specs->specs[run->desc->op];
    uint32_t inputs = 0, outputs = 0;
    make_types(L);
    spec_push(run->specs, (int)run->desc->op);
    if (lua_getfield(L, -1, "meaning") != LUA_TFUNCTION)
        return luaL_error(L, "%s: operator \"%s\" has no meaning", spec->file, spec->name);
    lua_newtable(L);
    for (struct field_ref ref = field_ref(spec, run->desc, 0); ref.at < spec->field_count; ref.at++) {
        if (field_is_tensor(&spec->fields[ref.at]))
            meaning_push_tensors(L, run, ref.at, field_is_input(&spec->fields[ref.at]) ? &inputs : &outputs);
        else
            field_kind(&ref)->push(&ref, L);
        lua_setfield(L, -2, spec->fields[ref.at].name);
        if (spec->fields[ref.at].kind == FIELD_SCALAR)
            push_scalar_bits(L, &ref);
    }
    lua_call(L, 1, 0);
    return 0;
}

/* Copies inputs that have the memory of an output: an element of a fold, or of a later output, may need an input's
 * element that an earlier one has overwritten. */
static bool copy_shared(const struct spec *spec, const struct opdesc *desc, uint8_t *tensors[], uint8_t *copies[])
{
    bool needs = spec_folds(spec) || spec->output_count > 1;
    for (int i = -1; needs && (i = spec_next_tensor(spec, desc, i)) >= 0;)
        for (int out = -1; (out = spec_next_tensor(spec, desc, out)) >= 0;) {
            if (!field_is_input(spec_tensor_field(spec, i)) || !field_is_output(spec_tensor_field(spec, out)) ||
                !tensors[i] || tensors[i] != tensors[out])
                continue;
            copies[i] = malloc(desc->items[i].tensor.total);
            if (!copies[i])
                return false;
            memcpy(copies[i], tensors[i], desc->items[i].tensor.total);
            tensors[i] = copies[i];
        }
    return true;
}

/* Runs the formulas of an operator that has them instead of a function. */
static HRESULT run_formulas(const struct spec *spec, const assay_dispatch_item *item)
{
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {0}, *copies[OPDESC_MAX_TENSORS] = {0};
    uint32_t inputs = 0, outputs = 0;
    const struct opdesc *desc = &item->compiled->desc;
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) {
        const assay_binding *binding =
            field_is_input(spec_tensor_field(spec, i)) ? &item->inputs[inputs++] : &item->outputs[outputs++];
        tensors[i] = binding->base ? (uint8_t *)binding->base + binding->offset : NULL;
    }
    bool copied = copy_shared(spec, desc, tensors, copies);
    if (copied)
        computed_run(spec, desc, tensors);
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++)
        free(copies[i]);
    return copied ? S_OK : E_OUTOFMEMORY;
}

static HRESULT run_item(assay_device *device, const assay_dispatch_item *item)
{
    const struct spec *spec = &device->specs->specs[item->compiled->desc.op];
    if (!spec->has_meaning && computed_applies(spec))
        return run_formulas(spec, item);
    struct script *script = device->specs->script;
    lua_State *L = script_state(script);
    struct meaning_run run = {.specs = device->specs, .desc = &item->compiled->desc, .item = item};
    struct error error = {0};
    char what[128];
    snprintf(what, sizeof what, "meaning of %s", device->specs->specs[run.desc->op].name);
    lua_pushcfunction(L, run_meaning);
    lua_pushlightuserdata(L, &run);
    int result = script_call(script, 1, 0, what, &error);
    current_run++;
    return result ? fail(device, E_FAIL, "%s", error.text) : S_OK;
}

static HRESULT check_bindings(assay_device *device, const assay_dispatch_item *item)
{
    const struct opdesc *desc = &item->compiled->desc;
    const struct spec *spec = &device->specs->specs[desc->op];
    uint32_t inputs = 0, outputs = 0;
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;)
        *(field_is_input(spec_tensor_field(spec, i)) ? &inputs : &outputs) += 1;
    if (item->input_count != inputs || item->output_count != outputs)
        return fail(device, E_INVALIDARG, "%s has %u inputs and %u outputs, not %u and %u", spec->name, inputs, outputs,
                    item->input_count, item->output_count);
    inputs = outputs = 0;
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) {
        const struct opdesc_tensor *t = &desc->items[i].tensor;
        const assay_binding *binding =
            field_is_input(spec_tensor_field(spec, i)) ? &item->inputs[inputs++] : &item->outputs[outputs++];
        if (t->present && (!binding->base || binding->size < t->total))
            return fail(device, E_INVALIDARG, "%s: bound to %llu bytes, less than TotalTensorSizeInBytes",
                        spec->tensor_names[i], binding->base ? (unsigned long long)binding->size : 0);
    }
    return S_OK;
}

static HRESULT meaning_dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                                assay_dispatch_result *out)
{
    for (uint32_t i = 0; i < count; i++) {
        HRESULT result = items[i].compiled ? check_bindings(device, &items[i])
                                           : fail(device, E_INVALIDARG, "the compiled operator is null");
        out[i] = (assay_dispatch_result){.status = FAILED(result) ? result : run_item(device, &items[i])};
        if (FAILED(out[i].status))
            snprintf(out[i].message, sizeof out[i].message, "%.*s", (int)sizeof out[i].message - 1, device->message);
    }
    return S_OK;
}

/* ---- descriptions */

static HRESULT check_description(assay_device *device, const struct opdesc *desc)
{
    const struct spec *spec = &device->specs->specs[desc->op];
    int broken;
    if (rules_check(spec, desc, device->level, &broken, 1) > 0)
        return fail(device, E_INVALIDARG, "%s: %s", spec->rules[broken].id, spec->rules[broken].text);
    return S_OK;
}

static HRESULT meaning_create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    const struct spec_set *specs = device->specs;
    struct opdesc read;
    int op = 0;
    if (!out)
        return fail(device, E_POINTER, "the pointer for the operator is null");
    *out = NULL;
    if (!desc || !desc->Desc)
        return fail(device, E_INVALIDARG, "the description is null");
    while (op < specs->count && specs->specs[op].type != desc->Type)
        op++;
    if (op == specs->count)
        return fail(device, DXGI_ERROR_UNSUPPORTED, "no spec describes operator type %u", (unsigned)desc->Type);
    marshal_read(&specs->specs[op], desc, &read);
    HRESULT result = check_description(device, &read);
    if (FAILED(result))
        return result;
    *out = malloc(sizeof **out);
    if (!*out)
        return fail(device, E_OUTOFMEMORY, "out of memory");
    opdesc_copy(&(*out)->desc, &read);
    return S_OK;
}

static void meaning_destroy_operator(assay_device *device, assay_operator *op)
{
    (void)device;
    free(op);
}

static HRESULT meaning_compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                        assay_compiled **out)
{
    const uint32_t known = DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION |
                           DML_EXECUTION_FLAG_DISABLE_META_COMMANDS | DML_EXECUTION_FLAG_DESCRIPTORS_VOLATILE;
    if (!out)
        return fail(device, E_POINTER, "the pointer for the compiled operator is null");
    *out = NULL;
    if (!op || ((uint32_t)flags & ~known) != 0)
        return fail(device, E_INVALIDARG, op ? "undocumented execution flags" : "the operator is null");
    *out = malloc(sizeof **out);
    if (!*out)
        return fail(device, E_OUTOFMEMORY, "out of memory");
    (*out)->desc = op->desc;
    return S_OK;
}

static void meaning_destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    (void)device;
    free(compiled);
}

/* ---- the device */

static HRESULT meaning_read_arguments(assay_device *device, const char *text)
{
    static const char key[] = "level=";
    while (*text) {
        size_t length = strcspn(text, ",");
        char value[16] = "";
        if (length < sizeof key - 1 || strncmp(text, key, sizeof key - 1) != 0)
            return fail(device, E_INVALIDARG, "the meaning has no option \"%.*s\"; known: level=LEVEL", (int)length,
                        text);
        if (length - (sizeof key - 1) < sizeof value)
            memcpy(value, text + sizeof key - 1, length - (sizeof key - 1));
        device->level = level_find(value);
        if (!device->level)
            return fail(device, E_INVALIDARG, "\"%.*s\" names no feature level; known: 1_0 to 6_4", (int)length, text);
        text += length + (text[length] == ',');
    }
    return S_OK;
}

static HRESULT meaning_create_device(const struct spec_set *specs, const assay_device_config *config,
                                     assay_device **out, char *message, size_t message_size)
{
    assay_device made = {.specs = specs, .level = DML_FEATURE_LEVEL_6_4};
    *out = NULL;
    HRESULT result = config && config->arguments ? meaning_read_arguments(&made, config->arguments) : S_OK;
    if (SUCCEEDED(result) && !(*out = malloc(sizeof **out)))
        result = fail(&made, E_OUTOFMEMORY, "out of memory");
    if (SUCCEEDED(result))
        **out = made;
    if (message && message_size > 0)
        snprintf(message, message_size, "%s", made.message);
    return result;
}

static void meaning_destroy_device(assay_device *device)
{
    free(device);
}

static HRESULT meaning_describe(assay_device *device, assay_device_info *info)
{
    assay_device_info mine = {.size = info->size,
                              .feature_level = device->level,
                              .name = "meaning of the specs",
                              .driver = LUA_RELEASE,
                              .version = ASSAY_VERSION,
                              .max_tensor_bytes = MAX_TENSOR,
                              .max_batch = 1};
    memcpy(info, &mine, info->size < sizeof mine ? info->size : sizeof mine);
    return S_OK;
}

static BOOL meaning_supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    (void)device;
    return datatype_of((unsigned)type)->bits > 0;
}

static const char *meaning_message(assay_device *device)
{
    return device->message;
}

static const assay_device_api api = {
    .abi = ASSAY_DEVICE_ABI,
    .size = sizeof(assay_device_api),
    .destroy_device = meaning_destroy_device,
    .describe = meaning_describe,
    .supports_data_type = meaning_supports_data_type,
    .create_operator = meaning_create_operator,
    .destroy_operator = meaning_destroy_operator,
    .compile_operator = meaning_compile_operator,
    .destroy_compiled = meaning_destroy_compiled,
    .dispatch = meaning_dispatch,
    .message = meaning_message,
};

const struct builtin_device meaning_device = {
    .name = "meaning", .functions = true, .api = &api, .create = meaning_create_device};
