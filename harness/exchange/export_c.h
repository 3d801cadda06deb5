/* export_c.h: the parts of exported C files: those of one case (export_c.c), and of a sequence of calls. */
#ifndef EXCHANGE_EXPORT_C_H
#define EXCHANGE_EXPORT_C_H

#include "harness/exchange/export_compare.h"

#include <stdio.h>

enum { EXPORT_NAME_SIZE = 96 };

/* Writes the C name of a tensor: that of its field, for an array with the number of the element, after `start`. */
const char *export_c_name(const struct spec *spec, const char *start, int item, char name[EXPORT_NAME_SIZE]);

/* Returns the type of an array that holds the tensor's bits, "uint8_t" …. */
unsigned export_c_bits(const struct opdesc_tensor *t);

/* Prints the values of an array of integers of so many bytes, and its end. */
void export_c_words(FILE *out, const uint8_t *data, uint64_t total, unsigned bytes);

/* Prints what dml.h lacks of an operator of one's own: its number, its struct and the enumerations of that. Prints
 * nothing for a documented one. */
void export_c_own_struct(FILE *out, const struct spec_layout *layout);

/* Prints the filled struct of an operator, and what dml.h lacks of it; `start`desc and `start`op_desc are its names. */
void export_c_description(FILE *out, const struct spec *spec, const struct opdesc *desc, const char *start);

/* The outputs, in the order of their items, and the ways in which they are compared. */
struct export_comparisons {
    int items[OPDESC_MAX_TENSORS], count;
    struct export_comparison list[OPDESC_MAX_TENSORS];
    bool ranged, depends; /* some output is compared with ranges, some depends on others */
};
void export_c_find_comparisons(const struct export *e, struct export_comparisons *all);

/* Prints the code that compares the outputs: declares `wrong`, which is then 1 if one is. */
void export_c_compare(FILE *out, const struct export *e, const struct export_comparisons *all);

/* Opens the file, null: standard output; and ends it. */
FILE *export_c_open(const char *path, struct error *error);
int export_c_close(FILE *out, const char *path, struct error *error);

#endif
