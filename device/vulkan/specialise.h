/* specialise.h: sets the specialization constants of SPIR-V, and leaves out what they switch off, also by variables and
 * parameters that have only one value, and by functions that return only one. A driver would, too, but lavapipe does so
 * only after all functions are in one, and its time follows the size of that. */
#ifndef SPECIALISE_H
#define SPECIALISE_H

#include <stddef.h>
#include <stdint.h>

/* `code` is valid, with one entry point, and no case of a switch goes on into the next one. Constant number i becomes
 * values[i], that of a bool whether values[i] is not 0; one that has no value there, or is not of 32 bits, keeps its
 * default. `out` has room for `words` words. Returns how many it has; 0: no memory. */
size_t specialise(const uint32_t *code, size_t words, const uint32_t *values, uint32_t count, uint32_t *out);

#endif
