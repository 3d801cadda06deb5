/* wide.h: loops over rows of numbers, compiled for any processor and once more for those with AVX2.
 *
 * Both compute the same: every operation is rounded by itself, and none is moved. */
#ifndef WIDE_H
#define WIDE_H

#define WIDE_INLINE static inline __attribute__((always_inline))

/* Defines `name` of the loop NAME_any, which must be WIDE_INLINE. `parameters` and `arguments` are in brackets. */
#if defined(__x86_64__)
#define WIDE(name, parameters, arguments)                                                                              \
    __attribute__((target("avx2"))) static void name##_wide parameters                                                 \
    {                                                                                                                  \
        name##_any arguments;                                                                                          \
    }                                                                                                                  \
    static void name parameters                                                                                        \
    {                                                                                                                  \
        if (__builtin_cpu_supports("avx2"))                                                                            \
            name##_wide arguments;                                                                                     \
        else                                                                                                           \
            name##_any arguments;                                                                                      \
    }
#else
#define WIDE(name, parameters, arguments)                                                                              \
    static void name parameters                                                                                        \
    {                                                                                                                  \
        name##_any arguments;                                                                                          \
    }
#endif

#endif
