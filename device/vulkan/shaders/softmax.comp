// SOFTMAX, LOG_SOFTMAX and HARDMAX.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "softmax.glsl"
