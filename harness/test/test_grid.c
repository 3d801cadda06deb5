/* Contents of an input whose rows have numbers of different kinds: each entry is a multiple of its part and lies in its
 * range; an entry that is a distance adds to the one that it begins at. */
#include "harness/base/datatype.h"
#include "harness/case/fill.h"
#include "harness/describe/desc_text.h"
#include "harness/test/spec_folder.h"
#include "tools/tap.h"

#include <math.h>

enum { ROWS = 500, ENTRIES = 5 };

static const char spec_text[] =
    "local R = \"ROITensor\"\n"
    "return operator \"ROI_POOLING\" { parameters = {}, rules = {}, grids = { grid(R) { spans = 2, from =\n"
    "  concat(0, -1, -2, 0, 1), to = concat(size(\"InputTensor\", 0) - 1, 4, 3, 2, 1), parts = concat(1, 4, 2, 8, 1) "
    "} } }\n";

static struct spec_set specs;
static struct opdesc desc;
static float rows[ROWS][ENTRIES], others[ROWS][ENTRIES];

/* Fills the tensor of regions. `strides`: what its description says about strides. */
static void fill_rows(enum fill fill, uint64_t seed, const char *strides, float to[ROWS][ENTRIES])
{
    char text[512];
    struct error error = {0};
    snprintf(text, sizeof text,
             "ROI_POOLING InputTensor=FLOAT32[3,1,4,4] ROITensor=FLOAT32[1,1,%d,%d]%s OutputTensor=FLOAT32[%d,1,1,1] "
             "SpatialScale=1 PooledSize=[1,1]",
             ROWS, ENTRIES, strides, ROWS);
    if (desc_text_parse(&specs, text, &desc, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        exit(3);
    }
    const struct testcase c = {.spec = &specs.specs[0], .desc = &desc, .rule = -1, .fill = fill};
    fill_input(&c, seed, 1, (uint8_t *)to, sizeof rows);
}

/* Returns true if all entries in a column, less those in the column `begin`, are multiples of a part from `low` to
 * `high`, and both ends occur. */
static bool is_in_range(int column, int begin, double low, double high, double parts)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (int i = 0; i < ROWS; i++) {
        double x = (double)rows[i][column] - (begin < 0 ? 0 : (double)rows[i][begin]);
        if (x * parts != floor(x * parts))
            return false;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    return least == low && most == high;
}

int main(void)
{
    struct spec_folder folder;
    struct error error = {0};
    spec_folder_make(&folder);
    spec_folder_write(&folder, "roi_pooling.lua", spec_text);
    bool loaded = spec_set_load(&specs, folder.path, &error) == 0;
    spec_folder_remove(&folder);
    if (!ok(loaded, "the spec loads %s", error.text))
        return tap_done();
    fill_rows(FILL_ORDINARY, 1, "", rows);
    ok(is_in_range(0, -1, 0, 2, 1), "whole numbers up to a size");
    ok(is_in_range(1, -1, -1, 4, 4), "quarters from -1 on");
    ok(is_in_range(2, -1, -2, 3, 2), "halves from -2 on");
    ok(is_in_range(3, 1, 0, 2, 8), "a distance from the entry two places before");
    ok(is_in_range(4, 2, 1, 1, 1), "a distance that is always the same");
    fill_rows(FILL_SPECIAL, 1, "", others);
    ok(memcmp(rows, others, sizeof rows) == 0, "contents do not change a grid");
    fill_rows(FILL_ORDINARY, 2, "", others);
    ok(memcmp(rows, others, sizeof rows) != 0, "a seed does");
    fill_rows(FILL_ORDINARY, 1, ":strides[2500,2500,1,500]", others);
    bool same = true;
    for (int i = 0; i < ROWS * ENTRIES; i++)
        same &= (&rows[0][0])[i] == (&others[0][0])[i % ENTRIES * ROWS + i / ENTRIES];
    ok(same, "strides change the place of an entry, not its number");
    spec_set_free(&specs);
    return tap_done();
}
