/* terminal.h: what a terminal can show. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdio.h>

/* The columns of the terminal that `out` leads to, or what the variable COLUMNS says; 80 if neither says anything. */
int terminal_columns(FILE *out);

#endif
