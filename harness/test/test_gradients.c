/* Compares the formulas of gradients with those of the operators themselves: with finite differences or, for a linear
 * operator, with the transpose of its weights. All are in FLOAT64, which the specs are given for this test. */
#include "harness/base/datatype.h"
#include "harness/describe/desc_text.h"
#include "harness/test/spec_folder.h"
#include "harness/trial/computed.h"
#include "tools/tap.h"

#include <math.h>
#include <stdarg.h>

enum { ROOM = 64, TENSORS = 8 };

static struct spec_set specs;
static struct opdesc desc;
static double memory[TENSORS][ROOM];
static uint8_t *tensors[OPDESC_MAX_TENSORS];

/* Loads the spec files with a catalogue in which FLOAT64 is where floats are. */
static void test_gradients_load(struct spec_folder *folder, const char *const *files)
{
    static char text[1 << 18];
    static const char all[] = "local float = { \"FLOAT32\", \"FLOAT16\" }", wider[] = "local float = { \"FLOAT64\" }";
    struct error error = {0};
    FILE *file = fopen("specs/catalogue.lua", "r");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    char *at = strstr(text, all);
    if (!at || size == sizeof text - 1) {
        printf("Bail out! the catalogue has no %s\n", all);
        exit(3);
    }
    fclose(file);
    memset(at, ' ', sizeof all - 1);
    memcpy(at, wider, sizeof wider - 1);
    spec_folder_make(folder);
    char path[PATH_MAX];
    folder_name(folder, "catalogue.lua", path);
    unlink(path); /* a link to the project's */
    spec_folder_write(folder, "catalogue.lua", text);
    for (; *files; files++)
        spec_folder_link(folder, "specs", *files);
    if (spec_set_load(&specs, folder->path, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        exit(3);
    }
}

__attribute__((format(printf, 1, 2))) static void describe_gradient(const char *format, ...)
{
    char text[1024];
    struct error error = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (desc_text_parse(&specs, text, &desc, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        exit(3);
    }
}

/* Evaluates the operator of `desc`, whose tensors are `used`, in the order of its fields; -1: absent. */
static void test_gradients_evaluate(const char *name, const int *used, int count)
{
    const struct spec *spec = &specs.specs[spec_set_find(&specs, name)];
    memset(tensors, 0, sizeof tensors);
    for (int i = 0; i < count; i++)
        tensors[i] = used[i] < 0 ? NULL : (uint8_t *)memory[used[i]];
    computed_run(spec, &desc, tensors);
}

/* ---- batch normalisation */

/* The sizes of the input, and the sizes of the statistics. */
struct shape {
    const char *input, *statistic;
    int elements, statistics;
};

static const struct shape shapes[] = {{"[2,3,2,2]", "[1,3,1,1]", 24, 3},
                                      {"[2,3,2,2]", "[1,1,1,1]", 24, 1},
                                      {"[2,3,2,2]", "[2,3,1,1]", 24, 6},
                                      {"[2,3,2,2]", "[2,1,2,1]", 24, 4},
                                      {"[7]", "[1]", 7, 1}};

enum { X, SCALE, BIAS, Y, MEAN, VARIANCE, GRADIENT, RESULT };

static const double epsilon = 0.375, step = 1e-5;
static double scale_result[ROOM], bias_result[ROOM];

static double test_gradients_draw(int number)
{
    return sin(number * 12.9898 + 4.1414) * 3;
}

/* Returns the sum of the outputs, each times its gradient. */
static double loss(const struct shape *s, bool trains)
{
    double sum = 0;
    if (trains) {
        describe_gradient(
            "BATCH_NORMALIZATION_TRAINING InputTensor=FLOAT64%s ScaleTensor=FLOAT64%s BiasTensor=FLOAT64%s "
            "FusedAddTensor=null OutputTensor=FLOAT64%s OutputMeanTensor=FLOAT64%s OutputVarianceTensor=FLOAT64%s "
            "Epsilon=%g FusedActivation=null",
            s->input, s->statistic, s->statistic, s->input, s->statistic, s->statistic, epsilon);
        test_gradients_evaluate("BATCH_NORMALIZATION_TRAINING", (const int[]){X, SCALE, BIAS, -1, Y, MEAN, VARIANCE},
                                7);
    } else {
        describe_gradient("BATCH_NORMALIZATION InputTensor=FLOAT64%s MeanTensor=FLOAT64%s VarianceTensor=FLOAT64%s "
                          "ScaleTensor=FLOAT64%s BiasTensor=FLOAT64%s OutputTensor=FLOAT64%s Spatial=1 Epsilon=%g "
                          "FusedActivation=null",
                          s->input, s->statistic, s->statistic, s->statistic, s->statistic, s->input, epsilon);
        test_gradients_evaluate("BATCH_NORMALIZATION", (const int[]){X, MEAN, VARIANCE, SCALE, BIAS, Y}, 6);
    }
    for (int i = 0; i < s->elements; i++)
        sum += memory[Y][i] * memory[GRADIENT][i];
    return sum;
}

/* Returns the finite difference along one number. */
static double test_gradients_difference(const struct shape *s, bool trains, double *number)
{
    const double kept = *number;
    *number = kept + step;
    double above = loss(s, trains);
    *number = kept - step;
    double below = loss(s, trains);
    *number = kept;
    return (above - below) / (2 * step);
}

static void test_gradients_hold(const struct shape *s, bool trains, const char *what, const double *gradient,
                                double *numbers, int count)
{
    double mean[ROOM], variance[ROOM], worst = 0, largest = 0;
    memcpy(mean, memory[MEAN], sizeof mean);
    memcpy(variance, memory[VARIANCE], sizeof variance);
    for (int i = 0; i < count; i++) {
        double expected = test_gradients_difference(s, trains, &numbers[i]);
        worst = fmax(worst, isfinite(gradient[i]) ? fabs(gradient[i] - expected) : (double)INFINITY);
        largest = fmax(largest, fabs(expected));
    }
    memcpy(memory[MEAN], mean, sizeof mean);
    memcpy(memory[VARIANCE], variance, sizeof variance);
    ok(worst <= 1e-8 * (1 + largest) && largest > 1e-3, "%s, %s of %s: the gradient of the %s is off by %.2g of %.3g",
       trains ? "trained" : "given", s->statistic, s->input, what, worst, largest);
}

static void try_batch(const struct shape *s, bool trains)
{
    const char *name = trains ? "BATCH_NORMALIZATION_TRAINING_GRAD" : "BATCH_NORMALIZATION_GRAD";
    for (int i = 0; i < ROOM; i++) {
        memory[X][i] = test_gradients_draw(i) + 1;
        memory[GRADIENT][i] = test_gradients_draw(i + 100);
        memory[SCALE][i] = test_gradients_draw(i + 200);
        memory[BIAS][i] = test_gradients_draw(i + 300);
        memory[MEAN][i] = test_gradients_draw(i + 400);
        memory[VARIANCE][i] = fabs(test_gradients_draw(i + 500));
    }
    loss(s, trains); /* also writes the statistics of the batch */
    describe_gradient(
        "%s InputTensor=FLOAT64%s InputGradientTensor=FLOAT64%s MeanTensor=FLOAT64%s VarianceTensor=FLOAT64%s "
        "ScaleTensor=FLOAT64%s OutputGradientTensor=FLOAT64%s OutputScaleGradientTensor=FLOAT64%s "
        "OutputBiasGradientTensor=FLOAT64%s Epsilon=%g",
        name, s->input, s->input, s->statistic, s->statistic, s->statistic, s->input, s->statistic, s->statistic,
        epsilon);
    memset(tensors, 0, sizeof tensors);
    const int used[] = {X, GRADIENT, MEAN, VARIANCE, SCALE, RESULT};
    for (int i = 0; i < 6; i++)
        tensors[i] = (uint8_t *)memory[used[i]];
    tensors[6] = (uint8_t *)scale_result;
    tensors[7] = (uint8_t *)bias_result;
    computed_run(&specs.specs[spec_set_find(&specs, name)], &desc, tensors);
    test_gradients_hold(s, trains, "input", memory[RESULT], memory[X], s->elements);
    test_gradients_hold(s, trains, "scale", scale_result, memory[SCALE], s->statistics);
    test_gradients_hold(s, trains, "bias", bias_result, memory[BIAS], s->statistics);
}

/* ---- resampling */

struct resized {
    const char *input, *output, *fields; /* of the operator whose gradient the other one is */
    int inputs, outputs;
};

static const struct resized resized[] = {
    {"[4]", "[7]", "DimensionCount=1 Scales=[1.75] InputPixelOffsets=[0.5] OutputPixelOffsets=[-0.5]", 4, 7},
    {"[7]", "[4]", "DimensionCount=1 Scales=[0.5625] InputPixelOffsets=[0.25] OutputPixelOffsets=[-0.125]", 7, 4},
    {"[3,4]", "[5,4]", "DimensionCount=2 Scales=[1.5,0.75] InputPixelOffsets=[0,0.5] OutputPixelOffsets=[0,0.25]", 12,
     20},
    {"[2,3,2,2]", "[2,2,3,3]",
     "DimensionCount=4 Scales=[1,0.8,1.5,2] InputPixelOffsets=[0.5,0.5,-0.5,0] OutputPixelOffsets=[-0.5,-0.5,0.25,0]",
     24, 36},
    {"[1,2,3,3]", "[1,2,4,4]",
     "DimensionCount=4 Scales=[1,1,1.25,1.3] InputPixelOffsets=[1,0.5,0.5,0.5] OutputPixelOffsets=[1,-0.5,-0.5,-0.5]",
     18, 32},
};

/* Writes row `k` of a table: what an operator makes of the tensor whose element k is 1 and whose others are 0. */
static void fill_row(double table[ROOM][ROOM], const char *name, int k, int count)
{
    memset(memory[X], 0, sizeof memory[X]);
    memory[X][k] = 1;
    test_gradients_evaluate(name, (const int[]){X, Y}, 2);
    memcpy(table[k], memory[Y], (size_t)count * sizeof **table);
}

/* Compares the weight of each input in each output with the share of that output's gradient that the input gets. */
static void try_resized(const struct resized *r, const char *name, const char *gradient, const char *more, int mode)
{
    static double forward[ROOM][ROOM], backward[ROOM][ROOM];
    double worst = 0, sum = 0;
    describe_gradient("%s InputTensor=FLOAT64%s OutputTensor=FLOAT64%s InterpolationMode=%d %s%s", name, r->input,
                      r->output, mode, r->fields, more);
    for (int i = 0; i < r->inputs; i++)
        fill_row(forward, name, i, r->outputs);
    describe_gradient("%s InputGradientTensor=FLOAT64%s OutputGradientTensor=FLOAT64%s InterpolationMode=%d %s%s",
                      gradient, r->output, r->input, mode, r->fields, more);
    for (int o = 0; o < r->outputs; o++)
        fill_row(backward, gradient, o, r->inputs);
    for (int i = 0; i < r->inputs; i++)
        for (int o = 0; o < r->outputs; o++) {
            double off = fabs(forward[i][o] - backward[o][i]);
            worst = fmax(worst, isfinite(off) ? off : (double)INFINITY);
            sum += forward[i][o];
        }
    ok(worst <= 1e-12 && fabs(sum - r->outputs) <= 1e-9,
       "%s%s, mode %d, %s to %s: the gradient is the transpose: off by %.2g; weights add up to %.3g", gradient, more,
       mode, r->input, r->output, worst, sum);
}

static void test_resized(void)
{
    for (size_t i = 0; i < sizeof resized / sizeof *resized; i++)
        for (int mode = 0; mode < 2; mode++) {
            try_resized(&resized[i], "RESAMPLE1", "RESAMPLE_GRAD", "", mode);
            try_resized(&resized[i], "RESAMPLE2", "RESAMPLE_GRAD1", " RoundingDirection=0", mode);
            try_resized(&resized[i], "RESAMPLE2", "RESAMPLE_GRAD1", " RoundingDirection=1", mode);
        }
}

/* ---- regions of pictures */

enum { PICTURE, BINS, REGIONS, BIN_GRADIENT, PICTURE_GRADIENT, REGION_GRADIENT };
enum { IN_PICTURE = 2 * 2 * 5 * 6, IN_BINS = 3 * 2 * 2 * 3, IN_REGIONS = 3 * 4 };

static double region_memory[REGION_GRADIENT + 1][IN_PICTURE];
static uint32_t batches[] = {1, 0, 1};
static const char *attributes; /* of both operators */

static void regions_evaluate(const char *name, const char *fields, const int *used, int count)
{
    const struct spec *spec = &specs.specs[spec_set_find(&specs, name)];
    describe_gradient("%s %s %s", name, fields, attributes);
    memset(tensors, 0, sizeof tensors);
    for (int i = 0; i < count; i++)
        tensors[i] = used[i] < 0 ? (uint8_t *)batches : (uint8_t *)region_memory[used[i]];
    computed_run(spec, &desc, tensors);
}

static double product_of(int a, int b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += region_memory[a][i] * region_memory[b][i];
    return sum;
}

/* Returns the sum of the bins, each times its gradient. */
static double loss_of_bins(void)
{
    regions_evaluate("ROI_ALIGN1",
                     "InputTensor=FLOAT64[2,2,5,6] ROITensor=FLOAT64[3,4] BatchIndicesTensor=UINT32[3] "
                     "OutputTensor=FLOAT64[3,2,2,3] OutOfBoundsInputValue=0",
                     (const int[]){PICTURE, REGIONS, -1, BINS}, 4);
    return product_of(BINS, BIN_GRADIENT, IN_BINS);
}

/* The sum is linear in the picture: it is the product of the picture and its gradient. */
static void try_regions(const char *what, bool is_smooth)
{
    double worst = 0, largest = 0;
    for (int i = 0; i < IN_PICTURE; i++) {
        region_memory[PICTURE][i] = test_gradients_draw(i) + 1;
        region_memory[BIN_GRADIENT][i] = test_gradients_draw(i + 200);
    }
    static const double edges[IN_REGIONS] = {0.3, 0.6, 4.45, 3.7, -1.2, 2.15, 3.1, 6.9, 4.9, 4.3, 1.35, 0.2};
    memcpy(region_memory[REGIONS], edges, sizeof edges);
    const double sum = loss_of_bins();
    regions_evaluate("ROI_ALIGN_GRAD",
                     "InputTensor=FLOAT64[2,2,5,6] InputGradientTensor=FLOAT64[3,2,2,3] ROITensor=FLOAT64[3,4] "
                     "BatchIndicesTensor=UINT32[3] OutputGradientTensor=FLOAT64[2,2,5,6] "
                     "OutputROIGradientTensor=FLOAT64[3,4]",
                     (const int[]){PICTURE, BIN_GRADIENT, REGIONS, -1, PICTURE_GRADIENT, REGION_GRADIENT}, 6);
    const double transposed = product_of(PICTURE_GRADIENT, PICTURE, IN_PICTURE);
    ok(fabs(sum) > 1e-2 && fabs(sum - transposed) <= 1e-12 * (1 + fabs(sum)),
       "%s: bins times their gradients, and the picture times its gradient: %.9g, %.9g", what, sum, transposed);
    for (int i = 0; i < IN_REGIONS && is_smooth; i++) {
        region_memory[REGIONS][i] = edges[i] + step;
        const double above = loss_of_bins();
        region_memory[REGIONS][i] = edges[i] - step;
        const double expected = (above - loss_of_bins()) / (2 * step), got = region_memory[REGION_GRADIENT][i];
        region_memory[REGIONS][i] = edges[i];
        worst = fmax(worst, isfinite(got) ? fabs(got - expected) : (double)INFINITY);
        largest = fmax(largest, fabs(expected));
    }
    if (is_smooth)
        ok(worst <= 1e-8 * (1 + largest) && largest > 1e-1, "%s: the gradient of the regions is off by %.2g of %.3g",
           what, worst, largest);
}

static void test_regions(void)
{
    static const char *const names[] = {"averages of 4", "averages, corners aligned", "greatest of 9", "nearest"};
    static const char *const values[] = {
        "ReductionFunction=AVERAGE InterpolationMode=LINEAR SpatialScaleX=0.75 SpatialScaleY=1.25 "
        "InputPixelOffset=0.5 OutputPixelOffset=-0.5 MinimumSamplesPerOutput=2 MaximumSamplesPerOutput=2 "
        "AlignRegionsToCorners=0",
        "ReductionFunction=AVERAGE InterpolationMode=LINEAR SpatialScaleX=1 SpatialScaleY=0.5 "
        "InputPixelOffset=0.25 OutputPixelOffset=0 MinimumSamplesPerOutput=1 MaximumSamplesPerOutput=1 "
        "AlignRegionsToCorners=1",
        "ReductionFunction=MAX InterpolationMode=LINEAR SpatialScaleX=0.75 SpatialScaleY=0.875 "
        "InputPixelOffset=0.5 OutputPixelOffset=-0.5 MinimumSamplesPerOutput=3 MaximumSamplesPerOutput=3 "
        "AlignRegionsToCorners=0",
        "ReductionFunction=AVERAGE InterpolationMode=NEAREST_NEIGHBOR SpatialScaleX=0.75 SpatialScaleY=1.25 "
        "InputPixelOffset=0.5 OutputPixelOffset=-0.5 MinimumSamplesPerOutput=2 MaximumSamplesPerOutput=2 "
        "AlignRegionsToCorners=0"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        attributes = values[i];
        try_regions(names[i], i < 3);
    }
}

int main(void)
{
    struct spec_folder folder;
    test_gradients_load(&folder, (const char *const[]){"batch_normalization.lua", "region.lua", "resample.lua", NULL});
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int trains = 0; trains < 2; trains++)
            try_batch(&shapes[i], trains);
    test_resized();
    test_regions();
    spec_set_free(&specs);
    spec_folder_remove(&folder);
    return tap_done();
}
