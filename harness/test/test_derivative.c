/* The gradient of local response normalisation against the quotients of small differences: both formulas are evaluated
 * in FLOAT64, for which this test changes the types that the catalogue lists. */
#include "harness/base/random.h"
#include "harness/describe/desc_text.h"
#include "harness/load/load.h"
#include "harness/trial/computed.h"
#include "tools/tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORWARD "LOCAL_RESPONSE_NORMALIZATION"

enum { COUNT = 2 * 5 * 4 * 3 };

static char folder[] = "/tmp/assay-derivative-XXXXXX";
static struct spec_set specs;
static struct error error;

static bool test_derivative_run(const char *command, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, command);
    vsnprintf(text, sizeof text, command, arguments);
    va_end(arguments);
    return system(text) == 0; /* NOLINT: the text is this file's own */
}

/* Loads the operators' spec alone, with FLOAT64 in the catalogue. */
static bool test_derivative_load(void)
{
    return test_derivative_run("cp specs/local_response_normalization.lua specs/rulings.lua specs/tensor.lua %s/",
                               folder) &&
           test_derivative_run(
               "sed '/name = \"" FORWARD "/,/levels/s/levels = .*/levels = "
               "{ { \"1_0\", InputTensor = { { \"FLOAT64\" }, 4 } } },/' specs/catalogue.lua >%s/catalogue.lua",
               folder) &&
           spec_set_load(&specs, folder, &error) == 0;
}

/* Evaluates the formula of the operator. */
static void test_derivative_evaluate(const char *operator, const char * attributes, double *inputs[], int input_count,
                                     double *output)
{
    static struct opdesc desc;
    char text[512], *at = text;
    uint8_t *tensors[OPDESC_MAX_TENSORS] = {NULL};
    static const char *const names[2][3] = {{"InputTensor", "OutputTensor"},
                                            {"InputTensor", "InputGradientTensor", "OutputGradientTensor"}};
    at += sprintf(at, "%s", operator);
    for (int i = 0; i <= input_count; i++) {
        at += sprintf(at, " %s=FLOAT64[2,5,4,3]", names[input_count - 1][i]);
        tensors[i] = (uint8_t *)(i < input_count ? inputs[i] : output);
    }
    sprintf(at, " %s", attributes);
    if (desc_text_parse(&specs, text, &desc, &error) != 0) {
        printf("Bail out! %s\n", error.text);
        exit(3);
    }
    computed_run(&specs.specs[desc.op], &desc, tensors);
}

/* Returns the sum of all normalised elements times their gradients. */
static double test_derivative_total(const char *attributes, double *x, const double *gradient)
{
    double y[COUNT], sum = 0;
    test_derivative_evaluate(FORWARD, attributes, &x, 1, y);
    for (int i = 0; i < COUNT; i++)
        sum += gradient[i] * y[i];
    return sum;
}

static void test_gradient(int crosses, int size, double alpha, double beta, double bias, uint64_t seed)
{
    const double step = 1e-5;
    struct random random;
    double x[COUNT], gradient[COUNT], derived[COUNT], worst = 0;
    char attributes[128];
    random = (struct random){.key = seed};
    snprintf(attributes, sizeof attributes, "CrossChannel=%d LocalSize=%d Alpha=%.9g Beta=%.9g Bias=%.9g", crosses,
             size, alpha, beta, bias);
    for (int i = 0; i < COUNT; i++) {
        x[i] = (double)random_below(&random, 4001) / 1000 - 2;
        gradient[i] = (double)random_below(&random, 4001) / 1000 - 2;
    }
    test_derivative_evaluate(FORWARD "_GRAD", attributes, (double *[]){x, gradient}, 2, derived);
    for (int i = 0; i < COUNT; i++) {
        double kept = x[i];
        x[i] = kept + step;
        double above = test_derivative_total(attributes, x, gradient);
        x[i] = kept - step;
        double below = test_derivative_total(attributes, x, gradient);
        x[i] = kept;
        worst = fmax(worst, fabs((above - below) / (2 * step) - derived[i]));
    }
    ok(worst < 1e-7, "%s: %.2g off", attributes, worst);
}

int main(void)
{
    if (!mkdtemp(folder) || !test_derivative_load()) {
        printf("Bail out! %s\n", error.text);
        return 3;
    }
    static const double attributes[][3] = {{3, 1, 1}, {0.75, 0.75, 2}, {4, 0.5, 0.25}, {2, 2.25, 3}, {-0.25, 1.5, 4}};
    for (int crosses = 0; crosses < 2; crosses++)
        for (int size = 1; size <= 6; size++)
            for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
                if ((size_t)size % 5 <= i || size > 4)
                    test_gradient(crosses, size, attributes[i][0], attributes[i][1], attributes[i][2],
                                  (uint64_t)(crosses * 100 + size * 10) + i);
    spec_set_free(&specs);
    test_derivative_run("rm -r %s", folder);
    return tap_done();
}
