/* Conversion to FLOAT16 and back, against one written by hand. */
#include "harness/base/datatype.h"
#include "tools/fuzz/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the nearest FLOAT16, ties to even, of a number that is not a NaN. */
static uint16_t nearest(double value)
{
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    double size = fabs(value);
    if (size >= 65520) /* half way between the largest FLOAT16 and the next step */
        return sign | 0x7c00;
    int exponent = size > 0 ? ilogb(size) : -15;
    exponent = exponent < -14 ? -14 : exponent;
    double steps = nearbyint(ldexp(size, 10 - exponent)); /* units of the last place; only nearbyint() rounds */
    return (uint16_t)(sign | (uint16_t)((exponent + 14) * 1024 + (int)steps));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    double value, back;
    uint16_t half;
    if (size < sizeof value)
        return 0;
    memcpy(&value, data, sizeof value);
    datatype_from_double(DML_TENSOR_DATA_TYPE_FLOAT16, value, &half);
    if (isnan(value) ? !datatype_is_nan(DML_TENSOR_DATA_TYPE_FLOAT16, half) : half != nearest(value))
        abort();
    memcpy(&half, data, sizeof half); /* every FLOAT16 is a double */
    back = datatype_to_double(DML_TENSOR_DATA_TYPE_FLOAT16, &half);
    if (!isnan(back) && nearest(back) != half)
        abort();
    return 0;
}
