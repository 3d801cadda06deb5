/* json_number.h: numbers of a JSON file as the file writes them. The JSON library holds integers of 64 bits and
 * doubles: it loses the sign of -0, refuses a whole file for one larger integer, and rounds fractions before their type
 * is known. So numbers that it could not hold exactly are marked before it reads the file: they become texts, which
 * these functions recognise. */
#ifndef BASE_JSON_NUMBER_H
#define BASE_JSON_NUMBER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns a copy of `size` bytes of JSON in which -0, integers above 18 digits, fractions and numbers with an exponent
 * are marked. Stores the size of the copy. The caller frees it; null: out of memory. */
char *json_number_mark(const char *text, size_t size, size_t *marked_size);

/* Returns a marked number as the file writes it; null if the value is not a marked number. The value owns the text. */
const char *json_number_text(const json_t *value);

/* Stores the exact value of a number that is whole: 12, 1.2e1, -0.0. Returns false if it is not whole, or beyond 64
 * bits. */
bool json_number_integer(const char *text, bool *negative, uint64_t *magnitude);

/* Stores the value of `type` that is nearest to the number, rounded once; ties go to even. Returns false if the number
 * is beyond the largest finite one. */
bool json_number_float(const char *text, unsigned type, void *at);

#endif
