// Functions of integers: `number` is int, uint, int64_t or uint64_t. No division by 0 or of the least number by -1
// reaches the hardware, which may stop at it.
const number ZERO = number(0), ONE = number(1), NONE = number(0) - number(1); // all bits: -1, if signed

number sign_of(number x)
{
    number below = x < ZERO ? NONE : ZERO;
    return x > ZERO ? ONE : below;
}

bool is_negative(number x)
{
    return x < ZERO;
}

number max_first(number x, number y)
{
    return x > y ? x : y;
}

number min_first(number x, number y)
{
    return x < y ? x : y;
}

number shrunk(number x, number bias, number threshold)
{
    number below = x < -threshold ? x + bias : ZERO;
    return x > threshold ? x - bias : below;
}

// Returns the quotient, rounded toward zero. A quotient by 0 has all bits set, as Direct3D says of unsigned integers.
number quotient(number x, number y)
{
    bool safe = y != ZERO && y != NONE;
    number result = x / (safe ? y : ONE);
#if SIGNED
    result = y == NONE ? -x : result;
#else
    result = y == NONE ? number(x == NONE) : result;
#endif
    return y == ZERO ? NONE : result;
}

// Returns x - y * quotient(x, y); 0 if y is 0.
number rest_of(number x, number y)
{
    return y == ZERO ? ZERO : x - y * quotient(x, y);
}

number floor_rest(number rest, number y)
{
    return rest != ZERO && (rest < ZERO) != (y < ZERO) ? rest + y : rest;
}

// Returns (x + y) / 2 toward zero, without overflow.
number mean_of(number x, number y)
{
    number low = (x & y) + ((x ^ y) >> 1);
    return low < ZERO ? low + ((x ^ y) & ONE) : low;
}

// Returns the low bits of x^y. With a negative exponent: 1 / x^|y|, toward zero.
number power(number x, number y)
{
    number result = ONE, square = x;
#if SIGNED
    if (y < ZERO && is_signed(TYPE1))
        return number(x == ONE || x == NONE && (y & ONE) == ZERO) - number(x == NONE && (y & ONE) != ZERO);
#endif
    for (int bit = 0; bit < WIDTH; bit++) {
        if (((y >> bit) & ONE) != ZERO)
            result *= square;
        square *= square;
    }
    return result;
}

// Shift logically. Elements narrower than a number shift correctly, too: their types are unsigned.
number shift_left(number x, number y)
{
    return y < number(WIDTH) ? x << y : ZERO;
}

number shift_right(number x, number y)
{
    return y < number(WIDTH) ? x >> y : ZERO;
}

#if !SIGNED
number count_bits(number x)
{
#if WIDTH == 64
    uvec2 halves = unpackUint2x32(x);
    return number(bitCount(halves.x) + bitCount(halves.y));
#else
    return number(bitCount(x));
#endif
}
#endif
