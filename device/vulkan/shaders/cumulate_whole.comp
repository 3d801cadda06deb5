// Cumulative sums and products of integers of WIDTH bits, which wrap: signs do not matter.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "cumulate.glsl"

#if WIDTH == 64
#define number uint64_t
#define NUMBER_AT(p, i) AT(long, 8, p, i)
#else
#define number uint
#define NUMBER_AT(p, i) AT(word, 4, AS(word, p), i)
#endif

number load_sum(ADDRESS p, uint i)
{
    return NUMBER_AT(p, i);
}

#define load_element load_sum

void store_element(ADDRESS p, uint i, number x)
{
    NUMBER_AT(p, i) = x;
}

#if TEXELS
#define number_from
#define bits_from
#include "cumulate_lines.glsl"
#elif SUBGROUPS
#define number_from
#define bits_from
#include "cumulate_fours.glsl"
#else
#include "cumulate_main.glsl"
#endif
