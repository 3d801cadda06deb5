/* words.h: lists of words, and guessing which word of a list a user meant. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include "harness/base/error.h"

#include <stddef.h>

/* Words in the order given. The owner of the list frees `items`, but not the words. */
struct word_list {
    const char **items;
    size_t count;
};

enum { WORDS_TEXT = 512 /* bytes that hold any list of words as text */ };

/* Returns the name among `names` (`count` of them) that is nearest to `word` in edit distance, ignoring case, or that
 * `word` abbreviates. Null if none is near enough. */
const char *words_nearest(const char *word, const char *const *names, size_t count);

/* Writes the words as "a, b or c" to `text`; "" if there are none. */
void words_text(const char *const *words, size_t count, char *text, size_t size);

/* Returns 0, or EXIT_USAGE if `word` is not in the list. `what` begins the message, which shows the list and the
 * nearest word. */
int words_check(const char *const *words, size_t count, const char *what, const char *word, struct error *error);

#endif
