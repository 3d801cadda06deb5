/* sound_internal.h: the shared parts of the checks of sound.h; only for the sound*.c files. */
#ifndef LOAD_SOUND_INTERNAL_H
#define LOAD_SOUND_INTERNAL_H

#include "harness/spec/spec.h"

#include "harness/base/pool.h"

#include <stdalign.h>

/* A bound on the number of entries of an array in the pool; no spec needs as many. */
enum { COUNT_MAX = 1 << 20 };

#define HOLDS(pool, array, count)                                                                                      \
    ((count) >= 0 && (count) <= COUNT_MAX &&                                                                           \
     pool_holds(pool, array, (size_t)(count) * sizeof *(array), alignof(__typeof__(*(array)))))

/* Returns true if an index is at least `lowest` and below `count`. `lowest` is 0, or -1 for an index that may be
 * absent. */
static inline bool is_index(int64_t index, int lowest, int count)
{
    return index >= lowest && index < count;
}

/* Returns true for a feature level, and for 0, which stands for none. */
static inline bool is_level_or_none(DML_FEATURE_LEVEL level)
{
    return level == 0 || level_name(level);
}

/* Returns true if a field exists and is a tensor or an array of tensors. */
static inline bool sound_is_tensor(const struct spec *spec, int64_t field)
{
    return is_index(field, 0, spec->field_count) && field_is_tensor(&spec->fields[field]);
}

/* Returns true if a node before `end` exists and is a number 'n', a list 'l', either 'e', or FLOATs 'r'. A capital: the
 * node may be absent, -1; '-': it must be absent. */
bool sound_is_node(const struct spec *spec, int node, int end, char kind);

/* Returns true if the expressions, conditions and rules refer only to existing parts, and none to itself. The fields
 * must have been checked. */
bool sound_rules(const struct pool *pool, const struct spec *spec);

#endif
