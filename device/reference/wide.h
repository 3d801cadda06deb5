/* wide.h: loops over rows of numbers, compiled for any processor and once more for those with AVX2, and with AVX-512,
 * which has twice the registers.
 *
 * All versions compute the same: every operation is rounded by itself, and none is moved. */
#ifndef WIDE_H
#define WIDE_H

#define WIDE_INLINE static inline __attribute__((always_inline))

/* Defines `name` from the loop NAME_any, which must be WIDE_INLINE. `parameters` and `arguments` are in brackets. */
#if defined(__x86_64__)

static inline int wide_has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static inline int wide_has_avx512(void)
{
    return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") && wide_has_avx2();
}

/* Returns true if __builtin_fma() in a loop is an instruction. */
#define wide_is_fused wide_has_avx2

/* An attribute of functions that need wide_has_avx512(). */
#define WIDE_WIDEST __attribute__((target("avx512vl,avx512dq,fma")))

#define WIDE(type, name, parameters, arguments)                                                                        \
    WIDE_WIDEST static type name##_widest parameters                                                                   \
    {                                                                                                                  \
        return name##_any arguments;                                                                                   \
    }                                                                                                                  \
    __attribute__((target("avx2,fma"))) static type name##_wide parameters                                             \
    {                                                                                                                  \
        return name##_any arguments;                                                                                   \
    }                                                                                                                  \
    static type name parameters                                                                                        \
    {                                                                                                                  \
        if (wide_has_avx512())                                                                                         \
            return name##_widest arguments;                                                                            \
        if (wide_has_avx2())                                                                                           \
            return name##_wide arguments;                                                                              \
        return name##_any arguments;                                                                                   \
    }

#else

static inline int wide_is_fused(void)
{
    return 0;
}

#define WIDE(type, name, parameters, arguments)                                                                        \
    static type name parameters                                                                                        \
    {                                                                                                                  \
        return name##_any arguments;                                                                                   \
    }

#endif

#endif
