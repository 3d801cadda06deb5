#include "device/vulkan/plan_softmax.h"

#include "device/vulkan/plan_internal.h"

/* STAGE of softmax.comp; its MODE is an enum descriptor_softmax. */
enum stage { WHOLE, TILES, RESULTS };

int plan_softmax_computes(DML_OPERATOR_TYPE type)
{
    return descriptor_softmax_of(type) != SOFTMAX_NONE;
}

const char *plan_softmax_lack(const struct descriptor *descriptor, const struct vk *vk)
{
    (void)descriptor;
    return vk->has_8bit && vk->has_16bit ? NULL : "access to 8-bit and 16-bit elements";
}

/* Adds a launch, and returns it. `grid`: over all tiles of the slices. `kept`: see softmax.comp. */
static struct plan_launch *add_softmax_stage(const struct descriptor *descriptor, const struct nest *lines,
                                             const struct nest *places, const struct plan_grid *grid, enum stage stage,
                                             uint32_t kept, struct plan *plan)
{
    struct plan_launch *launch = plan_add_launch(plan, stage == RESULTS, 5, sizeof(struct plan_softmax));
    struct plan_softmax *p = &launch->parameters.softmax;
    p->grid = *grid;
    p->place_rank = places->rank;
    p->tiles = (grid->line_length - 1) / grid->tile + 1;
    nest_dimensions(lines, PLAN_DIMENSIONS, p->line_dimensions);
    nest_dimensions(places, PLAN_DIMENSIONS, p->place_dimensions);
    launch->groups = grid->line_groups * p->tiles;
    launch->pipeline = (struct pipeline_key){.kernel = PIPELINE_SOFTMAX,
                                             .width = 32,
                                             .specials = {(uint8_t)descriptor_softmax_of(descriptor->type),
                                                          (uint8_t)descriptor->inputs[0].type, (uint8_t)stage,
                                                          (uint8_t)kept, plan_row(lines, places, kept)}};
    plan_set_address(launch, 0, PLAN_INPUT, 0);
    plan_set_address(launch, 1, PLAN_OUTPUT, 0);
    uint64_t bytes = (uint64_t)grid->line_count * p->tiles * sizeof(uint32_t), room = (bytes + 15) / 16 * 16;
    for (uint32_t i = 0; i < 3; i++) /* a whole slice needs no tiles */
        plan_set_address(launch, 2 + i, stage == WHOLE ? PLAN_INPUT : PLAN_SCRATCH, stage == WHOLE ? 0 : i * room);
    if (stage != WHOLE)
        plan->bytes[PLAN_SCRATCH] = 3 * room;
    return launch;
}

/* Adds the launches. A workgroup takes whole slices: one, or several short ones. Slices with more elements than its
 * invocations should have are cut into tiles, in two launches. */
void plan_softmax(const struct descriptor *descriptor, const struct pipeline_traits *traits, struct plan *plan)
{
    const struct tensor *input = &descriptor->inputs[0], *output = &descriptor->outputs[0];
    struct nest lines = {0}, places = {0};
    for (uint32_t d = 0; d < input->rank; d++)
        nest_add(descriptor->slice_dimensions >> d & 1 ? &places : &lines, input->sizes[d],
                 (const uint32_t[PLAN_STRIDES]){input->strides[d], output->strides[d]});
    nest_merge(&lines);
    nest_merge(&places);
    uint32_t length = (uint32_t)nest_count(&places), each = plan_each(traits, input->count, length, 8);
    uint32_t widest = plan_widest(traits, input->count, length);
    struct plan_grid grid = plan_choose_grid(&lines, &places, each, widest, traits);
    if (plan_takes_rows(traits, &lines, &places, input->bytes)) {
        grid.tile = grid.line_length;
        struct plan_launch *launch = add_softmax_stage(descriptor, &lines, &places, &grid, WHOLE, 1, plan);
        plan_set_texels(launch, 1, 1, output->bytes, traits);
        return;
    }
    uint32_t kept = plan_kept(traits, input->count, grid.line_length, grid.places_log);
    uint64_t tile = (uint64_t)plan_most(traits, input->count, grid.line_groups) << grid.places_log;
    grid.tile = tile < grid.line_length ? (uint32_t)tile : grid.line_length;
    if (grid.tile == grid.line_length) {
        uint32_t group_log = kept > 1 && !grid.lines_adjacent ? plan_small_log(grid.places_log) : 0;
        if (group_log) {
            grid.lines_log = group_log - grid.places_log;
            grid.line_groups = ((grid.line_count - 1) >> grid.lines_log) + 1;
        }
        struct plan_launch *launch = add_softmax_stage(descriptor, &lines, &places, &grid, WHOLE, kept, plan);
        launch->pipeline.specials[PIPELINE_SPECIALS - 1] = (uint8_t)group_log;
    } else {
        kept = plan_kept(traits, input->count, grid.tile, grid.places_log);
        add_softmax_stage(descriptor, &lines, &places, &grid, TILES, kept, plan);
        /* The last stage keeps no elements: it reads each only once. */
        add_softmax_stage(descriptor, &lines, &places, &grid, RESULTS, 1, plan);
    }
}
