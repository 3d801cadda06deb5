/* spec.h: an operator as data: its fields, feature-level tables, rules, index tensors and documented examples, loaded
 * from one Lua file of specs/. specs/README.md explains how to write one; load.h loads them. */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "harness/spec/rule.h"

#include <stddef.h>

enum {
    SPEC_MAX_GROUPS = 4,
    SPEC_MAX_NODES = 512,
    SPEC_MAX_ATOMS = 512,
    SPEC_MAX_LEVELS = 15, /* as many as there are DML_FEATURE_LEVELs */
    SPEC_MAX_PARAMETERS = 8,
    SPEC_MAX_SENTENCES = 9999 /* of a page */
};

/* The kinds of members that the documented operator structs have. */
enum field_kind { FIELD_INPUT, FIELD_OUTPUT, FIELD_UINT, FIELD_KINDS };

extern const struct field_traits {
    const char *word; /* that makes such a field in a spec: "input" */
    bool is_tensor;   /* a pointer to a DML_TENSOR_DESC */
    size_t bytes;     /* of the member in the documented struct; also its alignment */
} field_kinds[FIELD_KINDS];

struct spec_field {
    const char *name; /* as documented: "IndicesTensor" */
    enum field_kind kind;
    int group; /* tensors: the column of the feature-level tables with their types */
};

static inline bool field_is_tensor(const struct spec_field *field)
{
    return field_kinds[field->kind].is_tensor;
}

struct spec_range {
    uint32_t low, high; /* inclusive */
};

/* The table of one feature level. */
struct spec_level {
    DML_FEATURE_LEVEL level;
    const char *name;                          /* "3_0" */
    uint32_t types[SPEC_MAX_GROUPS];           /* per group: bit n is set for DML_TENSOR_DATA_TYPE n */
    struct spec_range dims[OPDESC_MAX_FIELDS]; /* per tensor field */
    const char *pages;                         /* where it is documented, "" if nowhere */
    const char *ruling;                        /* "A45", "" if none */
};

/* low <= x <= high: indices of nodes, -1 for an absent bound. */
struct spec_bound {
    int16_t low, x, high;
};

/* What the rules of one feature level unconditionally require of numbers, for the solver. */
struct spec_bounds {
    struct spec_bound *items; /* in the order of the rules */
    int count;
    uint32_t single; /* bit n is set if field n is a tensor whose sizes must all be 1 */
};

/* A tensor that holds indices into another tensor. */
struct spec_index {
    int field;
    int into;      /* list node: the sizes that the components of one tuple index into */
    bool tuple;    /* the last dimension holds the components; otherwise every element is one index */
    bool distinct; /* no two indices may have the same target */
    int along;     /* number node: `distinct` holds only among indices along this dimension; -1: among all */
};

/* An output whose rows are defined only up to a count, which is the value of a scalar output. */
struct spec_rows {
    int field, count_field;
};

struct spec_parameter {
    const char *name; /* as in case names: "p" */
    int node;
};

/* Identity and sources of a worked example; the planner reads the rest from Lua. */
struct spec_example {
    const char *id, *pages, *ruling;
};

/* The sentences of the operator's page, where they have ids: "bed83-104" to "bed83-182". */
struct spec_sentences {
    const char *page; /* "bed83", "" if the sentences have no ids */
    int first, last;
    const char *informative; /* sentences without anything to test: "104, 107..114" */
};

struct spec {
    const char *name;  /* "GATHER_ND" */
    const char *lower; /* "gather_nd" */
    const char *file;  /* for messages */
    const char *page;  /* documentation page */
    DML_OPERATOR_TYPE type;
    DML_FEATURE_LEVEL since;
    struct spec_field *fields;
    int field_count, input_count, output_count;
    const char *groups[SPEC_MAX_GROUPS];
    int group_count;
    struct spec_level levels[SPEC_MAX_LEVELS]; /* ascending */
    int level_count;
    struct expr *nodes; /* all different; operands come before the nodes that use them */
    int node_count;
    struct atom *atoms;
    int atom_count;
    struct rule *rules;
    int rule_count;
    struct spec_bounds bounds[SPEC_MAX_LEVELS];
    int16_t *sums; /* the arithmetic nodes, in order */
    int sum_count;
    int16_t dims_nodes[OPDESC_MAX_FIELDS]; /* per tensor field: the node of its DimensionCount */
    struct spec_index *indices;
    int index_count;
    struct spec_rows rows; /* .field -1: none */
    struct spec_parameter parameters[SPEC_MAX_PARAMETERS];
    int parameter_count;
    bool has_meaning; /* its file has a function that computes its outputs */
    uint32_t sparse;  /* bit n is set if field n is an input that should be half zeros */
    struct spec_example *examples;
    int example_count;
    struct spec_sentences sentences;
    DML_FEATURE_LEVEL page_since; /* the level that the page wrongly names as the first; 0: the page is right */
};

/* Index of the table in force at a level: the newest one not above it; -1: the operator does not exist yet. */
int spec_table(const struct spec *spec, DML_FEATURE_LEVEL level);

/* -1: no such field or rule. */
int spec_find_field(const struct spec *spec, const char *name);
int spec_find_rule(const struct spec *spec, const char *id);

/* "3_0" and back; null and 0 if there is no such level. */
const char *level_name(DML_FEATURE_LEVEL level);
DML_FEATURE_LEVEL level_find(const char *name);
extern const DML_FEATURE_LEVEL level_all[SPEC_MAX_LEVELS]; /* ascending */
extern const char *const level_names[SPEC_MAX_LEVELS + 1]; /* in the same order, ended by null */

#endif
