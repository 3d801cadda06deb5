// Elements of a slice that an invocation keeps, KEPT of them. If ROW is 4, they are fours of adjacent elements.
// KEPT is a power of two: an index modulo KEPT is one of the array even where the branch that has it is never taken.

// The place of element k of the invocation that is number `first` of `step`.
uint place_of(uint k, uint first, uint step)
{
    return ROW == 4 ? 4u * (first + (k >> 2) * step) + (k & 3u) : first + k * step;
}
