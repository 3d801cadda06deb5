/* text.h: bytes from devices and files, made safe to look at. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The length in bytes of the well-formed UTF-8 sequence that `text` begins with and its code point, or 0 where the bytes
 * are no such sequence. `text` ends with a zero, which counts as a sequence of one byte. */
size_t text_sequence(const char *text, uint32_t *code);

/* Whether a code point does something to a terminal or to the order of what is read, instead of showing: C0 and C1
 * controls, DEL, line and paragraph separators, directional and byte order marks. */
bool text_is_control(uint32_t code);

enum { TEXT_PIECE = 16 };

/* Takes one character off the front of `*text`, which is not at its end, and writes it made visible to `piece`: "\n",
 * "\t", "\x1b", "\u202e", a byte that is not UTF-8 as "\xff", anything else as it is. A backslash stays as it is, so
 * that command lines can be copied. Returns the length written. */
size_t text_next(const char **text, char piece[TEXT_PIECE]);

/* Writes all of `text` so. Cuts at a whole character where `size` is too small, always ends with a zero, and returns the
 * length that the whole has, as snprintf() does. */
size_t text_visible(char *out, size_t size, const char *text);

/* Prints all of `text` so. */
void text_print(FILE *out, const char *text);

/* Prints a JSON string, with its quotes. Nothing is lost but bytes that are not UTF-8, which become the four characters
 * \xff. */
void text_print_json(FILE *out, const char *text);

/* Prints what stands in an XML element or attribute, control characters made visible. After `most` bytes it says only how
 * many are left out. */
void text_print_xml(FILE *out, const char *text, size_t max);

/* Writes `text` as one word for a shell: in single quotes, those within taken out of them. Cuts at
 * `size`. Returns `out`. */
const char *text_quoted(char *out, size_t size, const char *text);

#endif
