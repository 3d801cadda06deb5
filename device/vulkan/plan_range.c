/* plan_range.c: the reduction that finds the range of DYNAMIC_QUANTIZE_LINEAR's input. */
#include "device/vulkan/nest.h"
#include "device/vulkan/plan_internal.h"

/* Makes the loops over the input. A broadcast element counts once. */
static void range_make_nest(const struct tensor *input, struct nest *nest)
{
    *nest = (struct nest){0};
    for (uint32_t d = 0; d < input->rank; d++) {
        if (input->strides[d])
            nest_add(nest, input->sizes[d], (const uint32_t[PLAN_STRIDES]){input->strides[d]});
    }
    nest_merge(nest);
}

uint32_t plan_range(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &descriptor->inputs[0];
    struct nest nest;
    range_make_nest(input, &nest);
    uint32_t count = (uint32_t)nest_count(&nest), tiles = 0, pass = 0;
    uint64_t from = 0, to = 0; /* offsets of the ranges in the scratch memory */
    for (; tiles != 1; count = tiles, from = to, pass++) {
        int is_first = pass == 0;
        tiles = plan_tiles(count);
        to = plan->bytes[PLAN_SCRATCH];
        struct plan_launch *launch = plan_add_launch(plan, pass, 4, sizeof(struct plan_range));
        launch->parameters.range.count = count;
        nest_dimensions(&nest, PLAN_DIMENSIONS, launch->parameters.range.dimensions);
        launch->groups = (tiles - 1) / traits->subgroups_in_group + 1;
        plan_set_address(launch, 0, is_first ? PLAN_INPUT : PLAN_SCRATCH, from);
        plan_set_address(launch, 1, tiles > 1 ? PLAN_SCRATCH : PLAN_OUTPUT, tiles > 1 ? to : 0);
        plan_set_address(launch, 2, PLAN_OUTPUT + 1, 0);
        plan_set_address(launch, 3, PLAN_OUTPUT + 2, 0);
        launch->pipeline = (struct pipeline_key){
            .kernel = PIPELINE_RANGE,
            .width = 32,
            .specials = {PLAN_DIMENSIONS, is_first ? (uint8_t)input->type : 0, (uint8_t)descriptor->outputs[2].type},
        };
        if (tiles > 1)
            plan->bytes[PLAN_SCRATCH] += tiles * 2ull * sizeof(float);
    }
    return pass;
}
