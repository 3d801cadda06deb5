/* markdown.h: text of a device or a database in Markdown. */
#ifndef RESULTS_MARKDOWN_H
#define RESULTS_MARKDOWN_H

#include <stdio.h>

/* Prints text as code, so that no part of it becomes markup, a link or a mention. Long text is cut. "" prints
 * nothing. */
void markdown_code(FILE *out, const char *text);

#endif
