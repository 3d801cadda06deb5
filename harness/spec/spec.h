/* spec.h: an operator as data: its fields, feature-level tables, rules, index tensors and documented examples, loaded
 * from one Lua file of specs/. specs/README.md tells how to write one; spec_load.h loads them. */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "harness/spec/rule.h"

#include <stddef.h>

enum {
    SPEC_MAX_GROUPS = 4,
    SPEC_MAX_NODES = 512,
    SPEC_MAX_ATOMS = 512,
    SPEC_MAX_LEVELS = 15, /* as many as there are DML_FEATURE_LEVELs */
    SPEC_MAX_PARAMETERS = 8
};

/* One per kind of api.md that the loaded specs use; marshal.c knows the layout of each. */
enum field_kind { FIELD_INPUT, FIELD_OUTPUT, FIELD_UINT };

struct spec_field {
    const char *name; /* as documented: "IndicesTensor" */
    enum field_kind kind;
    int group; /* of a tensor: which column of the feature-level tables gives its types */
};

/* Whether the field is a tensor: its value is a DML_TENSOR_DESC. */
static inline bool field_is_tensor(const struct spec_field *field)
{
    return field->kind == FIELD_INPUT || field->kind == FIELD_OUTPUT;
}

struct spec_range {
    uint32_t low, high; /* inclusive */
};

/* The tables of one feature level. */
struct spec_level {
    DML_FEATURE_LEVEL level;
    const char *name;                          /* "3_0" */
    uint32_t types[SPEC_MAX_GROUPS];           /* per group: bit n for DML_TENSOR_DATA_TYPE n */
    struct spec_range dims[OPDESC_MAX_FIELDS]; /* per tensor field */
    const char *pages;                         /* where it is documented, "" if nowhere */
    const char *ruling;                        /* "A45", "" if none */
};

/* low <= x <= high: numbers of nodes, -1 where there is no such bound. */
struct spec_bound {
    int16_t low, x, high;
};

/* What the rules of one feature level say of numbers, whatever else a description has: the solver reasons with it. */
struct spec_bounds {
    struct spec_bound *items; /* in order of the rules */
    int count;
    uint32_t single; /* bit n: field n is a tensor whose sizes must all be 1 */
};

/* A tensor that holds indices into another, and where they may point. */
struct spec_index {
    int field;
    int into;      /* list: the sizes that the components of one tuple index into */
    bool tuple;    /* the last dimension holds the components; otherwise every element is an index of its own */
    bool distinct; /* no two indices may have the same target, along `along` or everywhere */
    int along;     /* number: indices are distinct along this dimension, for each other coordinate; -1: all */
};

/* An output of which only the rows below the value of another, scalar output are defined. */
struct spec_rows {
    int field, count_field;
};

struct spec_parameter {
    const char *name; /* short, as in case names: "p" */
    int node;
};

/* A worked example, as far as its sources go; the planner reads the rest from Lua. */
struct spec_example {
    const char *id, *pages, *ruling;
};

/* The sentences of the operator's page, where they have ids: "bed83-104" to "bed83-182". */
struct spec_sentences {
    const char *page; /* "bed83", "" if they have none */
    int first, last;
    const char *informative; /* those that there is nothing to test about: "104, 107..114" */
};

struct spec {
    const char *name;  /* "GATHER_ND" */
    const char *lower; /* "gather_nd" */
    const char *file;  /* for messages */
    const char *page;  /* name of the documentation page */
    DML_OPERATOR_TYPE type;
    DML_FEATURE_LEVEL since;
    struct spec_field *fields;
    int field_count, input_count, output_count;
    const char *groups[SPEC_MAX_GROUPS];
    int group_count;
    struct spec_level levels[SPEC_MAX_LEVELS]; /* ascending */
    int level_count;
    struct expr *nodes; /* no two alike; operands stand before what is made of them */
    int node_count;
    struct atom *atoms;
    int atom_count;
    struct rule *rules;
    int rule_count;
    struct spec_bounds bounds[SPEC_MAX_LEVELS];
    int16_t *sums; /* the nodes that are arithmetic, in order */
    int sum_count;
    int16_t dims_nodes[OPDESC_MAX_FIELDS]; /* per tensor field: the node of its DimensionCount */
    struct spec_index *indices;
    int index_count;
    struct spec_rows rows; /* .field -1: none */
    struct spec_parameter parameters[SPEC_MAX_PARAMETERS];
    int parameter_count;
    uint32_t sparse; /* bit n: field n is an input of which half the elements should be zero */
    struct spec_example *examples;
    int example_count;
    struct spec_sentences sentences;
    DML_FEATURE_LEVEL page_since; /* since when the page says that the operator is there, where it errs; or 0 */
};

/* Index of the table that holds at a level: the newest not above it; -1: the operator is not there yet. */
int spec_table(const struct spec *spec, DML_FEATURE_LEVEL level);

/* -1: no such field or rule. */
int spec_find_field(const struct spec *spec, const char *name);
int spec_find_rule(const struct spec *spec, const char *id);

/* "3_0" and back; null and 0 for what is no level. */
const char *level_name(DML_FEATURE_LEVEL level);
DML_FEATURE_LEVEL level_find(const char *name);
extern const DML_FEATURE_LEVEL level_all[SPEC_MAX_LEVELS];
extern const char *const level_names[SPEC_MAX_LEVELS + 1]; /* in the same order, ended by null */

#endif
