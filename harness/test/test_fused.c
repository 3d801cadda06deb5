/* FusedActivations that only some operators take: the value of a fused CLIP, and its rules. */
#include "harness/base/datatype.h"
#include "harness/check/check.h"
#include "harness/describe/desc_text.h"
#include "harness/test/spec_folder.h"
#include "harness/trial/computed.h"
#include "tools/tap.h"

#include <string.h>

static const char spec_text[] =
    "local value, page, also = element \"CTensor\", \"DML_GEMM\", { \"ELEMENT_WISE_CLIP\" }\n"
    "return operator \"GEMM\" { parameters = {}, rules = { fused_rules(\"FusedActivation\", page, nil, also) },\n"
    "  results = fused_results { value, output = \"OutputTensor\", field = \"FusedActivation\", error = 0,\n"
    "    also = also },\n"
    "  behaviours = fused_behaviours(value, nil, also) }\n";

static struct spec_set specs;
static struct opdesc desc;
static float inputs[2][4] = {{0}}, c[4] = {-3, 0.5f, 2, 9}, out[4];

static void describe(const char *activation)
{
    struct error error = {0};
    char text[512];
    snprintf(text, sizeof text,
             "GEMM ATensor=FLOAT32[1,1,2,2] BTensor=FLOAT32[1,1,2,2] CTensor=FLOAT32[1,1,2,2] "
             "OutputTensor=FLOAT32[1,1,2,2] TransA=0 TransB=0 Alpha=1 Beta=1 FusedActivation=%s",
             activation);
    if (desc_text_parse(&specs, text, &desc, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        exit(3);
    }
}

/* Returns the first rule that the description breaks at a level; "": none. */
static const char *broken_at(DML_FEATURE_LEVEL level)
{
    int rule = -1;
    return rules_check(&specs.specs[0], &desc, level, &rule, 1) ? specs.specs[0].rules[rule].id : "";
}

int main(void)
{
    struct spec_folder folder;
    struct error error = {0};
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {(uint8_t *)inputs[0], (uint8_t *)inputs[1], (uint8_t *)c, (uint8_t *)out};
    spec_folder_make(&folder);
    spec_folder_write(&folder, "gemm.lua", spec_text);
    bool loaded = spec_set_load(&specs, folder.path, &error) == 0;
    spec_folder_remove(&folder);
    if (!ok(loaded, "an operator that fuses CLIP %s", error.text))
        return tap_done();
    describe("ELEMENT_WISE_CLIP(Min=-1,Max=2)");
    ok(!*broken_at(DML_FEATURE_LEVEL_6_0), "CLIP is legal from level 6_0 on: %s", broken_at(DML_FEATURE_LEVEL_6_0));
    ok(strcmp(broken_at(DML_FEATURE_LEVEL_5_2), "fused-clip") == 0, "and open before");
    computed_run(&specs.specs[0], &desc, tensors);
    ok(out[0] == -1 && out[1] == 0.5f && out[2] == 2 && out[3] == 2, "elements are limited: %g %g %g %g",
       (double)out[0], (double)out[1], (double)out[2], (double)out[3]);
    int field = spec_find_field(&specs.specs[0], "FusedActivation");
    OPDESC_ELEMENT(&desc, field, 0)->nested.given |= 1u << 2;
    ok(strcmp(broken_at(DML_FEATURE_LEVEL_6_0), "fused-clip-scale-bias") == 0, "a ScaleBias is open");
    spec_set_free(&specs);
    return tap_done();
}
