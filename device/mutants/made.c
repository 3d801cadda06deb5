/* made.c: from an item that is dispatched to the harness's description of it, and back. */
#include "device/mutants/made.h"

#include "harness/base/paths.h"
#include "harness/describe/marshal.h"
#include "harness/load/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct maker {
    struct spec_set specs;
    struct plugin plain; /* a mutant without a mistake */
};

struct maker *maker_open(const assay_device_api *api, char *message, size_t size)
{
    const assay_device_config config = {.size = sizeof config, .arguments = ""};
    struct maker *maker = calloc(1, sizeof *maker);
    struct error error = {0};
    char folder[PATHS_SIZE];
    if (!maker)
        return NULL;
    maker->plain.api = api;
    if (paths_folder("specs", NULL, folder, &error) || spec_set_load(&maker->specs, folder, &error)) {
        snprintf(message, size, "%s", error.text);
        free(maker);
        return NULL;
    }
    if (FAILED(api->create_device(&config, &maker->plain.device, message, size))) {
        maker_close(maker);
        return NULL;
    }
    return maker;
}

void maker_close(struct maker *maker)
{
    if (!maker)
        return;
    if (maker->plain.device)
        maker->plain.api->destroy_device(maker->plain.device);
    spec_set_free(&maker->specs);
    free(maker);
}

struct opdesc *maker_read(const struct maker *maker, const DML_OPERATOR_DESC *desc)
{
    for (int i = 0; i < maker->specs.count; i++) {
        struct opdesc *read = maker->specs.specs[i].type == desc->Type ? malloc(sizeof *read) : NULL;
        if (!read)
            continue;
        marshal_read(&maker->specs.specs[i], desc, read);
        return read;
    }
    return NULL;
}

static uint8_t *memory_of(const assay_binding *binding)
{
    return binding->base ? (uint8_t *)binding->base + binding->offset : NULL;
}

bool maker_make(const struct maker *maker, const struct opdesc *desc, const assay_dispatch_item *item,
                const struct mistake *mistake, int site)
{
    const struct spec *spec = &maker->specs.specs[desc->op];
    const uint8_t *inputs[OPDESC_MAX_TENSORS] = {0};
    uint8_t *outputs[OPDESC_MAX_TENSORS] = {0};
    uint32_t input = 0, output = 0;
    for (int i = -1; (i = spec_next_tensor(spec, desc, i)) >= 0;) /* absent ones have bindings, too */
        if (field_is_input(spec_tensor_field(spec, i)))
            inputs[i] = memory_of(&item->inputs[input++]);
        else
            outputs[i] = memory_of(&item->outputs[output++]);
    const struct mistake_case c = {
        .spec = spec, .desc = desc, .reference = &maker->plain, .inputs = inputs, .outputs = outputs};
    return mistake_apply(&c, mistake, site);
}
