// Element-wise operators on signed integers of WIDTH bits.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "map.glsl"

#define SIGNED 1
#if WIDTH == 64
#define number int64_t
#else
#define number int
#endif
#include "map_integers.glsl"
