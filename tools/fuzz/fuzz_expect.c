/* Expectation files: loaded, matched with a device and a plan, asked for a case, searched for stale lines. */
#include "harness/run/expect.h"
#include "tools/fuzz/target.h"

#include <stdlib.h>
#include <string.h>

static void ignore(void *context, const struct expect_line *line, const char *what)
{
    (void)context, (void)line, (void)what;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct testcase cases[] = {{.name = "gather.types.fl3_0.int8.d1", .tier = ""},
                                      {.name = "gather_nd.indices.negative.fl3_0.float32-int64.d5p3q2k1", .tier = ""}};
    static const struct plan plan = {.cases = cases, .count = 2};
    static const struct expect_device device = {"vulkan:device=0", "llvmpipe", "Mesa 22", "1.2", DML_FEATURE_LEVEL_4_0};
    struct expect expect = {0};
    struct error error = {0};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (expect_load_text(&expect, "fuzz.txt", size & 1, text, size, &error) == 0) {
        expect_use(&expect, &plan, &device);
        expect_find(&expect, cases[0].name);
        expect_stale(&expect, &plan, NULL, false, ignore, NULL);
    }
    expect_free(&expect);
    free(text);
    return 0;
}
