/* testcase.h: one planned test case: a description, the contents of its inputs, and the expected behaviour of the
 * device. */
#ifndef CASE_TESTCASE_H
#define CASE_TESTCASE_H

#include "harness/case/given.h"
#include "harness/spec/contents.h"
#include "harness/solve/solve.h"
#include "harness/spec/spec.h"

#include <stddef.h>

enum expectation {
    EXPECT_RESULTS,  /* accepted; outputs as the case, the formula or else the reference device gives them */
    EXPECT_ACCEPTED, /* accepted but not run: too large, or inputs that are OWNED_BY_DML */
    EXPECT_EITHER,   /* accepted or rejected: the documents leave it open, and the device's choice is recorded */
    EXPECT_REJECTED  /* rejected, because it breaks `rule`; a device that accepts it is judged by its outputs, too */
};

/* Elements that a case gives, in row-major order of the logical coordinates. An output whose rows are counted may give
 * fewer than it has. */
struct literal {
    const void *data; /* null: none are given */
    uint32_t count;   /* elements */
};

/* The memory that an input shares, by item: the output whose memory the input has; -1: memory of its own. */
struct in_place {
    int8_t output[OPDESC_MAX_TENSORS];
};

/* The kind of a sequence of calls (sequence/lifecycle.h). */
enum lifecycle_kind {
    LIFECYCLE_NONE,
    LIFECYCLE_MIXED,   /* a bit of everything, on one device */
    LIFECYCLE_DEVICES, /* the same on several devices, which are destroyed and made again */
    LIFECYCLE_MANY,    /* some hundred operators alive at a time */
    LIFECYCLE_HIDDEN,  /* tensors cannot be read after a dispatch */
    LIFECYCLE_GROWTH,  /* a short sequence, many times: the resources of the process must level off */
    LIFECYCLE_REOPEN,  /* the same, with devices that are made and destroyed */
    LIFECYCLE_KINDS
};

/* "", "mixed", "devices", …, ended by null */
extern const char *const lifecycle_names[LIFECYCLE_KINDS + 1];

enum { LIFECYCLE_STEPS = 1600 }; /* calls of a sequence, at most */

/* The sequence that the planner asks for; `kind` LIFECYCLE_NONE: the case is no sequence. A case of an operator may be
 * of the kind LIFECYCLE_GROWTH: then the calls are lifecycle_of_one(). */
struct lifecycle {
    uint16_t kind;  /* enum lifecycle_kind; without padding, equal cases have equal bytes */
    uint16_t steps; /* at most; what is left at the end is destroyed in further steps */
};

/* A case of a case file that cannot be run. Its description is blank. */
struct unread {
    const char *operator_name; /* "" if the file names none */
    const char *why;           /* a sentence with the place in the file */
    bool unknown;              /* this version has no such operator: no error of the file */
};

struct testcase {
    const char *name;
    const struct unread *unread; /* null: the case can be run */
    const char *strategy;
    const char *tier; /* the strategy's tier, "" if none */
    const struct spec *spec;
    const struct opdesc *desc;       /* only `size` bytes of it: copy it with opdesc_copy() */
    const struct literal *literals;  /* one per tensor item of the description, or null */
    const struct in_place *in_place; /* null: every tensor has memory of its own */
    struct lifecycle lifecycle;      /* of a case of the interface: its calls; otherwise zeros */
    int table;                       /* feature level, index in spec->levels */
    int rule;                        /* the rule that it tests: index in spec->rules, -1: the operator as a whole */
    enum expectation expect;
    enum fill fill;
    uint64_t first; /* FILL_EACH: the combination of bits in the first element of each input, by fill_combinations() */
    enum index_fill index_fill;
    bool negative_indices;            /* its index tensors have a signed type, so indices may be negative */
    bool soft;                        /* a deviation is a warning */
    bool one_memory;                  /* inputs that agree have one memory: testcase_memory_of() */
    bool dispatch_twice;              /* the second time with other contents and bindings */
    bool from_file;                   /* a case file has it: what it gives is the file's claim, not the documents' */
    struct given_tolerance tolerance; /* that the file gives for its outputs */
};

/* The tensors of a case that are given, in the order of the fields, as spec_next_tensor(). */
static inline int testcase_next_tensor(const struct testcase *c, int at)
{
    do
        at = spec_next_tensor(c->spec, c->desc, at);
    while (at >= 0 && !c->desc->items[at].tensor.present);
    return at;
}

/* Returns the output whose memory the input `item` has; -1: the input has memory of its own. */
static inline int testcase_output_of(const struct testcase *c, int item)
{
    return c->in_place ? c->in_place->output[item] : -1;
}

/* Returns the tensor whose memory the item has: an output; in a case of `one_memory`, the first input that agrees with
 * the input in data type, sizes, strides, TotalTensorSizeInBytes and alignment; otherwise the item itself. Index
 * tensors have memory of their own. */
int testcase_memory_of(const struct testcase *c, int item);

/* Returns the first input that has the memory of an output; -1: none has. */
int testcase_input_of(const struct testcase *c, int output);

/* Returns true if an input may have the memory of an output: they agree in data type, sizes, strides,
 * TotalTensorSizeInBytes and alignment, and no elements of the output overlap. */
bool testcase_may_share(const struct spec *spec, const struct opdesc *desc, int input, int output);

/* Returns true if the same inputs of two cases of one operator have the memory of the same outputs. */
bool testcase_same_in_place(const struct testcase *a, const struct testcase *b);

/* Returns the mistake in the shared memory of a case, for the user: an operator or an input that does not support it,
 * or tensors that do not agree. A string literal; null: there is no mistake. */
const char *testcase_in_place_fault(const struct testcase *c);

/* Returns true if the case gives values of its outputs. */
bool testcase_has_outputs(const struct testcase *c);

/* Returns true if a device that accepts the case runs it. */
bool testcase_may_run(const struct testcase *c);

/* Writes the data types of a description, "float32-int64", to `text` and returns it: one per type group that may have
 * several types. */
enum { TESTCASE_TYPES_SIZE = 80 };
const char *testcase_types(const struct spec *spec, const struct opdesc *desc, char text[TESTCASE_TYPES_SIZE]);

/* Returns true if two descriptions of the operator are equal; ignores the sizes and strides of absent tensors. */
bool testcase_same_desc(const struct spec *spec, const struct opdesc *a, const struct opdesc *b);

/* Returns true if an index tensor of the description has a signed type. */
bool testcase_has_signed_indices(const struct spec *spec, const struct opdesc *desc);

/* Returns true if a deviation is a warning in a case that is to be run and tests this rule (-1: none): the rule is a
 * soft behaviour. If it has a condition, only the elements that meet it get a warning. */
bool testcase_is_soft(const struct spec *spec, int rule);

/* Returns the operator's name, as records have it. */
const char *testcase_operator(const struct testcase *c);

/* Encode a case as one block of bytes, to be sent to a worker or stored. encode() returns the size of the block in
 * bytes, and writes it to `to` only if that is at most `room`. decode() makes the case's description, literals and
 * in_place point into `from`, which must be aligned to 16 bytes and outlive the case; the names become "". A case that
 * cannot be run points to `unread`; null: such a case is damaged. False: the
 * block is damaged: some number in it is out of range. */
size_t testcase_encode(const struct testcase *c, const struct spec *specs, uint64_t seed, void *to, size_t room);
bool testcase_decode(const void *from, size_t size, const struct spec *specs, int spec_count, struct testcase *c,
                     struct literal literals[OPDESC_MAX_TENSORS], struct unread *unread, uint64_t *seed);

/* Returns the rule that a record of this case names. A case that tests no rule and expects results is filed under the
 * first behaviour of the spec, whichever that is, so that every wrong result has a rule. Null: none. The spec owns
 * it. */
const struct rule *testcase_rule(const struct testcase *c);

/* Returns the behaviour that is expected of the device, in a few words for a person. A string literal. */
const char *testcase_expected(const struct testcase *c);

#endif
