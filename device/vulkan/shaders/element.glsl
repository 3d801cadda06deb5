// The element type of WIDTH bits: `element` in registers, STORED and ELEMENT_AT(p, i) in memory.
#if WIDTH == 8
#extension GL_EXT_shader_8bit_storage : require
#define STORED uint8_t
#define element uint
#elif WIDTH == 16
#extension GL_EXT_shader_16bit_storage : require
#define STORED uint16_t
#define element uint
#elif WIDTH == 32
#define STORED uint
#define element uint
#elif WIDTH == 64 && INT64
#define STORED uint64_t
#define element uint64_t
#elif WIDTH == 64
#define STORED uvec2
#define element uvec2
#elif WIDTH == 128 && INT64
#define STORED u64vec2
#define element u64vec2
#elif WIDTH == 256 && INT64
#define STORED u64vec4
#define element u64vec4
#elif WIDTH == 128
#define STORED uvec4
#define element uvec4
#endif

#define BYTES (WIDTH / 8)
ARRAY(element, STORED, BYTES);
#define ELEMENT_AT(p, i) AT(element, BYTES, p, i)
