/* Case files: the target reads one, writes it and reads it again. */
#include "harness/plan/casefile.h"
#include "tools/fuzz/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct spec_set specs;

/* A case that was read can be written, and reads back the same. */
static void read_again(const struct testcase *c)
{
    struct error error = {0};
    struct pool pool = {0};
    struct testcase again;
    json_t *whole = casefile_write(c);
    if (!whole)
        return;
    const struct json_cursor file = {.file = "again.json", .value = whole};
    const struct json_cursor cases = json_cursor_member(&file, "cases"), entry = json_cursor_entry(&cases, 0);
    if (casefile_read(&entry, &specs, NULL, NULL, &pool, &again, &error) != 0 ||
        memcmp(c->desc, again.desc, c->desc->size) != 0) {
        fprintf(stderr, "%s\n", error.text);
        abort();
    }
    pool_clear(&pool);
    json_decref(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct pool pool = {0};
    struct json_cursor file;
    char path[64];
    if (!specs.count && spec_set_load(&specs, "specs", &error) != 0)
        abort();
    int memory = memfd_create("cases.json", 0);
    if (memory < 0 || write(memory, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory);
    if (json_cursor_open(path, false, &file, &error) == 0) {
        const struct json_cursor cases = json_cursor_member(&file, "cases");
        for (size_t i = 0; i < json_array_size(cases.value) && i < 8; i++) {
            const struct json_cursor entry = json_cursor_entry(&cases, i);
            struct testcase c;
            if (casefile_read(&entry, &specs, NULL, NULL, &pool, &c, &error) == 0)
                read_again(&c);
        }
        json_cursor_close(&file);
    }
    pool_clear(&pool);
    close(memory);
    return 0;
}
