/* mistake.h: the table of mistakes. A broken device makes them, and a wrong result is compared with them.
 *
 * A mistake changes one thing about the computation of outputs: the elements that are read, the value of an attribute,
 * a step of the formula, the elements that are written. It predicts the outputs of a case from its inputs. explain.c
 * tries each mistake for a wrong result and names the mistake whose prediction the device wrote; device/mutants/ writes
 * the prediction. */
#ifndef TRIAL_MISTAKE_H
#define TRIAL_MISTAKE_H

#include "harness/trial/explain.h"
#include "harness/trial/plugin.h"

#include <stdint.h>

struct explainer;
struct mistake;

/* A mistake can be made at several sites of an operator: an input, a node of the formula, an attribute with one of the
 * values that it is taken for. The sites are numbered from 0 on. */
enum prediction {
    PREDICTS_NO_SITE, /* the operator has no site of this number, nor of a higher one */
    PREDICTS_NOTHING, /* the mistake cannot be made at the site, or changes no output */
    PREDICTS_OUTPUTS  /* explainer->predicted holds the outputs */
};

typedef enum prediction (*mistake_predict)(struct explainer *x, const struct mistake *m, int site);

struct mistake {
    const char *name; /* the name in fault=NAME */
    enum explanation explanation;
    mistake_predict predict;
    union mistake_detail {
        int64_t number;
        uint64_t (*rewrite)(unsigned type, uint64_t bits);
        float (*round)(float value);
        bool (*skips)(uint64_t number, uint64_t count, uint64_t column, uint64_t columns, unsigned bits);
    } as;
    int64_t more;  /* a second number */
    bool observed; /* explain_observe() or another entry recognises the mistake, so no prediction is tried */
    bool weak;     /* wide tolerances let the mistake fit by chance: wrong elements must be much nearer to it */
    bool many;     /* one of the many sites may fit by chance: enough elements must be wrong */
};

/* The table holds all mistakes; the most specific ones come first. */
extern const struct mistake mistakes[];
extern const int mistake_count;

/* Returns the mistake of this name; null: there is none. */
const struct mistake *mistake_find(const char *name);

/* A mistake is made in this case. All tensors are by item; `outputs` hold their old contents. */
struct mistake_case {
    const struct spec *spec;
    const struct opdesc *desc;
    const struct plugin *reference; /* computes the outputs if one of them has no formula */
    const uint8_t *const *inputs;
    uint8_t *const *outputs;
};

/* Writes the outputs that a device with the mistake gives. Returns false, and writes no output, if the mistake cannot
 * be made at the site or changes no output. `site` -1: the first site where the mistake changes an output. */
bool mistake_apply(const struct mistake_case *c, const struct mistake *m, int site);

#endif
