/* shrink.h: leaves parts out of something that fails, as long as the rest still fails (delta debugging): first many
 * parts together, at last one by one, until no single part can be left out. The state is plain data: one process may
 * try a candidate, and another take the answer. */
#ifndef BASE_SHRINK_H
#define BASE_SHRINK_H

#include <stdbool.h>
#include <stdint.h>

enum { SHRINK_PARTS = 14500 }; /* most parts */

enum shrink_part { SHRINK_KEPT, SHRINK_TRIED /* not in the candidate */, SHRINK_OUT };

struct shrink {
    uint32_t count;              /* parts */
    uint32_t together;           /* parts that are tried together: half as many in each pass */
    uint32_t left;               /* parts that this pass has not reached yet: a pass begins with the last part */
    uint32_t alone;              /* parts in a row that were tried one by one, and are needed */
    uint32_t tests, most;        /* answers so far; the limit */
    uint8_t parts[SHRINK_PARTS]; /* enum shrink_part; the caller may change parts between an answer and a candidate */
};

/* Begins with all `count` parts. The first pass tries `together` parts at once. */
void shrink_start(struct shrink *s, uint32_t count, uint32_t together, uint32_t most);

/* Makes the next candidate: marks the parts that it does without. Returns false if no candidate is left, or if there
 * have been `most` answers. */
bool shrink_next(struct shrink *s);

/* Takes the answer for the candidate: does it still fail? */
void shrink_answer(struct shrink *s, bool fails);

#endif
