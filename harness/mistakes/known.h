/* known.h: known mistakes in formulas: a sentence each, and the change of the text of specs that makes it. A mutant
 * computes by the changed specs (device/mutants/); the explainer holds a wrong result against them, and names the
 * mistake (trial/explain_known.c). */
#ifndef MISTAKES_KNOWN_H
#define MISTAKES_KNOWN_H

#include "harness/base/error.h"
#include "harness/spec/spec.h"

struct spec_set;

/* The numbers of known mistakes are below KNOWN_MAX. */
enum { KNOWN_MAX = 600, KNOWN_LISTS = 3 };

/* bugs_numbers.h describes the parts. */
struct known_mistake {
    const char *name, *sentence;
    const char
        *operators[KNOWN_LISTS]; /* those that it makes wrong, those that only warn, those that it leaves right */
    const char *changes; /* lines of "text => other text"; null: another explanation names the mistake, or the number is
                          * of none */
};
extern const struct known_mistake known_mistakes[KNOWN_MAX];

/* Returns true if the mistake is a change of text and concerns the operator, a documented name. */
bool known_concerns(int mistake, const char *operator_name);

/* Returns true if the mistake is one of these, and the operator only gets a warning for it. */
bool known_warns(int mistake, const char *operator_name);

/* Loads specs with changes, lines of "text => other text": the operator `only`; null: all operators. Returns 0; or
 * EXIT_HARNESS, with a message and `set` empty, if nothing is changed or the changed texts are no specs. */
int known_load(struct spec_set *set, const char *folder, const struct spec *only, const char *changes,
               struct error *error);

/* Returns the operator with the mistake; null: it cannot be made in these specs. The result is valid until the next
 * call for another operator. A process calls this from one thread only: it loads each mistake of an operator once,
 * which takes some 30 ms. */
const struct spec *known_spec(const struct spec *right, int mistake);

#endif
