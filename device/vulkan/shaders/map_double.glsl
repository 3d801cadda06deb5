// The functions of map_float.glsl in 64 bits that wide integers and FLOAT64 need.
#define INFINITE packDouble2x32(uvec2(0u, 0x7ff00000u))
#define NOT_A_NUMBER packDouble2x32(uvec2(0u, 0x7ff80000u))

bool is_nan(double x)
{
    uvec2 bits = unpackDouble2x32(x);
    return (bits.y & 0x7fffffffu) + (bits.x != 0u ? 1u : 0u) > 0x7ff00000u;
}

bool is_infinite(double x)
{
    uvec2 bits = unpackDouble2x32(x);
    return (bits.y & 0x7fffffffu) == 0x7ff00000u && bits.x == 0u;
}

bool is_negative(double x)
{
    return x < 0.0lf;
}

double quotient(double x, double y)
{
    return x / y;
}

double mean_of(double x, double y)
{
    return (x + y) * 0.5lf;
}

double sign_of(double x)
{
    double below = x < 0.0lf ? -1.0lf : 0.0lf;
    return x > 0.0lf ? 1.0lf : below;
}

double shrunk(double x, double bias, double threshold)
{
    precise double above = x - bias, below = x + bias;
    double rest = x < -threshold ? below : 0.0lf;
    return x > threshold ? above : rest;
}

double max_first(double x, double y)
{
    precise double result = x > y ? x : y;
    return result;
}

double min_first(double x, double y)
{
    precise double result = x < y ? x : y;
    return result;
}

// Returns x * 2^n; n is from -1022 to 1023.
double scale_by(double x, int n)
{
    return x * packDouble2x32(uvec2(0u, uint(n + 1023) << 20));
}

// Returns a^y for positive, normal a: 2^(y * log2(a)), both by their series.
double positive_power(double a, double y)
{
    uvec2 bits = unpackDouble2x32(a);
    uint above = (bits.y & 0x000fffffu) > 0x6a09eu ? 1u : 0u; // above sqrt(2): halve
    double n = double(int((bits.y >> 20) + above) - 1023);
    double m = packDouble2x32(uvec2(bits.x, (bits.y & 0x000fffffu) | (1023u - above) << 20));
    double s = (m - 1.0lf) / (m + 1.0lf), z = s * s, sum = 0.0lf;
    for (int k = 23; k >= 1; k -= 2)
        sum = sum * z + 1.0lf / double(k);
    double exponent = y * (n + 2.0lf * s * sum * 1.4426950408889634lf);
    if (!(exponent < 1000.0lf && exponent > -1000.0lf))
        return exponent > 0.0lf ? INFINITE : 0.0lf;
    double whole = floor(exponent + 0.5lf), r = (exponent - whole) * 0.6931471805599453lf, p = 1.0lf;
    for (int k = 16; k >= 1; k--)
        p = 1.0lf + p * r / double(k);
    p = scale_by(p, int(whole));
    // Exact powers, such as halves of squares, are not lost by truncation. Only powers of 1 are exactly 1.
    double nearest = floor(p + 0.5lf);
    return nearest > 1.0lf && abs(p - nearest) <= p * 1e-13lf ? nearest : p;
}

double whole_power(double a, int n)
{
    double result = 1.0lf, square = a;
    for (; n > 0; n >>= 1) {
        if ((n & 1) != 0)
            result *= square;
        square *= square;
    }
    return result;
}

double power(double x, double y)
{
    double a = abs(x), size = abs(y), p;
    if (y == 0.0lf || x == 1.0lf)
        return 1.0lf;
    if (is_nan(x) || is_nan(y))
        return NOT_A_NUMBER;
    const double even = 9007199254740992.0lf; // from here on all numbers are even
    bool whole = size >= even || floor(size) == size;
    double half_size = size * 0.5lf;
    bool odd = size < even && whole && floor(half_size) != half_size;
    bool negative = unpackDouble2x32(x).y >> 31 != 0u;
    if (x < 0.0lf && !whole && !is_infinite(x))
        return NOT_A_NUMBER;
    if (a == 1.0lf)
        p = 1.0lf;
    else if (a == 0.0lf || is_infinite(x) || is_infinite(y))
        p = (a < 1.0lf) == (y < 0.0lf) ? INFINITE : 0.0lf;
    else if (whole && size <= 64.0lf)
        p = y < 0.0lf ? 1.0lf / whole_power(a, int(size)) : whole_power(a, int(size));
    else
        p = positive_power(a, y);
    return odd && negative ? -p : p;
}
