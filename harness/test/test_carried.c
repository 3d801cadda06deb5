/* The errors that `carried` derives from a formula: devices that compute step by step, in several orders, stay within
 * them, and one that loses an element does not. */
#include "harness/base/datatype.h"
#include "harness/base/random.h"
#include "harness/describe/desc_text.h"
#include "harness/test/spec_folder.h"
#include "harness/trial/computed.h"
#include "tools/tap.h"

#include <math.h>

enum { LENGTH = 300, TRIES = 200 };

static struct spec_set specs;
static struct error error;
static struct opdesc desc;
static float a[LENGTH], b[LENGTH], out[1], expected[1];
static const uint8_t *tensors[OPDESC_MAX_TENSORS] = {(uint8_t *)a, (uint8_t *)b, (uint8_t *)out};

/* Loads an operator whose only element is the formula, with its carried bound for FLOAT32. */
static bool load(const char *formula)
{
    struct spec_folder folder;
    char text[1024];
    spec_folder_make(&folder);
    spec_folder_remove_one(&folder, "catalogue.lua");
    spec_folder_write(&folder, "catalogue.lua",
                      "local row = { { \"FLOAT32\" }, 1, 8 }\n"
                      "return { operators = { { name = \"ELEMENT_WISE_IDENTITY\", since = \"1_0\",\n"
                      "  fields = { { \"input\", \"A\" }, { \"input\", \"B\" }, { \"output\", \"Out\" } },\n"
                      "  levels = { { \"1_0\", A = row, B = row, Out = row } } } } }\n");
    snprintf(text, sizeof text,
             "local a, b, all = element \"A\", element \"B\", sizes \"A\"\n"
             "local function sum(formula)\n"
             "  return over { sizes = all, at = { A = step(all), B = step(all) }, fold = \"sum\", formula }\n"
             "end\n"
             "local value = %s\n"
             "return operator \"ELEMENT_WISE_IDENTITY\" { parameters = {}, rules = {},\n"
             "  results = { result \"Out\" { value, FLOAT32 = carried(value, 0x1p-24) } } }\n",
             formula);
    spec_folder_write(&folder, "element_wise_identity.lua", text);
    spec_set_free(&specs);
    error = (struct error){0};
    bool loaded = spec_set_load(&specs, folder.path, &error) == 0;
    spec_folder_remove(&folder);
    return loaded && desc_text_parse(&specs, "ELEMENT_WISE_IDENTITY A=FLOAT32[300] B=FLOAT32[300] Out=FLOAT32[1]",
                                     &desc, &error) == 0;
}

static float draw_carried(struct random *random, bool whole)
{
    return whole ? (float)random_below(random, 33) - 16 : (float)random_below(random, 1 << 23) / (1 << 20) - 4;
}

static void fill(uint64_t seed, bool whole)
{
    struct random random = {.key = seed};
    for (int i = 0; i < LENGTH; i++) {
        a[i] = draw_carried(&random, whole);
        b[i] = draw_carried(&random, whole);
    }
    uint8_t *const memory[OPDESC_MAX_TENSORS] = {(uint8_t *)a, (uint8_t *)b, (uint8_t *)expected};
    computed_run(&specs.specs[0], &desc, memory);
}

static struct comparison judge_carried(float value)
{
    struct comparison comparison;
    out[0] = value;
    const struct computed_output output = {.spec = &specs.specs[0],
                                           .desc = &desc,
                                           .item = 2,
                                           .tensors = tensors,
                                           .expected = (const uint8_t *)expected,
                                           .got = (const uint8_t *)out,
                                           .rule = -1};
    computed_compare(&output, &comparison);
    return comparison;
}

/* Sums n products of x and y: in order, or in halves. */
static float sum_of(const float *x, const float *y, int n, bool halves)
{
    float sum = 0;
    if (halves && n > 1)
        return sum_of(x, y, n / 2, true) + sum_of(x + n / 2, y + n / 2, n - n / 2, true);
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Runs a computation `of` in both orders and with a lost element. */
static void try_all(const char *formula, float (*of)(int length, bool halves))
{
    int wrong = 0, unseen = 0;
    double share = 0;
    if (!ok(load(formula), "%s %s", formula, error.text))
        return;
    for (uint64_t seed = 0; seed < TRIES; seed++) {
        fill(seed, false);
        for (int halves = 0; halves < 2; halves++) {
            struct comparison comparison = judge_carried(of(LENGTH, halves));
            wrong += comparison.agreement != AGREES;
            share = fmax(share, comparison.error.share);
        }
        unseen += judge_carried(of(LENGTH - 1, false)).agreement == AGREES;
    }
    ok(wrong == 0 && share > 0, "  devices stay within the bound: at most %.3g of it", share);
    ok(unseen < TRIES / 20, "  a lost element is seen: %d of %d are not", unseen, TRIES);
}

static float dot(int length, bool halves)
{
    return sum_of(a, b, length, halves);
}

static float norm(int length, bool halves)
{
    return sqrtf(sum_of(a, a, length, halves));
}

static float ratio(int length, bool halves)
{
    return (2 * sum_of(a, b, length, halves) - 1) / norm(length, halves);
}

static float larger(int length, bool halves)
{
    float x = dot(length, halves), y = 2 * x - 1;
    return x > y ? x : y;
}

int main(void)
{
    try_all("sum(a * b)", dot);
    try_all("sqrt(sum(a * a))", norm);
    try_all("(2 * sum(a * b) - 1) / sqrt(sum(a * a))", ratio);
    try_all("max(sum(a * b), 2 * sum(a * b) - 1)", larger);
    load("sum(a) * 2");
    fill(1, true);
    ok(judge_carried(nextafterf(expected[0], 1e9f)).agreement != AGREES || expected[0] == 0,
       "a sum of integers is exact");
    ok(!load("floor(sum(a * b))") && strstr(error.text, "carried: no bound for 'floor'"), "a step without a bound: %s",
       error.text);
    ok(!load("over { sizes = all, at = { A = step(all) }, fold = \"product\", a * a }") &&
           strstr(error.text, "no bound for a product"),
       "a product of inexact elements: %s", error.text);
    spec_set_free(&specs);
    return tap_done();
}
