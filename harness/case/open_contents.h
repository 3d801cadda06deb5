/* open_contents.h: finds inputs of a case file that the documents leave open: indices that are out of range, several
 * updates of one target, denormals that a device may take for zeros. */
#ifndef CASE_OPEN_CONTENTS_H
#define CASE_OPEN_CONTENTS_H

#include "harness/case/testcase.h"

/* Looks at the inputs that the case gives, and at the words that fill the others. If the documents leave some of them
 * open, and the case tests no rule, makes the case test the behaviour about that. Sets `index_fill` if given indices
 * are out of range or repeated. Returns the behaviour if the case tests a rule that does not accept it; otherwise
 * null. */
const struct rule *open_contents_find(struct testcase *c);

#endif
