// Element-wise operators that only FLOAT32 and FLOAT16 have. They are apart, since a driver reads all of a module for
// each pipeline.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "map.glsl"

#define FUNCTIONS 1
#include "map_reals.glsl"
