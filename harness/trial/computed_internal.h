/* computed_internal.h: the files of computed.h share these declarations. computed.c evaluates the formulas of outputs,
 * computed_stages.c those of stages, computed_judge.c judges outputs by them, computed_reads.c finds what they read. */
#ifndef TRIAL_COMPUTED_INTERNAL_H
#define TRIAL_COMPUTED_INTERNAL_H

#include "harness/trial/accept_internal.h"
#include "harness/formula/branches.h"
#include "harness/trial/computed.h"

/* A tensor whose elements formulas name. */
struct cursor {
    int item;
    const struct opdesc_tensor *tensor;
    const uint8_t *memory;
    uint32_t strides[OPDESC_MAX_DIMENSIONS];
    bool aligned; /* the tensor has the output's sizes */
};

/* The tensors of a description and of its stages. */
struct stages {
    struct opdesc desc; /* the description with an item, and a field, for each stage */
    const uint8_t *tensors[OPDESC_MAX_TENSORS];
    struct filled *filled[SPEC_MAX_STAGES]; /* their elements, which may be kept for others; null: not needed */
    bool slipped;                           /* a slip was made, so the elements are not kept */
};

/* A walk visits the elements of one output, and has the operands of its formulas. */
struct walk {
    const struct spec *spec;
    const struct opdesc *desc;
    const uint8_t *const *tensors; /* the tensors by item */
    const struct spec_result *result;
    const struct opdesc_tensor *output;
    struct accept_operands operands;
    struct cursor cursors[OPDESC_MAX_TENSORS];
    int count;
    bool modulo;                            /* a slip: smaller tensors are read at coordinates modulo their sizes */
    bool in_float;                          /* a slip: integers are read as FLOAT32 */
    const struct computed_liberty *liberty; /* null: none is taken */
    bool depends;                           /* the right values depend on other outputs */
    bool numbered;                          /* the formulas depend on the place of the element */
    bool only_values;                       /* the walk has no operands of tolerances and choices */
    uint32_t folds;                         /* bit n: the walk has fold n */
    bool placed;                            /* the formulas depend on its coordinates */
    enum folding_extent extent;             /* the part of the folds that each element needs */
    struct branches *branches;              /* of a stage: those that its value takes at the element; null: not known */
    struct folding *folding;                /* null: there are no folds */
    const uint32_t *place;                  /* the coordinates of the element */
    double least[OPDESC_MAX_TENSORS], greatest[OPDESC_MAX_TENSORS];
    struct stages *stages; /* the stages that computed_end() frees; null: none */
};

/* Starts a walk over the output `output` of a legal description. Call computed_end() afterwards. */
void computed_start(struct walk *w, const struct spec *spec, const struct opdesc *desc, int output,
                    const uint8_t *const tensors[]);
void computed_end(struct walk *w);

/* Starts a walk that computes elements with a slip (null: none), and judges none. */
void computed_start_values(struct walk *w, const struct spec *spec, const struct opdesc *desc, int output,
                           const uint8_t *const tensors[], const struct folding_slip *slip);

/* Starts to compute an output, or a stage, from the tensors and the stages before it. `only_values`: the walk computes
 * elements, and judges none. */
void computed_start_with(struct walk *w, const struct spec *spec, const struct opdesc *desc,
                         const struct spec_result *result, int output, const uint8_t *const tensors[],
                         bool only_values);

/* Computes the stages `needed` (bit n: stage n) of a description, in order, with the slip (null: none), or finds the
 * elements that were computed last of the same formulas, description and inputs. Returns null if the spec has none, or
 * if memory runs out. */
struct stages *computed_stages_open(const struct spec *spec, const struct opdesc *desc, const uint8_t *const tensors[],
                                    uint32_t needed, const struct folding_slip *slip);

/* Returns the result of an output that applies to the description. */
const struct spec_result *computed_result_of(const struct spec *spec, const struct opdesc *desc, int item);
void computed_stages_close(struct stages *stages);

/* Sets the operands of an element: its number in row-major order, and its coordinates. */
void computed_go_to(struct walk *w, uint64_t number, const uint32_t *coordinates);

/* Returns the offset of the input's element at the output's coordinates. If the input has fewer elements along a
 * dimension, each stands for a block of the output's. */
uint64_t computed_offset_at(const struct walk *w, const struct cursor *cursor, const uint32_t *coordinates);

/* Makes a slip from now on; null: none. */
void computed_slip(struct walk *w, const struct folding_slip *slip);

/* Computes the element with the slip, or with the liberty that the walk takes. */
void computed_slipped_element(const struct walk *w, uint64_t *bits);

/* Leaves the operands that only choices need out of the next evaluation: they are evaluated when a choice is judged. */
void computed_leave_choices(struct walk *w);

#endif
