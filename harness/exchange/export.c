#include "harness/exchange/export.h"

#include "harness/spec/elements.h"
#include "harness/plan/casefile.h"
#include "harness/base/datatype.h"
#include "harness/case/fill.h"
#include "harness/trial/computed.h"
#include "harness/trial/interpretation.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 64 << 20 };

const char *const export_names[] = {"json", "c", "dxdispatch", NULL};

/* ---- contents */

struct packer {
    const uint8_t *from;
    char *to;
    unsigned width; /* of an element, in bits */
    uint64_t count;
};

static bool pack_element(void *context, uint64_t number, const uint32_t *coordinates, uint64_t offset)
{
    struct packer *p = context;
    (void)coordinates;
    if (number >= p->count)
        return false;
    element_put(p->width, p->to, number, element_get(p->width, p->from, offset));
    return true;
}

/* Makes the field's literal of the first `count` elements of its tensor, in row-major order of the coordinates. */
static bool export_pack(struct export *e, int field, uint64_t count)
{
    const struct opdesc_tensor *t = &e->c.desc->items[field].tensor;
    struct packer p = {.from = e->tensors[field], .width = datatype_of(t->data_type)->bits, .count = count};
    p.to = calloc(elements_bytes(p.width, count) + 1, 1);
    e->literals[field] = (struct literal){.data = p.to, .count = (uint32_t)count};
    if (p.to)
        elements_each(t, pack_element, &p);
    return p.to != NULL;
}

static int ask_reference(struct export *e, struct error *error)
{
    struct plugin reference;
    int result = plugin_open_reference(&reference, error);
    if (result)
        return result;
    HRESULT status = oracle_run(&reference, e->c.spec, e->c.desc, e->tensors);
    if (FAILED(status))
        result = error_set(error, EXIT_HARNESS, "%s: the reference device did not run it: %s", e->c.name,
                           reference.api->message(reference.device));
    plugin_close(&reference);
    return result;
}

static int export_make_tensors(struct export *e, uint64_t seed, struct error *error)
{
    const struct spec *spec = e->c.spec;
    uint64_t bytes = 0;
    for (int i = -1; (i = testcase_next_tensor(&e->c, i)) >= 0;)
        bytes += e->c.desc->items[i].tensor.total;
    if (bytes > BYTES_MAX)
        return error_set(error, EXIT_USAGE, "%s: its tensors have %llu MiB, more than the limit of %d for exports",
                         e->c.name, (unsigned long long)bytes >> 20, BYTES_MAX >> 20);
    for (int i = -1; (i = testcase_next_tensor(&e->c, i)) >= 0;) {
        uint64_t total = e->c.desc->items[i].tensor.total;
        uint64_t room = (total / 4096 + 2) * 4096; /* more than the tensor has, in whole pages */
        e->tensors[i] = aligned_alloc(4096, room);
        if (!e->tensors[i])
            return error_set(error, EXIT_HARNESS, "out of memory");
        memset(e->tensors[i], 0, room);
        if (field_is_input(spec_tensor_field(spec, i)))
            fill_input(&e->c, seed, i, e->tensors[i], total);
    }
    return 0;
}

int export_make(struct export *e, const struct testcase *c, uint64_t seed, struct error *error)
{
    *e = (struct export){.c = *c};
    if (c->expect != EXPECT_RESULTS)
        return 0;
    int result = export_make_tensors(e, seed, error);
    if (result == 0)
        result = ask_reference(e, error);
    for (int i = -1; result == 0 && (i = testcase_next_tensor(c, i)) >= 0;) {
        if (field_is_output(spec_tensor_field(c->spec, i)) && c->literals && c->literals[i].data)
            fill_literal(c, i, e->tensors[i]); /* documented outputs replace those of the reference device */
    }
    for (int i = -1; result == 0 && (i = testcase_next_tensor(c, i)) >= 0;) {
        uint64_t count = (uint64_t)opdesc_elements(&c->desc->items[i].tensor);
        if (field_is_output(spec_tensor_field(c->spec, i)))
            count = interpretation_defined_count(c, i, (const uint8_t *const *)e->tensors);
        if (!export_pack(e, i, count))
            result = error_set(error, EXIT_HARNESS, "out of memory");
    }
    e->c.literals = e->literals;
    return result;
}

void export_free(struct export *e)
{
    for (int i = 0; i < OPDESC_MAX_TENSORS; i++) {
        free(e->tensors[i]);
        free((void *)(uintptr_t)e->literals[i].data);
    }
}

/* ---- files of cases */

/* Reads the file back and compares: JSON cannot express every description. */
static int export_check(const struct export *e, const struct spec_set *specs, const json_t *file, struct error *error)
{
    struct json_cursor root = {.file = e->c.name, .value = file}, cases = json_cursor_member(&root, "cases"),
                       first = json_cursor_entry(&cases, 0);
    struct pool pool = {0};
    struct testcase again;
    int result = casefile_read(&first, specs, NULL, NULL, &pool, &again, error);
    if (result == 0 && (!testcase_same_desc(e->c.spec, again.desc, e->c.desc) || again.expect != e->c.expect ||
                        again.table != e->c.table || again.rule != e->c.rule || !testcase_same_in_place(&again, &e->c)))
        result = error_set(error, EXIT_HARNESS, "%s: a file of cases cannot express this case", e->c.name);
    pool_clear(&pool);
    return result;
}

int export_json(const struct export *e, const struct spec_set *specs, const char *path, struct error *error)
{
    json_t *file = casefile_write(&e->c);
    int result = file ? export_check(e, specs, file, error) : error_set(error, EXIT_HARNESS, "out of memory");
    FILE *out = NULL;
    if (result == 0)
        out = path ? fopen(path, "w") : stdout;
    if (result == 0 && !out)
        result = error_set(error, EXIT_HARNESS, "%s: %m", path);
    if (result == 0) { /* one case per line: people concatenate and compare such files */
        bool good = fputs("{\"cases\": [\n", out) >= 0 &&
                    json_dumpf(json_array_get(json_object_get(file, "cases"), 0), out, JSON_ENSURE_ASCII) == 0 &&
                    fputs("\n]}\n", out) >= 0;
        good &= (path ? fclose(out) : fflush(out)) == 0;
        if (!good)
            result = error_set(error, EXIT_HARNESS, "%s: %s", path ? path : "standard output", strerror(errno));
    }
    json_decref(file);
    return result;
}
