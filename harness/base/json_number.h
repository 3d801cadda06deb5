/* json_number.h: numbers of a JSON file as they are written. The JSON library holds integers of 64 bits and doubles:
 * it loses the sign of -0, refuses a whole file for one larger integer, and rounds fractions before their type is
 * known. So numbers that it could not hold exactly are marked before it reads the file: they become texts, which
 * these functions recognise. */
#ifndef BASE_JSON_NUMBER_H
#define BASE_JSON_NUMBER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy of `size` bytes of JSON in which -0, integers above 18 digits, fractions and numbers with an exponent are
 * marked. Stores its size. The caller frees it; null: out of memory. */
char *json_number_mark(const char *text, size_t size, size_t *marked_size);

/* A marked number as it was written; null: the value is not one. The value owns it. */
const char *json_number_text(const json_t *value);

/* The exact value of a number that is whole: 12, 1.2e1, -0.0. False: it is not whole, or beyond 64 bits. */
bool json_number_integer(const char *text, bool *negative, uint64_t *magnitude);

/* Stores the value of `type` that is nearest to the number, rounded once; ties go to even. False: it is beyond the
 * largest finite one. */
bool json_number_float(const char *text, unsigned type, void *at);

#endif
