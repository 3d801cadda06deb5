// Element-wise operators that only FLOAT32 and FLOAT16 have.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "map.glsl"

#define FUNCTIONS_ONLY 1
#define COMPOSITES_ONLY 0
#include "map_reals.glsl"
