/* json_comments.h: JSON as people write it for DxDispatch, made JSON. */
#ifndef BASE_JSON_COMMENTS_H
#define BASE_JSON_COMMENTS_H

#include <stddef.h>

/* Blanks out comments of both kinds and the comma before a closing bracket, in `size` bytes; what is left stands in the same
 * line and column. Returns the size that is left. A comment without an end stays, for the parser to complain about. */
size_t json_blank_comments(char *text, size_t size);

#endif
