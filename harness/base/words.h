/* words.h: lists of words, and the word in a list that a user probably meant. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "harness/base/error.h"

#include <stddef.h>

/* Words in the order in which they were given; whoever fills the list frees `items`. */
struct word_list {
    const char **items;
    size_t count;
};

enum { WORDS_TEXT = 512 /* bytes that hold any list of words as text */ };

/* The nearest of `names` (`count` of them) to `word` by edit distance without regard to case, or null if none is near
 * enough to be what was meant. */
const char *words_nearest(const char *word, const char *const *names, size_t count);

/* Writes the words as "a, b or c" to `text`; empty if there are none. */
void words_text(const char *const *words, size_t count, char *text, size_t size);

/* EXIT_USAGE if `word`, which the user gave as `what`, is not in the list; the message names the list and the nearest. */
int words_check(const char *const *words, size_t count, const char *what, const char *word, struct error *error);

#endif
