/* field_text.h: pieces of the text that stands for a description, see desc_text.h. */
#ifndef DESCRIBE_FIELD_TEXT_H
#define DESCRIBE_FIELD_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A text that is cut at `size`, with the length that it would have. */
struct text_writer {
    char *text;
    size_t size, used;
};

void text_put(struct text_writer *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The parse functions move `at` past the text that they take. They return false if it is not there. */
bool text_take(const char **at, const char *word);
bool text_take_number(const char **at, uint64_t max, uint64_t *out);

/* Writes a FLOAT as a number if that gives back the same bits, else its bits in hexadecimal. */
void text_put_float(struct text_writer *out, uint32_t bits);
bool text_take_float(const char **at, uint32_t *bits);

/* Takes letters, digits and underscores; `name` is empty if there are none or too many. */
void text_take_name(const char **at, char *name, size_t size);

#endif
