/* dot.h: sums of products as one form: GEMM, the products of integer matrices, convolutions. Each element of the output
 * is a sum over channels, and over the elements of a window, of an element of A times an element of B. */
#ifndef DOT_H
#define DOT_H

#include "device/common/descriptor.h"

enum { DOT_RANK = 5, DOT_SPATIAL = 3 };

/* The operands besides the output. Scales and zero points have a number for all elements, or one for each index along a
 * dimension of the output. */
enum dot_role { DOT_A, DOT_B, DOT_C, DOT_A_ZERO, DOT_B_ZERO, DOT_A_SCALE, DOT_B_SCALE, DOT_SCALE, DOT_ZERO, DOT_ROLES };

enum { DOT_ABSENT = 255 };

/* The way from the sum to a result. */
enum dot_result { DOT_REAL, DOT_WHOLE, DOT_SCALED, DOT_QUANTISED, DOT_NONE };

/* The window along a spatial dimension; without one, the only element has no stride. */
struct dot_window {
    uint32_t size; /* of A */
    uint32_t window, stride, gap, padding;
    uint32_t a, b; /* steps in memory, in elements: of the coordinate, of the number of the window's element */
};

/* Steps are in elements. */
struct dot {
    enum dot_result result;
    uint8_t inputs[DOT_ROLES];                                        /* number of the operator's input; DOT_ABSENT */
    uint32_t sizes[DOT_RANK];                                         /* of the output, outermost first */
    uint32_t a[DOT_RANK], b[DOT_RANK], c[DOT_RANK], output[DOT_RANK]; /* steps of the coordinates; of A and B not [1] */
    uint32_t per_group;                                               /* indices of dimension 1 in a group */
    uint32_t group_a, group_b, rest_a, rest_b;                        /* steps of the group, and of the index in it */
    uint32_t channels, channel_a, channel_b;                          /* their number, and the steps */
    struct dot_window windows[DOT_SPATIAL];
    int flipped;  /* the window's elements are counted from its end */
    int backward; /* the coordinate of the output is stride * that of A + gap * element - padding */
    uint32_t dimensions[DOT_ROLES], steps[DOT_ROLES]; /* of scales and zero points */
    FLOAT alpha, beta;
};

enum dot_result dot_result_of(DML_OPERATOR_TYPE type);

/* Returns the number of the operator's input in each role, or DOT_ABSENT; the operator must have a dot_result. */
const uint8_t *dot_inputs_of(DML_OPERATOR_TYPE type);

/* Brings a valid operator into the form. */
void dot_init(struct dot *dot, const struct descriptor *descriptor);

#endif
