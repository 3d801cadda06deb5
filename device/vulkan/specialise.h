/* specialise.h: sets the specialization constants of SPIR-V, and leaves out the code that they switch off, also by
 * variables and parameters that have only one value, and by functions that return only one. A driver would do that,
 * too, but lavapipe does so only after it has inlined all functions, and its time grows with the size of the code. */
#ifndef SPECIALISE_H
#define SPECIALISE_H

#include <stddef.h>
#include <stdint.h>

/* Copies `code` to `out`. The code is valid, with one entry point, and no case of a switch goes on into the next one.
 * Constant number i becomes values[i]; a bool becomes true if values[i] is not 0; a constant without a value there, or
 * not of 32 bits, keeps its default. `out` has room for `words` words. Returns the number of its words; 0: no
 * memory. */
size_t specialise(const uint32_t *code, size_t words, const uint32_t *values, uint32_t count, uint32_t *out);

#endif
