/* mutants.c: devices that are broken on purpose, each in one way. They show that the harness notices, and survives.
 *
 *     -d mutants:fault=NAME[,every=N][,some=N][,level=LEVEL]  a bug of bugs.h, or a fault of faults*.c
 *     …,operator=OPERATOR                                     the bug is in this operator only
 *     -d mutants:ignore=OPERATOR/RULE[/N][,level=LEVEL]       see rules.h
 *     -d mutants:reject=OPERATOR/RULE[/N][,level=LEVEL]
 *     …,type=TYPE,rank=N,index=TYPE                           the same in a corner only
 *     -d mutants:harm=HARM,in=CALL[,every=N][,some=N]         a harm of harms.c in one of the calls
 *     -d mutants:most=BYTES                                   declares this as its largest tensor
 *     -d mutants:specs=FOLDER,…                               reads these specs, such as those of one's own operators
 *     -d mutants:legal=NAME[,operator=OPERATOR]             no bug: a right device of legal.c
 *     -d mutants:list=FILE                                    no device: writes the list of all mutants
 *
 * With every=N a fault strikes at every N-th call that it concerns. With some=N it strikes only at about one
 * description in N, always the same descriptions, whatever ran before. Without a fault the device is right: the naive
 * operators behind the shared validation of device/common/. */
#include "device/mutants/mutants.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LEAK_MAX = 4096, BATCH_MAX = 64 };

struct assay_operator {
    struct descriptor descriptor;
    struct reading *read; /* null: nothing of the operator is a formula */
    int hollow;           /* accepted, but no operator was made: dispatch does nothing */
    unsigned programs;    /* number of programs compiled from it */
    unsigned slot;        /* for SPECIAL_SLOTS: number of the slot + 1; 0: it has none */
    assay_compiled *last; /* program compiled last */
    assay_operator *next; /* for SPECIAL_KEPT_LOCK */
};

struct assay_compiled {
    struct descriptor descriptor;
    struct reading *read;
    bool half; /* compiled with DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION */
    struct history history;
    int hollow;
    unsigned slot;
    assay_operator *op; /* its operator while that exists, if the device leans() */
};

static unsigned devices_alive, devices_made;

/* Tells whether the fault strikes at this call. `descriptor` is the operator's; null: some=N does not apply. */
static int strikes(assay_device *device, const struct descriptor *descriptor)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    const uint8_t *bytes = (const uint8_t *)descriptor;
    for (size_t i = 0; descriptor && i < offsetof(struct descriptor, desc); i++) /* `desc` has pointers */
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return (!descriptor || (hash >> 32) % device->some == 0) && ++device->calls % device->every == 0;
}

/* Does a harm, if it strikes. `descriptor`: see strikes(). */
static void harm(assay_device *device, enum harm_call call, const struct descriptor *descriptor)
{
    if (device->harm && device->harm_call == call && strikes(device, descriptor))
        device->harm->strike();
}

/* Tells whether programs use their operators. */
static int leans(const assay_device *device)
{
    return device->fault->special == SPECIAL_LEAN || device->fault->special == SPECIAL_LEAN_CRASH;
}

HRESULT mutants_fail(assay_device *device, HRESULT result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(device->message, sizeof device->message, format, arguments);
    va_end(arguments);
    return result;
}

/* ---- the device */

static const assay_device_api *api_of(void);

static void mutants_destroy_device(assay_device *device)
{
    if (!device)
        return;
    harm(device, HARM_CLOSE, NULL);
    devices_alive--;
    rules_close(device->rules);
    formulas_close(device->formulas);
    free(device->forgets);
    free(device);
}

static HRESULT mutants_create_device(const assay_device_config *config, assay_device **out, char *message, size_t size)
{
    assay_device *device = calloc(1, sizeof *device);
    *out = NULL;
    if (!device)
        return E_OUTOFMEMORY;
    pthread_mutex_init(&device->lock, NULL);
    HRESULT result = mutants_read_arguments(device, config->arguments);
    if (SUCCEEDED(result))
        device->formulas =
            formulas_open(api_of(), device->legal ? device->legal->changes : bug_infos[device->bug].changes,
                          device->only, device->message, sizeof device->message);
    if (FAILED(result) || !device->formulas) {
        result = FAILED(result) ? result : E_FAIL;
        snprintf(message, size, "%s", device->message);
        devices_alive++;
        mutants_destroy_device(device);
        return result;
    }
    devices_alive++;
    devices_made++;
    if ((device->fault->special == SPECIAL_ONE_DEVICE && devices_alive > 1) ||
        (device->fault->special == SPECIAL_ONE_DEVICE_EVER && devices_made > 2)) {
        snprintf(message, size, "there is a device already");
        mutants_destroy_device(device);
        return E_FAIL;
    }
    if (device->fault->on_open)
        device->fault->on_open();
    harm(device, HARM_OPEN, NULL);
    *out = device;
    return S_OK;
}

/* Returns a text of terminal titles and colours, ends of elements and strings, invalid UTF-8, lines of TAP, printf
 * formats; it is very long. */
static const char *hostile_text(void)
{
    static char text[4000];
    snprintf(text, sizeof text, "%s",
             "\x1b]0;title\x07\x1b[31m ]]> <a b='c'>&amp;</failure> \"q\\\" \xff \xc3( \xed\xa0\x80 \xc0\x80 "
             "\r\nnot ok 1 - forged\n# SKIP \x01\x7f \xc2\x9b \xe2\x80\xae \xef\xbf\xbe %s%n ");
    for (size_t used = strlen(text); used + 3 < sizeof text; used += 3)
        memcpy(text + used, "\xe2\x82\xac", 4);
    return text;
}

static const char *what_is_broken(const assay_device *device)
{
    if (device->rules)
        return "a rule";
    if (device->forgets)
        return "a compiled operator is reused for others that differ in a part of the description";
    if (device->bug)
        return bug_infos[device->bug].what;
    if (device->reported)
        return device->reported->what;
    if (device->mistake)
        return explanation_sentence(device->mistake->explanation);
    return device->fault->what ? device->fault->what : "nothing";
}

static HRESULT mutants_describe(assay_device *device, assay_device_info *info)
{
    info->feature_level = device->level;
    info->max_batch = BATCH_MAX;
    info->max_tensor_bytes = device->max;
    snprintf(info->version, sizeof info->version, "1");
    if (device->legal)
        snprintf(info->name, sizeof info->name, "right: %s", device->legal->what);
    else
        snprintf(info->name, sizeof info->name, "broken: %s", what_is_broken(device));
    if (device->fault->special == SPECIAL_TEXT)
        memcpy(info->driver, hostile_text(), sizeof info->driver); /* not zero-terminated */
    if (device->fault->on_describe)
        device->fault->on_describe(info, ++device->described);
    return S_OK;
}

static BOOL mutants_supports_data_type(assay_device *device, DML_TENSOR_DATA_TYPE type)
{
    if (device->fault->special == SPECIAL_ANY_TYPE)
        return 1;
    if (device->fault->special == SPECIAL_DENY && type == DML_TENSOR_DATA_TYPE_FLOAT16)
        return 0;
    return descriptor_element_bits(type) != 0;
}

/* An operator without a loop in naive*.c has formulas. The specs are not asked: they are loaded late. */
static BOOL mutants_supports_operator(assay_device *device, DML_OPERATOR_TYPE type)
{
    (void)device;
    return descriptor_is_checked(type);
}

/* ---- operators */

/* Clears the pointers of the documented struct: they would make equal descriptors differ. */
static void forget_pointers(struct descriptor *descriptor)
{
    const struct catalogue_operator *op = catalogue_find(descriptor->type);
    for (int i = 0; op && i < op->field_count; i++) {
        const struct catalogue_field *field = &op->fields[i];
        int is_value =
            field->kind == CATALOGUE_NUMBER || field->kind == CATALOGUE_REAL || field->kind == CATALOGUE_SCALAR;
        if (!is_value)
            memset(descriptor->desc.bytes + field->offset, 0, sizeof(void *));
    }
}

/* Returns the answer to a description. S_FALSE: it is accepted, but no operator is made. */
static HRESULT answer(assay_device *device, const DML_OPERATOR_DESC *desc, struct descriptor *descriptor)
{
    *device->message = '\0';
    HRESULT result;
    if (desc && (uint32_t)desc->Type >= CATALOGUE_FIRST_OWN) {
        result = formulas_check(desc, device->level, device->message, sizeof device->message);
        descriptor->type = desc->Type; /* the tensors stay unknown: faults that change them change nothing */
    } else
        result = descriptor_read(desc, device->level, descriptor_is_checked, descriptor, device->message,
                                 sizeof device->message);
    forget_pointers(descriptor);
    if (SUCCEEDED(result))
        harm(device, HARM_CREATE, descriptor);
    if (device->rules)
        result = rules_answer(device->rules, device->level, desc, result);
    if (device->fault->on_create && strikes(device, SUCCEEDED(result) ? descriptor : NULL))
        result = device->fault->on_create(result, descriptor);
    if (device->fault->special == SPECIAL_LEAK && SUCCEEDED(result) && device->operators++ >= LEAK_MAX)
        result = mutants_fail(device, E_OUTOFMEMORY, "no room for the operator");
    return result;
}

/* Takes a free slot; if there is none, one that another operator has. */
static void take_slot(assay_device *device, assay_operator *op)
{
    unsigned slot = 0;
    while (slot < device->fault->slots && device->users[slot] > 0)
        slot++;
    slot %= device->fault->slots;
    device->users[slot]++;
    device->slots[slot] = op->descriptor;
    op->slot = slot + 1;
}

static void enlist(assay_device *device, assay_operator *op)
{
    assay_operator **at = &device->first;
    pthread_mutex_lock(&device->lock);
    while (*at)
        at = &(*at)->next;
    *at = op;
    pthread_mutex_unlock(&device->lock);
}

static HRESULT mutants_create_operator(assay_device *device, const DML_OPERATOR_DESC *desc, assay_operator **out)
{
    struct descriptor descriptor;
    memset(&descriptor, 0, sizeof descriptor); /* the cache compares and hashes all of it */
    *out = NULL;
    HRESULT result = answer(device, desc, &descriptor);
    if (device->fault->special == SPECIAL_DANGLING_OPERATOR && FAILED(result))
        *out = (assay_operator *)device; /* anything that is not null */
    if (FAILED(result) || device->fault->special == SPECIAL_NULL_OPERATOR)
        return result;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return E_OUTOFMEMORY;
    (*out)->hollow = result == S_FALSE;
    if (result == S_OK)
        (*out)->descriptor = descriptor;
    if (result == S_OK &&
        (device->mistake || device->bug || device->forgets || device->legal || !naive_computes(descriptor.type)))
        result = formulas_read(device->formulas, desc, &(*out)->read, device->message, sizeof device->message);
    struct reading *read = (*out)->read;
    if (read && device->legal && (!device->only || device->only == desc->Type) &&
        legal_applies(device->legal, read->right))
        read->liberty = &device->legal->liberty;
    if (FAILED(result)) {
        free(*out);
        *out = NULL;
        return result;
    }
    if (device->fault->special == SPECIAL_SLOTS)
        take_slot(device, *out);
    if (device->alive++ >= device->fault->slots && device->fault->special == SPECIAL_FULL_TABLE)
        abort(); /* the C library aborts, too, if the heap is damaged */
    if (device->fault->special == SPECIAL_KEPT_LOCK)
        enlist(device, *out);
    return S_OK;
}

static void unlist(assay_device *device, assay_operator *op)
{
    pthread_mutex_lock(&device->lock);
    for (assay_operator *before = device->first; before; before = before->next)
        if (before->next == op) {
            before->next = op->next;
            return; /* the device keeps its lock: this is the fault */
        }
    device->first = op->next;
    pthread_mutex_unlock(&device->lock);
}

static void mutants_destroy_operator(assay_device *device, assay_operator *op)
{
    if (device->fault->special == SPECIAL_NULL_CRASH)
        *(volatile int *)&op->hollow;
    if (op && device->fault->special == SPECIAL_KEPT_LOCK)
        unlist(device, op);
    device->alive -= op != NULL;
    if (op && leans(device))
        for (assay_compiled *of = op->last; of; of = NULL)
            of->op = NULL, of->hollow = 1;
    if (op && op->slot)
        device->users[op->slot - 1]--;
    if (op)
        free(op->read);
    free(op);
}

/* Returns the descriptor without the members that the cache's key leaves out. */
static struct descriptor cache_key(enum fault_special special, const struct descriptor *descriptor)
{
    struct descriptor key = *descriptor;
    memset(&key.desc, 0,
           sizeof key.desc); /* the struct's pointers differ; its other members are above, for operators with indices */
    struct tensor *tensors[] = {&key.inputs[0], &key.inputs[1], &key.inputs[2], &key.outputs[0], &key.outputs[1]};
    for (int i = 0; i < 5; i++) {
        if (special == SPECIAL_CACHE_STRIDES) {
            memset(tensors[i]->strides, 0, sizeof tensors[i]->strides);
            tensors[i]->packed = 0;
            tensors[i]->bytes = 0;
        }
        if ((special == SPECIAL_CACHE_TYPE && i != 1) || (special == SPECIAL_CACHE_INDEX && i == 1)) {
            tensors[i]->type = DML_TENSOR_DATA_TYPE_UNKNOWN;
            tensors[i]->element_size = tensors[i]->element_bits = 0;
            tensors[i]->bytes = 0;
        }
    }
    if (special == SPECIAL_CACHE_ATTRIBUTE)
        key.axis = key.index_dimensions = key.input_dimension_count = key.indices_dimension_count =
            key.batch_dimension_count = 0;
    return key;
}

/* Returns the descriptor that was compiled first under the same key; if there is none, adds `descriptor` and returns
 * it. */
static const struct descriptor *look_in_cache(assay_device *device, const struct descriptor *descriptor)
{
    enum fault_special special = device->fault->special;
    if (special < SPECIAL_CACHE_STRIDES || special > SPECIAL_CACHE_INDEX)
        return descriptor;
    struct descriptor key = cache_key(special, descriptor);
    for (unsigned i = 0; i < device->cached && i < MUTANTS_CACHE; i++) {
        struct descriptor other = cache_key(special, &device->cache[i]);
        if (memcmp(&key, &other, sizeof key) == 0)
            return &device->cache[i];
    }
    device->cache[device->cached++ % MUTANTS_CACHE] = *descriptor;
    return descriptor;
}

static HRESULT mutants_compile_operator(assay_device *device, assay_operator *op, DML_EXECUTION_FLAGS flags,
                                        assay_compiled **out)
{
    HRESULT result = S_OK;
    *out = NULL;
    harm(device, HARM_COMPILE, &op->descriptor);
    if (device->fault->on_compile && strikes(device, &op->descriptor))
        result = device->fault->on_compile(S_OK);
    if (device->fault->special == SPECIAL_DANGLING_COMPILED && strikes(device, &op->descriptor)) {
        *out = (assay_compiled *)device;
        result = E_INVALIDARG;
    }
    if (FAILED(result) || device->fault->special == SPECIAL_NULL_COMPILED)
        return result;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return E_OUTOFMEMORY;
    op->programs++;
    (*out)->hollow = op->hollow || (device->fault->special == SPECIAL_SECOND_PROGRAM && op->programs == 2);
    (*out)->slot = op->slot;
    (*out)->op = op;
    op->last = *out;
    (*out)->half = flags & DML_EXECUTION_FLAG_ALLOW_HALF_PRECISION_COMPUTATION;
    if (op->read && ((*out)->read = malloc(sizeof *op->read)))
        memcpy((*out)->read, op->read, sizeof *op->read);
    (*out)->descriptor = *look_in_cache(device, &op->descriptor);
    if (device->forgets && (*out)->read && (!device->only || device->only == op->descriptor.type)) {
        const struct forgets_entry *entry = forgets_look(device->forgets, &op->descriptor, op->read);
        (*out)->descriptor = entry->descriptor;
        *(*out)->read = entry->read;
    }
    return S_OK;
}

static void mutants_destroy_compiled(assay_device *device, assay_compiled *compiled)
{
    if (compiled && leans(device) && compiled->op && compiled->op->last == compiled)
        compiled->op->last = NULL;
    if (compiled)
        harm(device, HARM_DESTROY, &compiled->descriptor);
    if (compiled && compiled->history.on_destroy)
        compiled->history.on_destroy(&compiled->history);
    if (compiled) {
        free(compiled->history.result);
        free(compiled->read);
    }
    free(compiled);
}

/* ---- running */

/* Computes an item right, by the loops of naive*.c or by formulas. `context`: its descriptor. */
static bool compute_right(void *context, const assay_dispatch_item *item)
{
    const struct descriptor *descriptor = context;
    if (item->compiled->read->computed)
        return formulas_run(item->compiled->read, item, BUG_NONE);
    naive_run(descriptor, item, BUG_NONE);
    return true;
}

/* Computes an item, with the bug, mistake or reported kernel of the device if that strikes. */
static HRESULT compute(assay_device *device, const assay_dispatch_item *item, const struct descriptor *descriptor,
                       int struck)
{
    const struct reading *read = item->compiled->read;
    enum bug bug = struck ? device->bug : BUG_NONE;
    if (read && read->liberty) {
        struct descriptor copy = *descriptor;
        bool complete = legal_run(device->legal, read->right, &read->desc, item, compute_right, &copy);
        return complete ? S_OK : E_OUTOFMEMORY;
    }
    if (struck && device->mistake && read && formulas_err(device->formulas, read, item, device->mistake, device->site))
        return S_OK;
    if (struck && device->reported && device->reported->type == descriptor->type &&
        device->reported->run(descriptor, item))
        return S_OK;
    if (naive_computes(descriptor->type))
        naive_run(descriptor, item, bug);
    else if (read && !formulas_run(read, item, bug))
        return E_OUTOFMEMORY;
    if (read && read->computed && read->right->output_count == 1 && (bug == BUG_BEYOND_BOUND || bug == BUG_AT_BOUND))
        bounds_strike(read->right, &read->desc, item, item->compiled->half, bug == BUG_BEYOND_BOUND);
    return S_OK;
}

static HRESULT mutants_run_item(assay_device *device, const assay_dispatch_item *item,
                                const struct descriptor *descriptor)
{
    const struct fault *fault = device->fault;
    const struct strike strike = {.item = item, .descriptor = descriptor, .history = &item->compiled->history};
    strike.history->dispatches++;
    harm(device, HARM_DISPATCH, descriptor);
    int struck = (fault->before || fault->after || device->bug || device->reported || device->mistake) &&
                 (!device->only || device->only == descriptor->type) && (!device->only_half || item->compiled->half) &&
                 strikes(device, descriptor);
    HRESULT result = struck && fault->before ? fault->before(&strike) : S_OK;
    if (result == S_FALSE)
        return S_OK;
    if (FAILED(result))
        return result;
    result = compute(device, item, descriptor, struck);
    return SUCCEEDED(result) && struck && fault->after ? fault->after(&strike) : result;
}

static HRESULT mutants_dispatch(assay_device *device, const assay_dispatch_item *items, uint32_t count,
                                assay_dispatch_result *out)
{
    enum fault_special special = device->fault->special;
    for (uint32_t i = 0; i < count; i++) {
        const struct descriptor *descriptor = &items[i].compiled->descriptor;
        HRESULT result = S_OK;
        if (special == SPECIAL_BATCH_OPERATOR && descriptor->type == items[0].compiled->descriptor.type)
            descriptor = &items[0].compiled->descriptor;
        bool again = false;
        for (uint32_t n = 0; n < i && special == SPECIAL_BATCH_ONCE; n++)
            again |= items[n].compiled == items[i].compiled;
        if (items[i].compiled->slot) /* another operator may have taken the slot */
            again |=
                memcmp(descriptor, &device->slots[items[i].compiled->slot - 1], offsetof(struct descriptor, desc)) != 0;
        if (special == SPECIAL_LEAN_CRASH)
            *(volatile int *)&items[i].compiled->op->hollow;
        if (!items[i].compiled->hollow && !again && (special != SPECIAL_BATCH_FIRST || i == 0))
            result = mutants_run_item(device, &items[i], descriptor);
        if (special != SPECIAL_BATCH_UNSET || i + 1 == count)
            out[i] = (assay_dispatch_result){.status = result};
        if (FAILED(result) && device->fault->message)
            snprintf(out[i].message, sizeof out[i].message, "%s", device->fault->message);
        if (device->fault->on_result)
            device->fault->on_result(&out[i]);
        if (special == SPECIAL_TEXT) /* not zero-terminated */
            memcpy(out[i].message, hostile_text(), sizeof out[i].message);
    }
    return S_OK;
}

static const char *mutants_message(assay_device *device)
{
    if (device->fault->special == SPECIAL_TEXT)
        return hostile_text();
    if (device->fault->special == SPECIAL_NULL_MESSAGE)
        return NULL;
    return device->fault->message ? device->fault->message : device->message;
}

static const assay_device_api *api_of(void)
{
    static const assay_device_api api = {.abi = ASSAY_DEVICE_ABI,
                                         .size = sizeof(assay_device_api),
                                         .create_device = mutants_create_device,
                                         .destroy_device = mutants_destroy_device,
                                         .describe = mutants_describe,
                                         .supports_data_type = mutants_supports_data_type,
                                         .create_operator = mutants_create_operator,
                                         .destroy_operator = mutants_destroy_operator,
                                         .compile_operator = mutants_compile_operator,
                                         .destroy_compiled = mutants_destroy_compiled,
                                         .dispatch = mutants_dispatch,
                                         .message = mutants_message,
                                         .supports_operator = mutants_supports_operator};
    return &api;
}

ASSAY_DEVICE_EXPORT const assay_device_api *assay_device_entry(uint32_t abi)
{
    return abi == ASSAY_DEVICE_ABI ? api_of() : NULL;
}
