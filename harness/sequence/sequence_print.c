#include "harness/describe/desc_text.h"
#include "harness/sequence/sequence_internal.h"

static void print_dispatch(const struct lifecycle_step *step, FILE *out)
{
    static const char *const places[] = {"", ", in the memory of its last dispatch",
                                         ", with the bases of its last dispatch and other offsets"};
    fprintf(out, "    dispatch(device[%u], (assay_dispatch_item[]){", step->step.device);
    for (uint32_t i = 0; i < step->step.item_count; i++)
        fprintf(out, "%s{compiled[%u], inputs, outputs, input_count, output_count}", i ? ", " : "",
                step->items[i].compiled);
    fprintf(out, "}, %u, results);\n", step->step.item_count);
    for (uint32_t i = 0; i < step->step.item_count; i++)
        if (step->items[i].memory != MEMORY_NEW || step->items[i].one_base)
            fprintf(out, "        /* item %u%s%s */\n", i, places[step->items[i].memory % 3],
                    step->items[i].one_base ? "; its inputs have one base" : "");
}

static void sequence_print_step(const struct lifecycle_step *step, FILE *out)
{
    unsigned device = step->step.device, op = step->step.op, compiled = step->step.compiled;
    switch (step->step.call) {
    case STEP_OPEN:
        fprintf(out, "    create_device(&config, &device[%u], message, sizeof message);\n", device);
        break;
    case STEP_CLOSE:
        fprintf(out, "    destroy_device(device[%u]);\n", device);
        break;
    case STEP_DESCRIBE:
        fprintf(out, "    describe(device[%u], &info);\n", device);
        break;
    case STEP_CREATE:
        fprintf(out, "    create_operator(device[%u], &desc_%u, &op[%u]);\n", device, step->desc, op);
        break;
    case STEP_COMPILE:
        fprintf(out, "    compile_operator(device[%u], op[%u], DML_EXECUTION_FLAG_NONE, &compiled[%u]);\n", device, op,
                compiled);
        break;
    case STEP_DISPATCH:
        print_dispatch(step, out);
        break;
    case STEP_DESTROY_COMPILED:
        fprintf(out, "    destroy_compiled(device[%u], compiled[%u]);\n", device, compiled);
        break;
    case STEP_DESTROY_OPERATOR:
        fprintf(out, "    destroy_operator(device[%u], op[%u]);\n", device, op);
        break;
    case STEP_DESTROY_NULL:
        fprintf(out,
                "    destroy_compiled(device[%u], NULL), destroy_operator(device[%u], NULL), destroy_device(NULL);\n",
                device, device);
        break;
    default:
        break;
    }
}

void sequence_print(const struct sequence *s, FILE *out)
{
    char text[1024];
    struct lifecycle_step step;
    bool used[LIFECYCLE_DESCS] = {false};
    for (size_t i = 0; i < s->count; i++)
        if (sequence_step(s, i, &step) && step.step.call == STEP_CREATE)
            used[step.desc % LIFECYCLE_DESCS] = true;
    for (int i = 0; i < LIFECYCLE_DESCS; i++)
        if (used[i] && s->usable[i]) {
            desc_text_print(s->descs[i].spec, s->descs[i].desc, text, sizeof text);
            fprintf(out, "    /* desc_%d: %s */\n", i, text);
        }
    for (size_t i = 0; i < s->count; i++)
        if (sequence_step(s, i, &step) && (step.step.call != STEP_CREATE || s->usable[step.desc]))
            sequence_print_step(&step, out);
}
