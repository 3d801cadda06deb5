// Functions of 32-bit floats from additions, multiplications, divisions and square roots, since drivers differ by much
// in their sin() or log(). Errors are a few units in the last place. Special values are told apart by their bits, as
// compilers may assume that there are none. The short polynomials are those of Cephes (S. Moshier).
#define INFINITE uintBitsToFloat(0x7f800000u)
#define NOT_A_NUMBER uintBitsToFloat(0x7fc00000u)
const float HALF_PI = 1.57079632679;
const float LN2 = 0.693147180560;
const float LN2_HIGH = 0.693359375; // a multiple of 2^-9: times an exponent it is exact
const float LN2_LOW = -2.12194440e-4;

bool is_nan(float x)
{
    return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u;
}

bool is_infinite(float x)
{
    return (floatBitsToUint(x) & 0x7fffffffu) == 0x7f800000u;
}

bool is_finite(float x)
{
    return (floatBitsToUint(x) & 0x7f800000u) != 0x7f800000u;
}

// Tells whether x is 0. A denormal is not.
bool is_zero(float x)
{
    return floatBitsToUint(x) << 1 == 0u;
}

// Compares bits, since drivers may take a denormal for 0 in a comparison, or flush it in abs().
bool is_negative(float x)
{
    return floatBitsToUint(x) >> 31 != 0u && !is_zero(x);
}

float size_of(float x)
{
    return uintBitsToFloat(floatBitsToUint(x) & 0x7fffffffu);
}

// Returns the size of x with the sign of y.
float with_sign(float x, float y)
{
    return uintBitsToFloat((floatBitsToUint(x) & 0x7fffffffu) | (floatBitsToUint(y) & 0x80000000u));
}

// Returns x * 2^n for an x that is no denormal. The result may be one: a multiplication may flush it.
float scale_by(float x, int n)
{
    uint bits = floatBitsToUint(x), size = bits & 0x7fffffffu, sign = bits ^ size;
    int exponent = int(size >> 23) + n;
    if (size == 0u || size >= 0x7f800000u)
        return x;
    if (exponent >= 255)
        size = 0x7f800000u;
    else if (exponent >= 1)
        size = (size & 0x007fffffu) | uint(exponent) << 23;
    else
        size = round_bits((size & 0x007fffffu) | 0x00800000u, uint(min(1 - exponent, 31)));
    return uintBitsToFloat(sign | size);
}

// Splits x = m * 2^n, m from sqrt(1/2) to sqrt(2), for positive x, denormal ones, too, which a processor may treat as
// 0.
float split(float x, out int n)
{
    uint bits = floatBitsToUint(x);
    n = -127;
    if (bits < 0x00800000u) {
        bits = floatBitsToUint(float(bits));
        n -= 149;
    }
    uint above = (bits & 0x007fffffu) > 0x003504f3u ? 1u : 0u; // above sqrt(2): halve
    n += int((bits >> 23) + above);
    return uintBitsToFloat((bits & 0x007fffffu) | (127u - above) << 23);
}

// ---- arithmetic

// Returns the fraction of |x| = fraction * 2^(exponent - 150); it has 24 bits, unless x is 0.
uint fraction_of(float x, out int exponent)
{
    uint bits = floatBitsToUint(x) & 0x7fffffffu;
    exponent = int(bits >> 23);
    if (exponent != 0)
        return (bits & 0x007fffffu) | 0x00800000u;
    int lead = bits == 0u ? 0 : 23 - findMSB(bits);
    exponent = 1 - lead;
    return bits << lead;
}

// Returns x, or 1 with its sign if x is neither 0 nor infinite nor NaN.
float special_or_one(float x)
{
    return is_zero(x) || !is_finite(x) ? x : with_sign(1.0, x);
}

// Tells whether x is far from 0 and from overflow: from 2^-60 to 2^60.
bool is_moderate(float x)
{
    return (floatBitsToUint(x) & 0x7fffffffu) - 0x21800000u <= 0x3c000000u;
}

// Returns x / y, if need be by the quotient of the fractions: a driver may multiply by 1 / y, and flush denormals, also
// 1 / y.
float quotient(float x, float y)
{
    int from, to;
    if (is_moderate(x) && is_moderate(y)) {
        precise float moderate = x / y;
        return moderate;
    }
    uint above = fraction_of(x, from), below = fraction_of(y, to);
    precise float plain = special_or_one(x) / special_or_one(y), result = float(above) / float(below);
    if (!is_finite(x) || !is_finite(y) || above == 0u || below == 0u)
        return plain;
    uint sign = (floatBitsToUint(x) ^ floatBitsToUint(y)) & 0x80000000u;
    return uintBitsToFloat(floatBitsToUint(scale_by(result, from - to)) | sign);
}

float sign_of(float x)
{
    return is_nan(x) || is_zero(x) ? 0.0 : with_sign(1.0, x);
}

float mean_of(float x, float y)
{
    precise float result = (x + y) * 0.5;
    return result;
}

// Return x if it is greater, or if it is less, and otherwise y.
float max_first(float x, float y)
{
    precise float result = x > y ? x : y;
    return result;
}

float min_first(float x, float y)
{
    precise float result = x < y ? x : y;
    return result;
}

float shrunk(float x, float bias, float threshold)
{
    precise float above = x - bias, below = x + bias;
    float rest = x < -threshold ? below : 0.0;
    return x > threshold ? above : rest;
}

const uint HALVES_TO_NEAREST_EVEN = 0u, TOWARD_ZERO = 1u; // RoundingMode

float round_by(uint way, float x)
{
    precise float whole = trunc(x), rest = abs(x - whole);
    if (way == HALVES_TO_NEAREST_EVEN && rest == 0.5)
        whole = 2.0 * trunc((x + with_sign(0.5, x)) * 0.5);
    else if (way != TOWARD_ZERO && rest >= 0.5)
        whole += with_sign(1.0, x);
    return is_nan(x) ? x : with_sign(whole, x);
}

// Returns a real number as an integer, without the limits of its type: storing saturates.
float quantised(float x, float scale, float zero_point)
{
    return round_by(HALVES_TO_NEAREST_EVEN, quotient(x, scale)) + zero_point;
}

// Returns x - y * trunc(x / y), exactly, bit by bit.
float rest_of(float x, float y)
{
    int from, to;
    uint rest = fraction_of(x, from), divisor = fraction_of(y, to);
    if (!is_finite(x) || !is_finite(y) || divisor == 0u)
        return NOT_A_NUMBER;
    if (from < to)
        return x;
    for (; from > to; from--) {
        rest = rest >= divisor ? rest - divisor : rest;
        rest <<= 1;
    }
    rest = rest >= divisor ? rest - divisor : rest;
    if (rest == 0u)
        return with_sign(0.0, x);
    int lead = 23 - findMSB(rest);
    rest <<= lead;
    to -= lead;
    return with_sign(uintBitsToFloat(to >= 1 ? (rest & 0x007fffffu) | uint(to) << 23 : rest >> (1 - to)), x);
}

// Returns the rest of a division that rounds down, from the rest of one that truncates.
float floor_rest(float rest, float y)
{
    precise float moved = rest + y;
    return !is_zero(rest) && is_negative(rest) != is_negative(y) ? moved : rest;
}

// ---- exponential and logarithm

// Returns e^r - 1 for x = n * ln(2) + r. x: from -104 to 89.
float exp_minus_one_of_near_rest(float x, out int n)
{
    precise float whole = floor(x * 1.44269504089 + 0.5);
    precise float r = x - whole * LN2_HIGH - whole * LN2_LOW;
    precise float p = 1.9875691500e-4;
    p = p * r + 1.3981999507e-3;
    p = p * r + 8.3334519073e-3;
    p = p * r + 4.1665795894e-2;
    p = p * r + 1.6666665459e-1;
    p = p * r + 5.0000001201e-1;
    p = p * r * r + r;
    n = int(whole);
    return p;
}

// Does the same for any x. Far from 0, x counts as a number whose e^x is 0 or infinite.
float exp_minus_one_of_rest(float x, out int n)
{
    return exp_minus_one_of_near_rest(clamp(x, -104.0, 89.0), n);
}

float exp_of(float x)
{
    int n;
    precise float p = exp_minus_one_of_rest(x, n) + 1.0;
    float result = n > -126 ? uintBitsToFloat(floatBitsToUint(p) + uint(n << 23)) : scale_by(p, n);
    float bounded = x > 88.7228394 ? INFINITE : result;
    return is_nan(x) ? x : bounded;
}

// Returns e^x for x <= 0, precise enough for results of FLOAT16: Vulkan lets a driver's exp2(y) miss by 3 + 2 |y| units
// in the last place of FLOAT32. A result below 2^-126 is next to 0.
float rough_exp(float x)
{
    return is_nan(x) ? x : exp2(max(x * 1.44269504, -126.0));
}

// e^x - 1 = 2^n * (e^r - 1 + (1 - 2^-n))
float exp_minus_one(float x)
{
    int n;
    precise float rest = exp_minus_one_of_rest(x, n);
    if (is_nan(x) || x > 88.7228394)
        return is_nan(x) ? x : INFINITE;
    if (n == 0 || x < -17.5)
        return n == 0 ? rest : -1.0;
    precise float missing = 1.0 - uintBitsToFloat(uint(127 - min(n, 64)) << 23), sum = rest + missing;
    return scale_by(sum, n);
}

float log_of(float x)
{
    uint bits = floatBitsToUint(x);
    if (bits << 1 == 0u)
        return -INFINITE;
    if (bits >= 0x7f800000u) // a NaN, an infinity, a negative number
        return bits == 0x7f800000u ? x : NOT_A_NUMBER;
    int exponent;
    precise float r = split(x, exponent) - 1.0;
    precise float z = r * r, n = float(exponent);
    precise float p = 7.0376836292e-2;
    p = p * r - 1.1514610310e-1;
    p = p * r + 1.1676998740e-1;
    p = p * r - 1.2420140846e-1;
    p = p * r + 1.4249322787e-1;
    p = p * r - 1.6668057665e-1;
    p = p * r + 2.0000714765e-1;
    p = p * r - 2.4999993993e-1;
    p = p * r + 3.3333331174e-1;
    p = p * r * z + n * LN2_LOW - 0.5 * z;
    p = r + p;
    p = p + n * LN2_HIGH;
    return p;
}

// Returns ln(1 + x) for 0 <= x <= 1: the logarithm of the rounded sum, corrected by the rounding error.
float log_plus_one(float x)
{
    precise float sum = 1.0 + x, lost = x - (sum - 1.0), result = log_of(sum) + lost / sum;
    return result;
}

// 1 / (1 + e^-x)
float logistic(float x)
{
    float e = exp_of(-abs(x));
    return quotient(x < 0.0 ? e : 1.0, 1.0 + e);
}

// ln(1 + e^x) without its share of max(x, 0)
float soft_corner(float x)
{
    return log_plus_one(exp_of(-abs(x)));
}

// ---- trigonometry

// Reduces |x| by multiples of a quarter turn to an angle from -pi/4 to pi/4 (Payne and Hanek): multiplies by 2/pi, of
// which only the bits count that are neither whole turns nor below the result's precision.
float reduce(float x, out uint quarters)
{
    const uint two_by_pi[] = uint[](0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u,
                                    0xfe5163abu, 0xdebbc561u);
    int exponent;
    uint fraction = fraction_of(x, exponent), words[3];
    int first = exponent - 152 + 32; // bit of the table whose product is worth two turns
    quarters = 0u;
    if (abs(x) < 0.78539816)
        return abs(x);
    uint word = uint(first) >> 5, shift = uint(first) & 31u;
    for (uint i = 0u; i < 3u; i++)
        words[i] = shift == 0u ? two_by_pi[word + i]
                               : two_by_pi[word + i] << shift | two_by_pi[word + i + 1u] >> (32u - shift);
    uint low, middle, carry, high, unused;
    umulExtended(fraction, words[2], carry, low);
    umulExtended(fraction, words[1], high, middle);
    middle = uaddCarry(middle, carry, carry);
    high += carry + fraction * words[0];
    uint turned = high << 2 | middle >> 30; // the part below a quarter turn
    quarters = (high >> 30) + (turned >> 31);
    precise float part = float(int(turned)) + float(middle << 2 | low >> 30) * (1.0 / 4294967296.0);
    return part * (HALF_PI / 4294967296.0);
}

// sin(r) and cos(r) for r from -pi/4 to pi/4
float small_sin(float r)
{
    precise float z = r * r, p = -1.9515295891e-4;
    p = p * z + 8.3321608736e-3;
    p = p * z - 1.6666654611e-1;
    return p * z * r + r;
}

float small_cos(float r)
{
    precise float z = r * r, p = 2.443315711809948e-5;
    p = p * z - 1.388731625493765e-3;
    p = p * z + 4.166664568298827e-2;
    return p * z * z - 0.5 * z + 1.0;
}

// sin(x + phase * pi/2); phase 0 or 1: sin is odd, cos is even
float sin_of(float x, uint phase)
{
    uint quarters;
    float r = reduce(x, quarters);
    uint turn = phase + quarters, odd = phase == 0u ? floatBitsToUint(x) & 0x80000000u : 0u;
    float size = (turn & 1u) == 0u ? small_sin(r) : small_cos(r);
    return is_finite(x) ? uintBitsToFloat(floatBitsToUint(size) ^ (turn & 2u) << 30 ^ odd) : NOT_A_NUMBER;
}

float tan_of(float x)
{
    uint quarters;
    float r = reduce(x, quarters), s = small_sin(r), c = small_cos(r);
    bool swapped = (quarters & 1u) != 0u;
    float size = (swapped ? -c : s) / (swapped ? s : c);
    return is_finite(x) ? uintBitsToFloat(floatBitsToUint(size) ^ (floatBitsToUint(x) & 0x80000000u)) : NOT_A_NUMBER;
}

float atan_of(float x)
{
    precise float a = abs(x), base = 0.0;
    if (a > 2.41421356) {
        base = HALF_PI;
        a = is_infinite(x) ? 0.0 : -quotient(1.0, a);
    } else if (a > 0.41421356) {
        base = 0.5 * HALF_PI;
        a = (a - 1.0) / (a + 1.0);
    }
    precise float z = a * a, p = 8.05374449538e-2;
    p = p * z - 1.38776856032e-1;
    p = p * z + 1.99777106478e-1;
    p = p * z - 3.33329491539e-1;
    p = base + (p * z * a + a);
    return is_nan(x) ? x : with_sign(p, x);
}

float atan_of_quotient(float y, float x)
{
    if (is_nan(x) || is_nan(y))
        return NOT_A_NUMBER;
    precise float least = min(abs(x), abs(y)), most = max(abs(x), abs(y));
    precise float angle = 0.0;
    if (is_infinite(least))
        angle = 0.5 * HALF_PI;
    else if (most != 0.0)
        angle = atan_of(quotient(least, most));
    if (abs(y) > abs(x))
        angle = HALF_PI - angle;
    if (floatBitsToUint(x) >> 31 != 0u)
        angle = 2.0 * HALF_PI - angle;
    return with_sign(angle, y);
}

// asin(a) for 0 <= a <= 1/2
float small_asin(float a)
{
    precise float z = a * a, p = 4.2163199048e-2;
    p = p * z + 2.4181311049e-2;
    p = p * z + 4.5470025998e-2;
    p = p * z + 7.4953002686e-2;
    p = p * z + 1.6666752422e-1;
    return p * z * a + a;
}

// asin(a) for 0 <= a <= 1/2; above: acos(a) / 2
float asin_or_half_acos(float a)
{
    precise float rest = 0.5 * (1.0 - a);
    return small_asin(a > 0.5 ? sqrt(rest) : a);
}

float asin_of(float x)
{
    precise float a = abs(x), angle = asin_or_half_acos(a);
    angle = a > 0.5 ? HALF_PI - 2.0 * angle : angle;
    return a <= 1.0 ? with_sign(angle, x) : NOT_A_NUMBER;
}

float acos_of(float x)
{
    precise float a = abs(x), angle = asin_or_half_acos(a);
    if (a <= 0.5)
        angle = HALF_PI - with_sign(angle, x);
    else
        angle = x > 0.0 ? 2.0 * angle : 2.0 * HALF_PI - 2.0 * angle;
    return a <= 1.0 ? angle : NOT_A_NUMBER;
}

// ---- hyperbolic functions

// Returns (e^a + sign * e^-a) / 2 for positive a; it overflows only where the result does.
float hyperbola(float a, float sign)
{
    bool large = a > 9.0;
    precise float e = exp_of(large ? 0.5 * a : a);
    precise float result = large ? 0.5 * e * e : 0.5 * e + sign * 0.5 / e;
    return result;
}

float sinh_of(float x)
{
    precise float a = abs(x), z = a * a, p = 2.03721912945e-4;
    p = p * z + 8.33028376239e-3;
    p = p * z + 1.66667160211e-1;
    p = p * z * a + a;
    float size = a > 1.0 ? hyperbola(a, -1.0) : p;
    return is_nan(x) ? x : with_sign(size, x);
}

float cosh_of(float x)
{
    return is_nan(x) ? x : hyperbola(abs(x), 1.0);
}

float tanh_of(float x)
{
    precise float a = abs(x), z = a * a, p;
    if (a < 0.625) {
        p = -5.70498872745e-3;
        p = p * z + 2.06390887954e-2;
        p = p * z - 5.37397155531e-2;
        p = p * z + 1.33314422036e-1;
        p = p * z - 3.33332819422e-1;
        p = p * z * a + a;
    } else {
        p = a > 10.0 ? 1.0 : 1.0 - 2.0 / (exp_of(2.0 * a) + 1.0);
    }
    return is_nan(x) ? x : with_sign(p, x);
}

// ln(a + root)
float log_of_sum(float a, float root)
{
    bool large = a > 1e8;
    precise float sum = a + root, result = log_of(large ? a : sum) + (large ? LN2 : 0.0);
    return result;
}

float asinh_of(float x)
{
    precise float a = abs(x), z = a * a, p = 2.0122003309e-2;
    p = p * z - 4.2699340972e-2;
    p = p * z + 7.4847586088e-2;
    p = p * z - 1.6666288134e-1;
    p = p * z * a + a;
    float size = a < 0.5 ? p : log_of_sum(a, sqrt(z + 1.0));
    return is_nan(x) ? x : with_sign(size, x);
}

float acosh_of(float x)
{
    precise float z = x - 1.0, p = 1.7596881071e-3, square = z * (x + 1.0);
    p = p * z - 7.5272886713e-3;
    p = p * z + 2.6454905019e-2;
    p = p * z - 1.1784741703e-1;
    p = p * z + 1.4142135263;
    p = p * sqrt(z);
    float result = z < 0.5 ? p : log_of_sum(x, sqrt(square));
    return is_nan(x) || x < 1.0 ? NOT_A_NUMBER : result;
}

float atanh_of(float x)
{
    precise float a = abs(x), z = a * a, p;
    if (is_nan(x) || a > 1.0)
        return NOT_A_NUMBER;
    if (a < 0.5) {
        p = 1.81740078349e-1;
        p = p * z + 8.24370301058e-2;
        p = p * z + 1.46691431730e-1;
        p = p * z + 1.99782164500e-1;
        p = p * z + 3.33337300303e-1;
        p = p * z * a + a;
    } else {
        p = a == 1.0 ? INFINITE : 0.5 * log_of((1.0 + a) / (1.0 - a));
    }
    return with_sign(p, x);
}

// erf(a) for 0 <= a < 1
float small_erf(float a)
{
    precise float z = a * a, p = 7.853861353153693e-5;
    p = p * z - 8.010193625184903e-4;
    p = p * z + 5.188327685732524e-3;
    p = p * z - 2.685381193529856e-2;
    p = p * z + 1.128358514861418e-1;
    p = p * z - 3.761262582423300e-1;
    p = p * z + 1.128379165726710;
    p = p * a;
    return p;
}

// 1 - erf(a) for 1 <= a <= 10
float large_erfc(float a)
{
    precise float z = a * a, q = 1.0 / a, w = q * q, p;
    if (a < 2.0) {
        p = 2.326819970068386e-2;
        p = p * w - 1.387039388740657e-1;
        p = p * w + 3.687424674597105e-1;
        p = p * w - 5.824733027278666e-1;
        p = p * w + 6.210004621745983e-1;
        p = p * w - 4.944515323274145e-1;
        p = p * w + 3.404879937665872e-1;
        p = p * w - 2.741127028184656e-1;
        p = p * w + 5.638259427386472e-1;
    } else {
        p = -1.047766399936249e+1;
        p = p * w + 1.297719955372516e+1;
        p = p * w - 7.495518717768503;
        p = p * w + 2.921019019210786;
        p = p * w - 1.015265279202700;
        p = p * w + 4.218463358204948e-1;
        p = p * w - 2.820767439740514e-1;
        p = p * w + 5.641895067754075e-1;
    }
    p = exp_of(-z) * q * p;
    return p;
}

float erf_of(float x)
{
    precise float a = min(abs(x), 10.0), p = a < 1.0 ? small_erf(a) : 1.0 - large_erfc(a);
    return is_nan(x) ? x : with_sign(p, x);
}

// Returns x * (1 + erf(x / sqrt(2))) / 2. Where erf is near -1, its distance from -1 counts.
float gelu(float x)
{
    precise float z = x * 0.707106781, above = z > -1.0 ? 1.0 + erf_of(z) : large_erfc(min(-z, 10.0));
    precise float result = 0.5 * x * above;
    float number_or_nan = is_nan(x) ? x : result;
    return z < -10.0 ? -0.0 : number_or_nan;
}

// Returns gelu() for FLOAT16: x below 0 times the share that erf leaves, 2^q. The polynomial in |x| misses q by 1e-5 at
// most up to 5.8, where the result becomes 0.
float rough_gelu(float x)
{
    float a = min(abs(x), 5.8), q = -1.91648337e-6;
    q = fma(q, a, 6.31972362e-5);
    q = fma(q, a, -9.42737504e-4);
    q = fma(q, a, 8.55375640e-3);
    q = fma(q, a, -5.40475771e-2);
    q = fma(q, a, -4.58385944e-1);
    q = fma(q, a, -1.15127695);
    q = fma(q, a, -9.99993920e-1);
    float result = fma(-a, exp2(q), max(x, 0.0));
    return is_nan(x) ? x : result;
}

// ---- powers

// A number as a sum of two floats, with about twice the bits.
struct pair {
    float high;
    float low;
};

pair product(float x, float y)
{
    float xh = uintBitsToFloat(floatBitsToUint(x) & 0xfffff000u);
    float yh = uintBitsToFloat(floatBitsToUint(y) & 0xfffff000u);
    precise float xl = x - xh, yl = y - yh;
    precise float high = x * y;
    precise float low = ((xh * yh - high) + xh * yl + xl * yh) + xl * yl;
    return pair(high, low);
}

// log2(a) for positive, finite a: 2 atanh((m - 1) / (m + 1)) / ln 2 + n
pair log2_of(float a)
{
    int exponent;
    precise float m = split(a, exponent), n = float(exponent);
    precise float over = m - 1.0, under = m + 1.0, under_low = over - (under - 2.0);
    precise float s = over / under;
    pair back = product(s, under);
    precise float s_low = (((over - back.high) - back.low) - s * under_low) / under;
    precise float z = s * s;
    precise float tail = 2.0 * (s_low + s * z * (1.0 / 3.0 + z * (0.2 + z * (1.0 / 7.0 + z * (1.0 / 9.0 + z / 11.0)))));
    pair scaled = product(2.0 * s, 1.44269504); // 1 / ln 2, in two parts
    precise float low = scaled.low + 2.0 * s * 1.92596299e-8 + tail * 1.44269504;
    precise float high = n + scaled.high;
    low += n == 0.0 ? 0.0 : (n - high) + scaled.high;
    return pair(high, low);
}

// a^y for positive, finite a and finite y
float positive_power(float a, float y)
{
    pair log2 = log2_of(a), high = product(log2.high, clamp(y, -1e12, 1e12));
    precise float low = high.low + log2.low * clamp(y, -1e12, 1e12);
    if (high.high > 200.0 || high.high < -200.0)
        return high.high > 0.0 ? INFINITE : 0.0;
    precise float n = floor(high.high + 0.5);
    precise float r = (high.high - n) + low;
    precise float p = exp_of(r * LN2);
    return scale_by(p, int(n));
}

// Returns a^n by multiplication, n from 0 to 16: exact if the result is a float.
float whole_power(float a, int n)
{
    precise float result = 1.0, square = a;
    for (; n > 0; n >>= 1) {
        if ((n & 1) != 0)
            result *= square;
        square *= square;
    }
    return result;
}

float power(float x, float y)
{
    precise float a = size_of(x), size = size_of(y), p;
    if (is_zero(y) || x == 1.0)
        return 1.0;
    if (is_nan(x) || is_nan(y))
        return NOT_A_NUMBER;
    bool whole = size >= 16777216.0 || (floor(size) == size && floatBitsToUint(size) >= 0x00800000u);
    bool odd = size < 16777216.0 && whole && (int(min(size, 16777216.0)) & 1) != 0;
    bool negative = floatBitsToUint(x) >> 31 != 0u;
    if (negative && !whole && is_finite(x) && !is_zero(x))
        return NOT_A_NUMBER;
    if (a == 1.0)
        p = 1.0;
    else if (is_zero(x) || is_infinite(x) || is_infinite(y))
        p = (a < 1.0) == (floatBitsToUint(y) >> 31 != 0u) ? INFINITE : 0.0;
    else
        p = positive_power(a, y);
    if (whole && size <= 16.0) {
        precise float exact = whole_power(a, int(size)); // unless it overflows or a step of it is flushed
        exact = y < 0.0 ? quotient(1.0, exact) : exact;
        p = exact > 1e-30 && exact < 1e30 ? exact : p;
    }
    return odd ? with_sign(p, x) : p;
}
