// Elements of a slice that an invocation keeps, KEPT of them. If ROW is 4, they are fours of adjacent elements. KEPT is
// a power of two: an index modulo KEPT is within the array even in a branch that is never taken.

// Returns the place of element k of the invocation that is number `first` of `step`.
uint place_of(uint k, uint first, uint step)
{
    return ROW == 4 ? 4u * (first + (k >> 2) * step) + (k & 3u) : first + k * step;
}
