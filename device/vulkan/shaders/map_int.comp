// Element-wise operators on signed integers of WIDTH bits.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "map.glsl"

#define SIGNED 1
#if WIDTH == 64
#define number int64_t
#define number4 i64vec4
#else
#define number int
#define number4 ivec4
#endif
#include "map_integers.glsl"
