#include "harness/base/json_number.h"

#include "harness/base/datatype.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MARK = 0x7f, SAFE_DIGITS = 18 }; /* 64 bits hold every integer of 18 digits */

/* ---- marking */

static size_t count_digits(const char *text, size_t size)
{
    size_t count = 0;
    while (count < size && text[count] >= '0' && text[count] <= '9')
        count++;
    return count;
}

/* Returns the length of the JSON number at the start of the text; 0 if there is none. Clears `plain` unless the library
 * holds the number exactly. */
static size_t json_number_measure(const char *text, size_t size, bool *plain)
{
    size_t at = size > 0 && text[0] == '-', digits = count_digits(text + at, size - at);
    if (digits == 0 || (digits > 1 && text[at] == '0'))
        return 0;
    *plain = digits <= SAFE_DIGITS && !(at == 1 && text[1] == '0');
    at += digits;
    if (at < size && text[at] == '.') {
        digits = count_digits(text + at + 1, size - at - 1);
        if (digits == 0)
            return 0;
        at += 1 + digits;
        *plain = false;
    }
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        size_t sign = at + 1 < size && (text[at + 1] == '-' || text[at + 1] == '+');
        digits = count_digits(text + at + 1 + sign, size - at - 1 - sign);
        if (digits == 0)
            return 0;
        at += 1 + sign + digits;
        *plain = false;
    }
    return at;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns true if a value may end here: the next character is not part of it. */
static bool ends_value(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && is_blank(text[at]))
        at++;
    return at < size && strchr(",]}", text[at]) && text[at];
}

/* Returns the length of the string at the start of the text, quotes included. */
static size_t measure_string(const char *text, size_t size)
{
    size_t at = 1;
    while (at < size && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    return at < size ? at + 1 : size;
}

char *json_number_mark(const char *text, size_t size, size_t *marked_size)
{
    /* A number that gets marked has 2 bytes or more. */
    char *marked = malloc(size / 2 * 5 + 8), last = '\0', *to = marked;
    for (size_t at = 0, length; marked && at < size; at += length) {
        bool number = (text[at] == '-' || (text[at] >= '0' && text[at] <= '9')) && last && strchr("[,:", last);
        bool plain = true;
        length = 1;
        if (text[at] == '"')
            length = measure_string(text + at, size - at);
        else if (number)
            length = json_number_measure(text + at, size - at, &plain);
        if (!is_blank(text[at]))
            last = text[at];
        if (length > 0 && !plain && ends_value(text + at + length, size - at - length)) {
            *to++ = '"';
            *to++ = MARK;
            to = mempcpy(to, text + at, length);
            *to++ = '"';
        } else {
            length = length ? length : 1;
            to = mempcpy(to, text + at, length);
        }
    }
    *marked_size = marked ? (size_t)(to - marked) : 0;
    return marked;
}

const char *json_number_text(const json_t *value)
{
    const char *text = json_string_value(value);
    return text && *text == MARK ? text + 1 : NULL;
}

/* ---- values */

bool json_number_integer(const char *text, bool *negative, uint64_t *magnitude)
{
    long point = 0, zeros = 0; /* digits after the point; zeros left out so far */
    bool fraction = false, good = true;
    *negative = *text == '-';
    *magnitude = 0;
    for (text += *negative; *text && *text != 'e' && *text != 'E'; text++) {
        if (*text == '.') {
            fraction = true;
            continue;
        }
        point += fraction;
        zeros++;
        if (*text == '0')
            continue;
        for (; zeros > 0 && good; zeros--) /* writes the zeros before this digit */
            good = !__builtin_mul_overflow(*magnitude, (uint64_t)10, magnitude);
        good = good && !__builtin_add_overflow(*magnitude, (uint64_t)(*text - '0'), magnitude);
    }
    long exponent = *text ? strtol(text + 1, NULL, 10) : 0;
    if (*magnitude == 0 && good)
        return true;
    if (exponent > 1000000 || exponent < -1000000 || (zeros += exponent - point) < 0)
        return false;
    for (; zeros > 0 && good; zeros--)
        good = !__builtin_mul_overflow(*magnitude, (uint64_t)10, magnitude);
    return good;
}

/* Returns the double next to the number towards zero; if the number lies between two doubles, the one whose last bit is
 * 1. Rounding that to at most 51 bits gives the same as rounding the number itself. */
__attribute__((noinline)) static double read_to_odd(const char *text)
{
    int mode = fegetround();
    uint64_t bits;
    fesetround(FE_TOWARDZERO);
    double inner = strtod(text, NULL);
    fesetround(*text == '-' ? FE_DOWNWARD : FE_UPWARD);
    double outer = strtod(text, NULL);
    fesetround(mode);
    memcpy(&bits, &inner, sizeof bits);
    bits |= inner != outer;
    memcpy(&inner, &bits, sizeof inner);
    return inner;
}

bool json_number_float(const char *text, unsigned type, void *at)
{
    double value = type == DML_TENSOR_DATA_TYPE_FLOAT64 ? strtod(text, NULL) : read_to_odd(text);
    datatype_from_double(type, value, at);
    return isfinite(datatype_to_double(type, at));
}
