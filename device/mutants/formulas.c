/* formulas.c: opens the specs, as they are and with the changes of a bug; reads descriptions as the harness does; and
 * computes the outputs of items with computed_run() and mistake_apply(). */
#include "device/mutants/in_place.h"

#include "harness/base/datatype.h"
#include "harness/base/paths.h"
#include "harness/check/check.h"
#include "harness/describe/marshal.h"
#include "harness/load/image.h"
#include "harness/mistakes/known.h"
#include "harness/spec/elements.h"
#include "harness/trial/computed.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- specs */

/* The specs as they are. All devices share them, so the library frees them when it is unloaded. */
static struct spec_set as_they_are;
static struct error not_loaded;
static char folder[PATHS_SIZE], given_folder[PATHS_SIZE];

void formulas_use_folder(const char *path)
{
    snprintf(given_folder, sizeof given_folder, "%s", path);
}

const char *formulas_folder(void)
{
    return *given_folder ? given_folder : NULL;
}

static void load_once(void)
{
    if (paths_folder("specs", formulas_folder(), folder, &not_loaded) == 0)
        spec_set_open(&as_they_are, folder, &not_loaded);
}

__attribute__((destructor)) static void free_at_unload(void)
{
    spec_set_free(&as_they_are);
}

static const struct spec *formulas_find(const struct spec_set *set, DML_OPERATOR_TYPE type)
{
    for (int i = 0; i < set->count; i++)
        if (set->specs[i].type == type)
            return &set->specs[i];
    return NULL;
}

const struct spec *formulas_right(DML_OPERATOR_TYPE type)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_once);
    return formulas_find(&as_they_are, type);
}

struct formulas {
    struct spec_set wrong; /* the specs with the changes of the bug: all, or that of its operator alone */
    struct plugin plain;   /* a mutant without a mistake; without a device until one is needed */
};

/* ---- opening and reading */

struct formulas *formulas_open(const assay_device_api *api, const char *changes, DML_OPERATOR_TYPE only, char *message,
                               size_t size)
{
    struct formulas *formulas = calloc(1, sizeof *formulas);
    if (!formulas)
        return NULL;
    formulas->plain.api = api;
    /* Otherwise the specs are loaded when an operator needs them: a device that crashes is opened often. */
    if (changes) {
        formulas_right(DML_OPERATOR_INVALID);
        snprintf(message, size, "%s", not_loaded.text);
    }
    struct error error = {0};
    if (changes && *message == '\0' &&
        known_load(&formulas->wrong, folder, only ? formulas_right(only) : NULL, changes, &error))
        snprintf(message, size, "%s", error.text);
    if (!changes || *message == '\0')
        return formulas;
    formulas_close(formulas);
    return NULL;
}

void formulas_close(struct formulas *formulas)
{
    if (!formulas)
        return;
    if (formulas->plain.device)
        formulas->plain.api->destroy_device(formulas->plain.device);
    spec_set_free(&formulas->wrong);
    free(formulas);
}

HRESULT formulas_check(const DML_OPERATOR_DESC *desc, DML_FEATURE_LEVEL level, char *message, size_t size)
{
    const struct spec *spec = formulas_right(desc->Type);
    struct opdesc read;
    int broken;
    if (!spec) {
        snprintf(message, size, "no spec has operator type %u; specs=FOLDER names other specs", (unsigned)desc->Type);
        return DXGI_ERROR_UNSUPPORTED;
    }
    if (desc->Desc) {
        marshal_read(spec, desc, &read);
        if (rules_check(spec, &read, level, &broken, 1) == 0)
            return S_OK;
    }
    snprintf(message, size, "%s", desc->Desc ? spec->rules[broken].text : "the description has a null Desc");
    return E_INVALIDARG;
}

HRESULT formulas_read(const struct formulas *formulas, const DML_OPERATOR_DESC *desc, struct reading **out,
                      char *message, size_t size)
{
    const struct spec *right = formulas_right(desc->Type);
    struct reading *reading = *out = right ? malloc(sizeof *reading) : NULL;
    if (!right)
        snprintf(message, size, "%s", *not_loaded.text ? not_loaded.text : "the operator has no spec");
    if (!reading)
        return right ? E_OUTOFMEMORY : E_FAIL;
    reading->right = right;
    reading->wrong = formulas_find(&formulas->wrong, desc->Type);
    reading->computed = computed_applies(right);
    reading->liberty = NULL;
    marshal_read(right, desc, &reading->desc);
    return S_OK;
}

/* ---- computing */

static uint8_t *memory_of(const assay_binding *binding)
{
    return binding->base ? (uint8_t *)binding->base + binding->offset : NULL;
}

/* Finds the memory of the tensors by item. */
static void find_tensors(const struct reading *reading, const assay_dispatch_item *item, uint8_t **tensors)
{
    uint32_t input = 0, output = 0;
    for (int i = -1; (i = spec_next_tensor(reading->right, &reading->desc, i)) >= 0;) /* absent ones are bound, too */
        tensors[i] = field_is_input(spec_tensor_field(reading->right, i)) ? memory_of(&item->inputs[input++])
                                                                          : memory_of(&item->outputs[output++]);
}

/* Returns true if an output has memory of an input. */
static bool is_shared(const struct reading *reading, uint8_t *const tensors[], int output)
{
    const union opdesc_item *items = reading->desc.items;
    bool shared = false;
    for (int i = -1; (i = spec_next_tensor(reading->right, &reading->desc, i)) >= 0;)
        shared |= field_is_input(spec_tensor_field(reading->right, i)) && tensors[i] &&
                  tensors[i] < tensors[output] + items[output].tensor.total &&
                  tensors[output] < tensors[i] + items[i].tensor.total;
    return shared;
}

bool formulas_compute(const struct reading *reading, bool wrong, uint8_t *const tensors[])
{
    const struct spec *spec = wrong && reading->wrong ? reading->wrong : reading->right;
    uint8_t *made[OPDESC_MAX_TENSORS];
    bool complete = true;
    memcpy(made, tensors, sizeof made);
    for (int i = -1; (i = spec_next_tensor(spec, &reading->desc, i)) >= 0;) {
        size_t total = reading->desc.items[i].tensor.total;
        if (!field_is_output(spec_tensor_field(spec, i)) || !is_shared(reading, tensors, i))
            continue;
        made[i] = malloc(total);
        if (made[i])
            memcpy(made[i], tensors[i], total);
        complete &= made[i] != NULL;
    }
    if (complete && reading->liberty)
        complete = computed_run_freely(spec, &reading->desc, made, reading->liberty);
    else if (complete)
        computed_run(spec, &reading->desc, made);
    for (int i = -1; (i = spec_next_tensor(spec, &reading->desc, i)) >= 0;) {
        if (made[i] == tensors[i])
            continue;
        if (complete)
            memcpy(tensors[i], made[i], reading->desc.items[i].tensor.total);
        free(made[i]);
    }
    return complete;
}

/* The memory of an output: its old contents, a mask that is 0 where they stay, and its new contents. */
struct keeping {
    const uint8_t *old, *mask;
    uint8_t *made;
    unsigned width;
};

static bool keep_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    const struct keeping *k = context;
    (void)number, (void)coordinates;
    if (element_get(k->width, k->mask, offset) == 0)
        element_put(k->width, k->made, offset, element_get(k->width, k->old, offset));
    return true;
}

/* Computes an item; in the first output, elements whose changed formula is 0 keep their old contents. */
static bool compute_all_but_zeros(const struct reading *reading, uint8_t *const tensors[])
{
    int i = -1;
    while (!field_is_output(spec_tensor_field(reading->right, ++i)))
        continue;
    const struct opdesc_tensor *t = &reading->desc.items[i].tensor;
    uint8_t *old = malloc(t->total), *mask = malloc(t->total);
    bool complete = old && mask;
    if (complete) {
        memcpy(old, tensors[i], t->total);
        complete = formulas_compute(reading, true, tensors);
        memcpy(mask, tensors[i], t->total);
    }
    if (complete && formulas_compute(reading, false, tensors)) {
        struct keeping keeping = {old, mask, tensors[i], datatype_of(t->data_type)->bits};
        elements_each(t, keep_element, &keeping);
    }
    free(old);
    free(mask);
    return complete;
}

bool formulas_run(const struct reading *reading, const assay_dispatch_item *item, enum bug bug)
{
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    find_tensors(reading, item, tensors);
    if (bug == BUG_UNFOLD_GAPS_KEPT)
        return compute_all_but_zeros(reading, tensors);
    if (bug >= BUG_IN_PLACE_CLEARED && bug <= BUG_IN_PLACE_TAIL)
        return in_place_run(reading, tensors, bug);
    return formulas_compute(reading, bug != BUG_NONE || reading->liberty, tensors);
}

bool formulas_err(struct formulas *formulas, const struct reading *reading, const assay_dispatch_item *item,
                  const struct mistake *mistake, int site)
{
    const assay_device_config config = {.size = sizeof config, .arguments = ""};
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {0};
    char message[256];
    if (!reading->computed && !formulas->plain.device &&
        FAILED(formulas->plain.api->create_device(&config, &formulas->plain.device, message, sizeof message)))
        return false;
    find_tensors(reading, item, tensors);
    const struct mistake_case c = {.spec = reading->right,
                                   .desc = &reading->desc,
                                   .reference = &formulas->plain,
                                   .inputs = (const uint8_t *const *)tensors,
                                   .outputs = tensors};
    return mistake_apply(&c, mistake, site);
}
