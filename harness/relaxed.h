/* relaxed.h: JSON as people write it for DxDispatch, made JSON. */
#ifndef RELAXED_H
#define RELAXED_H

#include <stddef.h>

/* Blanks out comments of both kinds and the comma before a closing bracket, in `size` bytes; what is left stands in the same
 * line and column. Returns the size that is left. A comment without an end stays, for the parser to complain about. */
size_t relaxed_to_json(char *text, size_t size);

#endif
