/* json_comments.h: converts the JSON with comments that people write for DxDispatch to strict JSON. */
#ifndef BASE_JSON_COMMENTS_H
#define BASE_JSON_COMMENTS_H

#include <stddef.h>

/* Replaces line and block comments, and commas before a closing bracket, with blanks in `size` bytes of text. All other
 * text keeps its line and column. Returns the new size, which is never larger. A block comment without an end stays, so
 * that the parser reports it. */
size_t json_blank_comments(char *text, size_t size);

#endif
