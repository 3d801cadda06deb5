/* The specs load with each known mistake of their operator: a mistake that does not load explains nothing, and its
 * mutant does not open. device/test/test_changes.lua looks for the texts that the mistakes change. */
#include "harness/load/load.h"
#include "harness/mistakes/known.h"
#include "harness/spec/spec_set.h"
#include "harness/test/sampled.h"
#include "tools/tap.h"

enum { SAMPLE = 40 }; /* a sample takes one in so many pairs of a mistake and an operator, which take some 30 ms each */

static void test_operator(const struct spec *spec, int number)
{
    for (int i = 0; i < KNOWN_MAX; i++) {
        struct spec_set changed = {0};
        struct error error = {0};
        if (!known_concerns(i, spec->name) || !(sampled_whole || (i + number) % SAMPLE == 0))
            continue;
        ok(known_load(&changed, "specs", spec, known_mistakes[i].changes, &error) == 0, "%s loads with %s%s%s",
           spec->name, known_mistakes[i].name, *error.text ? ": " : "", error.text);
        spec_set_free(&changed);
    }
}

int main(int argc, char **argv)
{
    struct spec_set specs;
    struct error error = {0};
    sampled_begin(argc, argv);
    if (spec_set_load(&specs, "specs", &error) != 0)
        ok(false, "the specs load: %s", error.text);
    for (int i = 0; i < specs.count; i++)
        test_operator(&specs.specs[i], i);
    spec_set_free(&specs);
    return tap_done();
}
