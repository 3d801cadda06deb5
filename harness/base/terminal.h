/* terminal.h: the width of a terminal. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdio.h>

/* Returns the columns of the terminal that `out` leads to, or the variable COLUMNS; 80 if neither says anything. */
int terminal_columns(FILE *out);

#endif
