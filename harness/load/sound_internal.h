/* sound_internal.h: what the checks of sound.h share; only for the sound*.c files. */
#ifndef LOAD_SOUND_INTERNAL_H
#define LOAD_SOUND_INTERNAL_H

#include "harness/spec/spec.h"

#include "harness/base/pool.h"

#include <stdalign.h>

/* The number of entries that an array of the pool can have at most; more than any spec needs. */
enum { COUNT_MAX = 1 << 20 };

#define HOLDS(pool, array, count)                                                                                      \
    ((count) >= 0 && (count) <= COUNT_MAX &&                                                                           \
     pool_holds(pool, array, (size_t)(count) * sizeof *(array), alignof(__typeof__(*(array)))))

/* Whether an index is below `count`, and not below `lowest`: 0, or -1 for one that may be absent. */
static inline bool is_index(int64_t index, int lowest, int count)
{
    return index >= lowest && index < count;
}

/* Whether a feature level is one, or 0, which stands for none. */
static inline bool is_level_or_none(DML_FEATURE_LEVEL level)
{
    return level == 0 || level_name(level);
}

/* Whether a field exists and is a tensor or an array of tensors. */
static inline bool sound_is_tensor(const struct spec *spec, int64_t field)
{
    return is_index(field, 0, spec->field_count) && field_is_tensor(&spec->fields[field]);
}

/* Whether a node before `end` exists and is a number 'n', a list 'l', either 'e', or FLOATs 'r'. A capital: it may be
 * absent, -1; '-': it must be. */
bool sound_is_node(const struct spec *spec, int node, int end, char kind);

/* Whether the expressions, conditions and rules refer only to what exists, and none to itself. The fields must have
 * been checked. */
bool sound_rules(const struct pool *pool, const struct spec *spec);

#endif
