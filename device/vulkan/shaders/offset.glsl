// Returns the offset of the element with a row-major index in the space that p.dimensions has, by the first operand's
// strides.
uint offset_of(uint index)
{
    uint rest = index, offset = 0u;
    [[unroll]] for (uint d = 0; d < RANK; d++) {
        uint next = divide(rest, p.dimensions[d]);
        offset += (rest - next * p.dimensions[d].size) * p.dimensions[d].stride[0];
        rest = next;
    }
    return offset;
}
