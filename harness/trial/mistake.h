/* mistake.h: the table of mistakes: what a broken device does, and what a wrong result is held against, as one entry.
 *
 * A mistake changes how outputs come about: what is read of an input, what an attribute counts as, a step of the
 * formula, what is written. It predicts the outputs of a case from its inputs. explain.c tries each for a wrong result
 * and names the one whose prediction the device wrote; device/mutants/ writes the prediction. */
#ifndef TRIAL_MISTAKE_H
#define TRIAL_MISTAKE_H

#include "harness/trial/explain.h"
#include "harness/trial/plugin.h"

#include <stdint.h>

struct explainer;
struct mistake;

/* A mistake can be made at several sites of an operator: an input, a node of the formula, an attribute and what it is
 * taken for. They are numbered from 0 on. */
enum prediction {
    PREDICTS_NO_SITE, /* the operator has no site of this number, nor of a higher one */
    PREDICTS_NOTHING, /* the mistake cannot be made there, or changes nothing */
    PREDICTS_OUTPUTS  /* explainer->predicted holds the outputs */
};

typedef enum prediction (*mistake_predict)(struct explainer *x, const struct mistake *m, int site);

struct mistake {
    const char *name; /* for fault=NAME */
    enum explanation explanation;
    mistake_predict predict;
    union mistake_detail {
        int64_t number;
        uint64_t (*rewrite)(unsigned type, uint64_t bits);
        bool (*skips)(uint64_t number, uint64_t count, uint64_t column, uint64_t columns, unsigned bits);
    } as;
    int64_t more;  /* a second number */
    bool observed; /* explain_observe() or another entry recognises it, so no prediction is tried */
    bool weak;     /* wide tolerances let it fit by chance: what is wrong must be much nearer to the prediction */
    bool many;     /* it has so many sites that one may fit by chance: enough elements must be wrong */
};

/* All of them; the most specific come first. */
extern const struct mistake mistakes[];
extern const int mistake_count;

/* The mistake of this name; null: there is none. */
const struct mistake *mistake_find(const char *name);

/* What a mistake is made in. All tensors are by item; `outputs` hold what was there before. */
struct mistake_case {
    const struct spec *spec;
    const struct opdesc *desc;
    const struct plugin *reference; /* computes what has no formula */
    const uint8_t *const *inputs;
    uint8_t *const *outputs;
};

/* Writes the outputs that a device with the mistake gives. Where it cannot be made, or changes nothing, nothing is
 * written and the answer is false. `site` -1: the first one that changes something. */
bool mistake_apply(const struct mistake_case *c, const struct mistake *m, int site);

#endif
