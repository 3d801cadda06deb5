/* plan_unfold.c: UNFOLD and FOLD. */
#include "device/vulkan/plan_unfold.h"

#include "device/vulkan/plan_internal.h"

int plan_unfold_computes(DML_OPERATOR_TYPE type)
{
    return type == DML_OPERATOR_UNFOLD || type == DML_OPERATOR_FOLD;
}

/* Tells whether a coordinate of the padded picture may not fit into 31 bits. */
static int is_far(const struct descriptor *d)
{
    const struct tensor *picture = d->type == DML_OPERATOR_FOLD ? &d->outputs[0] : &d->inputs[0];
    for (uint32_t i = 2; i < picture->rank; i++)
        if ((uint64_t)picture->sizes[i] + d->lists[3][i - 2] + d->lists[4][i - 2] > INT32_MAX)
            return 1;
    return 0;
}

const char *plan_unfold_lack(const struct descriptor *descriptor, const struct vk *vk)
{
    if (descriptor->outputs[0].element_bits != 32)
        return "UNFOLD and FOLD of elements of other than 32 bits";
    return is_far(descriptor) && !vk->has_int64 ? "64-bit integers" : NULL;
}

static void set_strides(struct plan_dimension *dimension, uint32_t first, uint32_t second)
{
    dimension->stride[0] = first;
    dimension->stride[1] = second;
}

void plan_unfold(const struct descriptor *d, const struct pipeline_traits *traits, struct plan *plan)
{
    int folds = d->type == DML_OPERATOR_FOLD;
    const struct tensor *picture = folds ? &d->outputs[0] : &d->inputs[0];
    const struct tensor *columns = folds ? &d->inputs[0] : &d->outputs[0];
    struct plan_launch *launch = plan_add_launch(plan, 0, 2, sizeof(struct plan_unfold));
    struct plan_unfold *p = &launch->parameters.unfold;
    uint32_t row = columns->strides[1], column = columns->strides[2];

    p->count = (uint32_t)d->outputs[0].count;
    p->group_size = plan_group_size(traits, p->count, PIPELINE_NARROW);
    p->rank = picture->rank - 2;
    for (uint32_t i = p->rank; i-- > 0;) {
        struct plan_spatial *s = &p->spatials[i];
        uint32_t window = d->lists[0][i], stride = d->lists[1][i], gap = d->lists[2][i];
        uint64_t padded = (uint64_t)picture->sizes[i + 2] + d->lists[3][i] + d->lists[4][i];
        uint32_t places = (uint32_t)((padded - (uint64_t)gap * (window - 1) - 1) / stride) + 1;
        s->size = nest_dimension(picture->sizes[i + 2]);
        s->size.stride[0] = picture->strides[i + 2];
        s->padding = d->lists[3][i];
        s->outer = nest_dimension(window);
        s->inner = nest_dimension(places);
        set_strides(&s->outer, gap, row);
        set_strides(&s->inner, stride, column);
        if (folds && places < window) { /* FOLD tries the elements of the outer loop; those of the inner one follow */
            struct plan_dimension kept = s->outer;
            s->outer = s->inner;
            s->inner = kept;
        }
        s->divisor = nest_dimension(s->inner.stride[0]);
        row *= window;
        column *= places;
    }
    p->channel = nest_dimension(picture->sizes[1]);
    p->batch = nest_dimension(picture->sizes[0]);
    set_strides(&p->channel, picture->strides[1], row);
    set_strides(&p->batch, picture->strides[0], columns->strides[0]);
    launch->groups = (p->count - 1) / p->group_size + 1;
    launch->pipeline =
        (struct pipeline_key){.kernel = PIPELINE_UNFOLD, .width = 32, .specials = {(uint8_t)folds, (uint8_t)is_far(d)}};
    plan_set_address(launch, 0, PLAN_INPUT, 0);
    plan_set_address(launch, 1, PLAN_OUTPUT, 0);
}
