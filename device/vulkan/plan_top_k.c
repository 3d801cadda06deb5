/* plan_top_k.c: TOP_K and TOP_K1. If sequences are short, each invocation takes one; a workgroup takes one long
 * sequence after the other. If there are few long sequences, they are cut into tiles: each tile gives its first K
 * elements to a list, and the next launch selects from that in the same way. */
#include "device/common/number.h"
#include "device/vulkan/plan_internal.h"

enum { SOURCE, VALUES, INDICES, SCRATCH, GIVEN, ADDRESSES };

/* Returns the elements of a sequence that a workgroup takes: so many that there are no more workgroups than the device
 * has use for, and that a list is much shorter than the sequence it is made from. */
static uint64_t top_k_choose_tile(const struct plan_top_k *p, const struct pipeline_traits *traits)
{
    const uint64_t least = traits->tile, shorter = 8;
    uint64_t tile = (uint64_t)p->sequences * p->size / traits->groups_at_least;
    tile = tile < least ? least : tile;
    tile = tile < shorter * p->k ? shorter * p->k : tile;
    return tile < p->size ? tile : p->size;
}

/* Returns the most rounds of loops that an invocation of shaders/top_k.comp needs for a tile. */
static uint64_t rounds_of(const struct plan_top_k *p, uint64_t tile, uint32_t group_size)
{
    const uint64_t counting = 96, lanes = group_size < 2 ? 1 : group_size / 2; /* counting: rounds for a digit */
    uint64_t selecting = (p->digits + 2) * ((tile - 1) / lanes + 1 + counting);
    uint64_t sorting = p->digits * (2 * ((p->k - 1) / lanes + 1) + counting) + (p->k - 1) / group_size + 1;
    return selecting + (p->k <= group_size ? p->k : sorting);
}

/* Sets `tile` and the size of the workgroups. Returns 0 if an invocation would have too many rounds with any size. */
static int choose_work(struct plan_top_k *p, const struct pipeline_traits *traits, uint32_t *group_log)
{
    uint64_t wanted = top_k_choose_tile(p, traits);
    uint32_t group_size = traits->group_size;
    *group_log = 0;
    while (traits->rounds && rounds_of(p, wanted, group_size) > traits->rounds) {
        if (group_size < 1u << traits->large_log) {
            group_size = 1u << (*group_log = traits->large_log);
        } else if (wanted > 4ull * p->k) {
            wanted /= 2; /* a list remains at most half as long as the sequence it is made from */
        } else {
            return 0;
        }
    }
    p->tile = (uint32_t)wanted;
    return 1;
}

/* Returns the number of workgroups, which take one tile after another: few, but each has few enough rounds. */
static uint32_t choose_groups(const struct plan_top_k *p, const struct pipeline_traits *traits, uint64_t tasks,
                              uint32_t group_log)
{
    const uint64_t most = 4096;
    uint64_t groups = tasks < most ? tasks : most;
    if (traits->rounds) {
        uint64_t rounds = rounds_of(p, p->tile, group_log ? 1u << group_log : traits->group_size);
        uint64_t each = traits->rounds / rounds, least = (tasks - 1) / each + 1;
        groups = groups < least ? least : groups;
    }
    return (uint32_t)groups;
}

static void set_shape(const struct descriptor *d, struct plan_top_k *p)
{
    enum { UNSIGNED, SIGNED, FLOATING };
    const struct tensor *input = &d->inputs[0], *values = &d->outputs[0], *indices = &d->outputs[1];
    struct nest nest = {0};
    for (uint32_t i = 0; i < input->rank; i++)
        if (i != d->axis)
            nest_add(&nest, input->sizes[i],
                     (const uint32_t[PLAN_STRIDES]){input->strides[i], values->strides[i], indices->strides[i]});
    nest_merge(&nest);
    nest_dimensions(&nest, PLAN_DIMENSIONS, p->dimensions);
    p->sequences = (uint32_t)nest_count(&nest);
    p->size = input->sizes[d->axis];
    p->k = values->sizes[d->axis];
    p->source_step = input->strides[d->axis];
    p->value_step = values->strides[d->axis];
    p->index_step = indices->strides[d->axis];
    int is_signed = input->type == DML_TENSOR_DATA_TYPE_INT8 || input->type == DML_TENSOR_DATA_TYPE_INT16 ||
                    input->type == DML_TENSOR_DATA_TYPE_INT32 || input->type == DML_TENSOR_DATA_TYPE_INT64;
    p->kind = is_signed ? SIGNED : UNSIGNED;
    if (number_is_float(input->type))
        p->kind = FLOATING;
    p->descending = d->type == DML_OPERATOR_TOP_K || d->desc.top_k1.AxisDirection == DML_AXIS_DIRECTION_DECREASING;
    p->wide = indices->element_size == 8;
    p->digits = 2 * input->element_size;
}

static struct plan_launch *add_selection(const struct plan_top_k *shape, enum pipeline_kernel kernel, uint32_t groups,
                                         uint32_t pass, uint32_t width, struct plan *plan)
{
    struct plan_launch *launch = plan_add_launch(plan, pass, ADDRESSES, sizeof(struct plan_top_k));
    launch->parameters.top_k = *shape;
    launch->groups = groups;
    launch->pipeline = (struct pipeline_key){.kernel = (uint8_t)kernel, .width = (uint16_t)width};
    plan_set_address(launch, SOURCE, PLAN_INPUT, 0);
    plan_set_address(launch, VALUES, PLAN_OUTPUT, 0);
    plan_set_address(launch, INDICES, PLAN_OUTPUT + 1, 0);
    plan_set_address(launch, SCRATCH, PLAN_SCRATCH, 0);
    plan_set_address(launch, GIVEN, PLAN_SCRATCH, 0); /* without a list to select from, GIVEN is not read */
    return launch;
}

/* Takes scratch memory for so many words; returns its offset. */
static uint64_t take_words(struct plan *plan, uint64_t words)
{
    uint64_t begin = plan->bytes[PLAN_SCRATCH];
    plan->bytes[PLAN_SCRATCH] = (begin + words * sizeof(uint32_t) + 15) / 16 * 16;
    return begin;
}

/* Tells whether a workgroup should take a sequence alone, as texels: see shaders/top_k_rows.comp. */
static int takes_rows(const struct descriptor *d, const struct plan_top_k *p, const struct pipeline_traits *traits)
{
    const uint32_t run = 16, longest = 1 << 16;
    uint32_t odd = p->size;
    for (uint32_t i = 0; i < PLAN_DIMENSIONS; i++)
        odd |= p->dimensions[i].stride[SOURCE];
    return d->inputs[0].element_size == 4 && d->inputs[0].bytes <= traits->texel_bytes &&
           nest_is_large(d->inputs[0].count) && p->source_step == 1 && odd % run == 0 &&
           p->size >= run * traits->group_size && p->size <= longest && p->k <= run / 2 * traits->group_size;
}

enum { SHORT = 2048 }; /* elements of a sequence that an invocation takes alone, at most */

const char *plan_top_k_lack(const struct descriptor *d, const struct pipeline_traits *traits)
{
    struct plan_top_k shape = {0};
    uint32_t group_log;
    set_shape(d, &shape);
    if (takes_rows(d, &shape, traits) || shape.size <= SHORT || choose_work(&shape, traits, &group_log))
        return NULL;
    return "loops with as many rounds as this K needs";
}

void plan_top_k(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    struct plan_top_k shape = {0};
    uint32_t width = 8 * d->inputs[0].element_size;
    set_shape(d, &shape);
    if (takes_rows(d, &shape, traits)) {
        struct plan_launch *launch = add_selection(&shape, PIPELINE_TOP_K_ROWS, shape.sequences, 0, width, plan);
        launch->texels = launch->pipeline.texels = 1;
        plan_set_address(launch, SCRATCH, PLAN_INPUT, 0); /* not used, but its chunk is bound */
        plan_set_address(launch, GIVEN, PLAN_INPUT, 0);
        return;
    }
    if (shape.size <= SHORT) {
        take_words(plan, (uint64_t)shape.sequences * shape.k);
        add_selection(&shape, PIPELINE_TOP_K_SHORT, (shape.sequences - 1) / traits->group_size + 1, 0, width, plan);
        return;
    }
    uint64_t given = 0;
    for (uint32_t pass = 0, is_last = 0; !is_last; pass++) {
        uint32_t group_log;
        choose_work(&shape, traits, &group_log);
        uint32_t tiles = (shape.size - 1) / shape.tile + 1, rest = shape.size - (tiles - 1) * shape.tile;
        is_last = tiles == 1;
        uint64_t tasks = (uint64_t)shape.sequences * tiles;
        shape.groups = choose_groups(&shape, traits, tasks, group_log);
        uint32_t from_rest = rest < shape.k ? rest : shape.k;
        shape.found_size = is_last ? 0 : (tiles - 1) * shape.k + from_rest;
        struct plan_launch *launch = add_selection(&shape, PIPELINE_TOP_K, shape.groups, pass, width, plan);
        launch->pipeline.specials[0] = pass > 0;
        launch->pipeline.specials[1] = (uint8_t)is_last;
        launch->pipeline.specials[PIPELINE_SPECIALS - 1] = (uint8_t)group_log;
        plan_set_address(launch, GIVEN, PLAN_SCRATCH, given);
        uint64_t words = is_last ? 2ull * shape.groups * shape.k : (uint64_t)shape.sequences * shape.found_size;
        given = take_words(plan, words);
        plan_set_address(launch, SCRATCH, PLAN_SCRATCH, given);
        shape.size = shape.found_size;
    }
}
