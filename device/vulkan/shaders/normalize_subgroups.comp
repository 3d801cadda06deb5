// Normalisations and their gradients, with arithmetic in subgroups.
#version 460
#extension GL_GOOGLE_include_directive : require
#define SUBGROUPS 1
#include "normalize.glsl"
