/* spec.h: an operator as data: its fields, feature-level tables, rules, index tensors and documented examples, loaded
 * from one Lua file of specs/. specs/README.md explains how to write one; load.h loads them.
 *
 * Another process loads the specs, so sound.c checks its result: who adds a member to a struct of this file must add
 * its check there. */
#ifndef SPEC_SPEC_H
#define SPEC_SPEC_H

#include "harness/spec/result.h"
#include "harness/spec/rule.h"

#include <stddef.h>

enum {
    SPEC_MAX_GROUPS = 12,
    SPEC_MAX_NODES = 1024,
    SPEC_MAX_ATOMS = 1536,
    SPEC_MAX_LEVELS = 15, /* as many as there are DML_FEATURE_LEVELs */
    SPEC_MAX_PARAMETERS = 8,
    SPEC_MAX_STAGES = 20,
    SPEC_MAX_SENTENCES = 9999 /* most sentences of one page */
};

/* The kinds of members that the documented operator structs have. field_kind.h describes each kind. */
enum field_kind {
    FIELD_INPUT,      /* a tensor */
    FIELD_OUTPUT,     /* a tensor */
    FIELD_INPUTS,     /* an array of tensors */
    FIELD_OUTPUTS,    /* an array of tensors */
    FIELD_UINT,       /* a number, such as a count */
    FIELD_INT,        /* a number that may be negative */
    FIELD_FLOAT,      /* a number with a fraction */
    FIELD_BOOL,       /* a condition; any other number can be written, too */
    FIELD_ENUM,       /* a constant of an enumeration */
    FIELD_UINTS,      /* an array of numbers */
    FIELD_INTS,       /* an array of numbers */
    FIELD_FLOATS,     /* an array of numbers */
    FIELD_SCALE_BIAS, /* a pointer to a DML_SCALE_BIAS */
    FIELD_SIZE_2D,    /* a DML_SIZE_2D */
    FIELD_SCALAR,     /* a DML_SCALAR_UNION, whose data type another field holds */
    FIELD_OPERATOR,   /* a pointer to a nested DML_OPERATOR_DESC */
    FIELD_OPERATORS,  /* an array of nested DML_OPERATOR_DESCs */
    FIELD_KINDS
};

struct spec_enum {
    const char *name; /* "DML_REDUCE_FUNCTION" */
    struct spec_constant {
        const char *name; /* "ARGMAX" */
        uint32_t value;
        DML_FEATURE_LEVEL from; /* the level that added it; 0: as old as the enumeration */
    } * constants;
    int count;
};

struct spec_field {
    const char *name; /* as documented: "IndicesTensor" */
    enum field_kind kind;
    uint16_t offset;                   /* offset of the member in the documented struct, in bytes */
    int group;                         /* tensors: the column of the feature-level tables with their types */
    DML_FEATURE_LEVEL optional;        /* from this level on the pointer may be null; 0: never */
    int16_t count_field;               /* arrays: the field with the number of elements; otherwise -1 */
    int16_t typed_by;                  /* scalars: the field with the data type; otherwise -1 */
    const struct spec_enum *constants; /* enumerations; otherwise null */
};

static inline bool field_is_input(const struct spec_field *field)
{
    return field->kind == FIELD_INPUT || field->kind == FIELD_INPUTS;
}

static inline bool field_is_output(const struct spec_field *field)
{
    return field->kind == FIELD_OUTPUT || field->kind == FIELD_OUTPUTS;
}

/* Returns true if a result is for this description. An operator has several if it has fused activations. */
bool spec_result_applies(const struct spec_result *result, const struct opdesc *desc);

/* Returns true if the field is a tensor or an array of tensors. */
static inline bool field_is_tensor(const struct spec_field *field)
{
    return field->kind <= FIELD_OUTPUTS;
}

/* The members of the struct of any operator, documented or one's own. */
struct spec_layout {
    const char *name;        /* "ACTIVATION_ELU" */
    const char *struct_name; /* "ACTIVATION_ELU": without DML_ and _OPERATOR_DESC */
    DML_OPERATOR_TYPE type;
    DML_FEATURE_LEVEL since;
    struct spec_field *fields;
    int field_count;
};

struct spec_range {
    uint32_t low, high; /* inclusive */
};

/* The table of one feature level. */
struct spec_level {
    DML_FEATURE_LEVEL level;
    const char *name;                 /* "3_0" */
    uint32_t types[SPEC_MAX_GROUPS];  /* per group: bit n is set for DML_TENSOR_DATA_TYPE n */
    uint32_t beyond[SPEC_MAX_GROUPS]; /* types that the table lacks, but whose rejection has a rule of its own */
    struct spec_range dims[OPDESC_MAX_FIELDS]; /* per tensor field: the range of DimensionCount */
    const char *pages;                         /* pages that document the table, "" if none */
    const char *ruling;                        /* "A45", "" if none */
};

/* low <= x <= high: indices of nodes, -1 for an absent bound. */
struct spec_bound {
    int16_t low, x, high;
};

/* The bounds that the rules of one feature level put on numbers unconditionally, for the solver. */
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

/* The contents of an input. Entry i of each row, along the last dimension, is a multiple of 1 / parts[i] from from[i]
 * to to[i]. The last `spans` entries are distances from the entries that are `spans` places before them. */
struct spec_grid {
    int field;
    int from, to, parts; /* list nodes */
    int spans;
};

/* An output whose rows are defined only up to a count, which is the value of a scalar output. */
struct spec_rows {
    int field, count_field;
};

/* Outputs that select elements of an input along one dimension, in order. One output has their positions there, another
 * the elements. */
struct spec_selection {
    int positions;  /* field of an output; -1: none */
    int values, of; /* fields: another output, and the input */
    int along;      /* number node: the dimension */
    int descending; /* number node: not 0 if the largest come first */
};

struct spec_parameter {
    const char *name; /* as in case names: "p" */
    int node;
};

/* A situation that some case must be in. A case is in it if the conditions of `when` hold for its description, its
 * contents are among those of `when.evidence`, and its strides and attributes are as wished. */
struct spec_situation {
    struct rule when; /* id, text, conditions, and in `evidence` the fills; its other members have no meaning */
    uint8_t strides[OPDESC_MAX_FIELDS]; /* enum stride_class per tensor field; STRIDES_NULL: any */
    uint32_t value_fields;              /* bit n: field n, a FLOAT or a scalar, must be values[n] */
    double values[OPDESC_MAX_FIELDS];   /* a NaN stands for every NaN */
    bool pairs;                         /* the strategy "parts" also varies a description in the situation */
    bool each_level;                    /* the strategy "situations" asks for cases at every feature level */
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
    int field_count, input_count, output_count;   /* an array of tensors counts as one */
    uint8_t tensor_fields[OPDESC_MAX_TENSORS];    /* per tensor item of a description: the field that it belongs to */
    const char *tensor_names[OPDESC_MAX_TENSORS]; /* per tensor item: "InputTensor", of an array "InputTensors[1]" */
    struct opdesc *blank;                         /* see spec_blank() */
    const struct catalogue *catalogue;            /* the layouts of operators that a description may have within it */
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
    int16_t *sums; /* all arithmetic nodes, in order */
    int sum_count;
    int16_t dims_nodes[OPDESC_MAX_FIELDS];   /* per tensor field: the node of its DimensionCount */
    int16_t number_nodes[OPDESC_MAX_FIELDS]; /* per field that is a number: its node, -1: none */
    struct spec_index *indices;
    int index_count;
    struct spec_grid *grids;
    int grid_count;
    struct spec_rows rows; /* .field -1: none */
    struct spec_selection selection;
    struct spec_parameter parameters[SPEC_MAX_PARAMETERS];
    int parameter_count;
    int slice;                   /* number node: elements of input that make one element of output; -1: the spec does
                                  * not say */
    struct spec_result *results; /* outputs whose elements have a formula */
    int result_count;
    struct spec_stage *stages; /* each formula names earlier stages, and perhaps its own */
    int stage_count;
    bool has_meaning;                              /* the spec's file has a function that computes the outputs */
    uint32_t sparse;                               /* bit n is set if field n is an input to fill half with zeros */
    struct spec_domain domains[OPDESC_MAX_FIELDS]; /* per field: the domain of an input or an attribute */
    struct spec_example *examples;
    int example_count;
    struct spec_situation *situations;
    int situation_count;
    struct spec_sentences sentences;
    DML_FEATURE_LEVEL page_since; /* the level that the page wrongly names as the first; 0: the page is right */
};

/* Returns true if the spec is the interface (spec_set.interface), not an operator. */
static inline bool spec_is_interface(const struct spec *spec)
{
    return spec->type == DML_OPERATOR_INVALID;
}

/* Makes a description of the operator in which every number is 0 and every pointer is null. All other descriptions are
 * copies of one that this function made. */
static inline void spec_blank(const struct spec *spec, struct opdesc *desc)
{
    opdesc_copy(desc, spec->blank);
}

/* Iterates over the tensors of a description, in the order of the fields; an array has as many as its count says.
 * Returns the item after item `at` (-1: the first one), or -1 after the last. An item may be absent: a null pointer. */
static inline int spec_next_tensor(const struct spec *spec, const struct opdesc *desc, int at)
{
    while (++at < desc->tensor_count) {
        int field = spec->tensor_fields[at];
        if ((unsigned)(at - desc->values[field].place.item) < opdesc_count(desc, field))
            return at;
    }
    return -1;
}

/* spec_item() returns the item of a field that is a single tensor. spec_is() returns true if the item belongs to field
 * `field` (-1: no item does). */
static inline int spec_item(const struct spec *spec, int field)
{
    return spec->blank->values[field].place.item;
}

static inline bool spec_is(const struct spec *spec, int item, int field)
{
    return spec->tensor_fields[item] == field;
}

/* Return the item and the field by which formulas and expressions name a stage: those after the operator's own. */
static inline int spec_stage_item(const struct spec *spec, int stage)
{
    return spec->blank->item_count + stage;
}

static inline int spec_stage_field(const struct spec *spec, int stage)
{
    return spec->field_count + stage;
}

/* Returns the field of a tensor item. */
static inline const struct spec_field *spec_tensor_field(const struct spec *spec, int item)
{
    return &spec->fields[spec->tensor_fields[item]];
}

/* Returns true if a formula computes numbers from the inputs, so that their values matter, not only their bits. */
static inline bool spec_computes(const struct spec *spec)
{
    for (int i = 0; i < spec->result_count; i++)
        if (!spec->results[i].bits)
            return true;
    return false;
}

/* Returns true if no input says which elements are read or written, and how many. Then rules, types and shapes hardly
 * interact, and the default tier needs only pairs of them. */
static inline bool spec_is_plain(const struct spec *spec)
{
    return spec->result_count > 0 || (spec->index_count == 0 && spec->rows.field < 0);
}

/* Returns true if some result has folds. */
static inline bool spec_folds(const struct spec *spec)
{
    for (int i = 0; i < spec->result_count; i++)
        if (spec->results[i].fold_count)
            return true;
    return false;
}

/* Returns true if each element of every output is computed from the elements of the inputs at its own coordinates, and
 * from nothing else that differs between elements. */
static inline bool spec_is_elementwise(const struct spec *spec)
{
    bool only = spec->result_count > 0 && !spec_folds(spec) && spec->stage_count == 0;
    for (int i = 0; i < spec->result_count; i++)
        for (int n = 0; n < spec->results[i].value.count; n++) {
            const unsigned op = spec->results[i].value.nodes[n].op;
            only &= op != FORMULA_LEAST_OF && op != FORMULA_GREATEST_OF && op != FORMULA_OUTPUT &&
                    op != FORMULA_NUMBER && op != FORMULA_COORDINATE;
        }
    return only;
}

/* Returns true if a fold of the result looks for an extreme. */
static inline bool spec_result_is_extreme(const struct spec_result *result)
{
    for (int i = 0; i < result->fold_count; i++)
        if (result->folds[i].kind >= FOLD_MIN)
            return true;
    return false;
}

/* Returns the range of ordinary elements of an input of this description. */
const struct spec_domain *spec_domain_of(const struct spec *spec, const struct opdesc *desc, int field);

/* Returns the index of the table in force at a level: the newest one not above it; -1 if the operator does not exist
 * yet. */
int spec_table(const struct spec *spec, DML_FEATURE_LEVEL level);

/* spec_constant_name() returns the constant with a value, null if there is none. spec_constant_find() stores the value
 * of a constant, and returns false if there is no such constant. */
const char *spec_constant_name(const struct spec_enum *constants, int64_t value);
bool spec_constant_find(const struct spec_enum *constants, const char *name, int64_t *value);

/* Return the index of a field, stage, rule or situation; -1 if there is none. */
int spec_find_field(const struct spec *spec, const char *name);
int spec_find_stage(const struct spec *spec, const char *name);
int spec_find_rule(const struct spec *spec, const char *id);
int spec_find_situation(const struct spec *spec, const char *id);

/* Returns the number of rules about the legality of descriptions. They are the first rules of a spec; the others are
 * behaviours. */
int spec_legality_rules(const struct spec *spec);

/* Returns the choice that behaviour `rule` leaves for elements of an output; null if it leaves none. */
const struct spec_choice *spec_find_choice(const struct spec *spec, int rule);

/* Convert "3_0" and back; return null and 0 if there is no such level. */
const char *level_name(DML_FEATURE_LEVEL level);
DML_FEATURE_LEVEL level_find(const char *name);
extern const DML_FEATURE_LEVEL level_all[SPEC_MAX_LEVELS]; /* ascending */
extern const char *const level_names[SPEC_MAX_LEVELS + 1]; /* in the same order, ended by null */

#endif
