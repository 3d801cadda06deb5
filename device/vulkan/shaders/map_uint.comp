// Element-wise operators on unsigned integers of WIDTH bits, and on the bits of any element.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "map.glsl"

#define SIGNED 0
#if WIDTH == 64
#define number uint64_t
#define number4 u64vec4
#else
#define number uint
#define number4 uvec4
#endif
#include "map_integers.glsl"
