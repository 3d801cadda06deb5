// Functions by which kernels read indices. A kernel defines INDEX64 before: true if indices are 64 bits wide.
#if INT64
ARRAY(index64, uint64_t, 8);
#define INDEX64_AT(p, i) unpack32(AT(index64, 8, p, i))
#else
#define INDEX64_AT(p, i) uvec2(WORD_AT(p, 2 * (i)), WORD_AT(p, 2 * (i) + 1))
#endif

struct axis {
    uint size;
    uint stride;
};

// Turns an index into a position in a dimension of `size`. A negative index counts from the end. An index out of range
// is clamped, and `inside` is false.
uint resolve(uint low, uint high, uint size, uint sign, out bool inside)
{
    uint back = 0u - low; // distance of a negative index from the end
    bool negative;
    if (INDEX64) {
        negative = (high & sign) != 0u;
        inside = negative ? high == 0xffffffffu && low != 0u && back <= size : high == 0u && low < size;
    } else {
        negative = (low & sign) != 0u;
        inside = negative ? back <= size : low < size;
    }
    uint clamped = negative ? 0u : size - 1u, position = negative ? size - back : low;
    return inside ? position : clamped;
}

// Returns the low and high half of an index in memory.
uvec2 load_index(POINTER(word) indices, uint at)
{
    return INDEX64 ? INDEX64_AT(indices, at) : uvec2(WORD_AT(indices, at), 0u);
}
