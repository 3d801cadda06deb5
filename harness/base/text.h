/* text.h: makes bytes from devices and files safe to print. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the length in bytes, and stores the code point, of the UTF-8 sequence at the start of `text`; 0 if the bytes
 * are not well-formed UTF-8. `text` ends with a zero, which counts as a sequence of one byte. */
size_t text_sequence(const char *text, uint32_t *code);

/* Returns the length of the byte-order mark at the start of a text, which editors of other systems write; 0 if it has
 * none. Readers of files skip it. */
size_t text_mark(const char *text, size_t size);

/* Returns true if a code point controls a terminal or the direction of text instead of being visible: C0 and C1
 * controls, DEL, line and paragraph separators, directional and byte order marks. */
bool text_is_control(uint32_t code);

enum { TEXT_PIECE = 16 };

/* Moves `*text`, which is not empty, past one character and writes that character to `piece` in visible form: "\n",
 * "\t", "\x1b", "\u202e", "\xff" for a byte that is not UTF-8, any other character unchanged. A backslash is unchanged,
 * too, so that users can copy command lines. Returns the length written; `piece` has no terminating zero. */
size_t text_next(const char **text, char piece[TEXT_PIECE]);

/* Writes all of `text` in visible form. If `size` is too small, the text is cut between characters. Always adds a zero,
 * and returns the length of the whole text, as snprintf() does. */
size_t text_visible(char *out, size_t size, const char *text);

/* Prints all of `text` in visible form. */
void text_print(FILE *out, const char *text);

/* Prints a JSON string with its quotes. The string keeps all characters, but each byte that is not UTF-8 becomes four
 * characters such as \xff. */
void text_print_json(FILE *out, const char *text);

/* Prints the text of an XML element or attribute, escaped and with control characters in visible form. After `max`
 * bytes it prints only the number of bytes that it leaves out. */
void text_print_xml(FILE *out, const char *text, size_t max);

/* Writes `text` as one shell word in single quotes, with quotes inside it escaped; as $'…' if bytes are not UTF-8 or
 * control the terminal, so that the word can be printed. If `size` is too small, the text is cut, but the quotes still
 * close. Returns `out`. */
const char *text_quoted(char *out, size_t size, const char *text);

/* Does the same, but writes no quotes around a text that a shell takes as one word without them. */
const char *text_word(char *out, size_t size, const char *text);

#endif
