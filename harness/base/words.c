#include "harness/base/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 160 };

static unsigned words_least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Returns the edit distance; swapping two neighbours costs 1. If the distance is more than `most`, the function may
 * return any number above `most`, so that it can stop early: nearly all words of a long list differ in their first
 * letters. */
static unsigned words_distance(const char *a, const char *b, unsigned most)
{
    unsigned rows[3][WORD_MAX + 1], lowest = 0, lowest_above;
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > WORD_MAX || b_length > WORD_MAX)
        return WORD_MAX;
    if (a_length > b_length + most || b_length > a_length + most)
        return most + 1;
    for (unsigned j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned *row = rows[i % 3], *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        lowest_above = lowest;
        lowest = row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            row[j] = words_least(words_least(above[j] + 1, row[j - 1] + 1), above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2]))
                row[j] = words_least(row[j], two_above[j - 2] + 1);
            lowest = words_least(lowest, row[j]);
        }
        if (lowest > most && lowest_above > most) /* no later row has a lower number than these two rows */
            return most + 1;
    }
    return rows[a_length % 3][b_length];
}

const char *words_nearest(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t length = strlen(word);
    unsigned limit = length < 6 ? 2 : 3;
    if (length < 3)
        limit = 1;
    unsigned best_distance = limit + 1;
    for (size_t i = 0; i < count; i++) {
        unsigned d = words_distance(word, names[i], best_distance - 1);
        if (d < best_distance && d < length) {
            best = names[i];
            best_distance = d;
        }
    }
    for (size_t i = 0; !best && length >= 3 && i < count; i++) /* the word abbreviates a name */
        if (!strncasecmp(names[i], word, length))
            best = names[i];
    return best;
}

void words_text(const char *const *words, size_t count, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < count && used < size; i++) {
        const char *separator = i + 1 < count ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? separator : "", words[i]);
    }
}

int words_check(const char *const *words, size_t count, const char *what, const char *word, struct error *error)
{
    char known[WORDS_TEXT];
    for (size_t i = 0; i < count; i++)
        if (!strcmp(word, words[i]))
            return 0;
    words_text(words, count, known, sizeof known);
    const char *near = words_nearest(word, words, count);
    return error_set(error, EXIT_USAGE, "%s: expected %s, not '%s'%s%s%s", what, known, word,
                     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}
