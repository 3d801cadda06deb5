// Element-wise operators on real numbers: arithmetic, comparisons, conversions.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "map.glsl"

#define FUNCTIONS_ONLY 0
#define COMPOSITES_ONLY 0
#include "map_reals.glsl"
