// Element-wise operators of several steps: with a fused activation, or to quantised numbers.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "map.glsl"

#define FUNCTIONS_ONLY 0
#define COMPOSITES_ONLY 1
#include "map_reals.glsl"
