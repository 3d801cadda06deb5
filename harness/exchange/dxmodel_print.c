/* Prints the buffers of a DxDispatch model as DxDispatch does: like C++ streams, with six significant digits. */
#include "harness/exchange/dxmodel.h"

#include "harness/base/datatype.h"

#include <inttypes.h>
#include <stdio.h>

static void dxmodel_print_value(FILE *out, unsigned type, const uint64_t *at)
{
    const struct datatype *t = datatype_of(type);
    if (t->is_float)
        fprintf(out, "%g", datatype_to_double(type, at));
    else if (t->is_signed)
        fprintf(out, "%" PRId64, datatype_to_integer(type, at));
    else
        fprintf(out, "%" PRIu64, datatype_bits(type, at));
}

/* Prints only the bytes that had initial values, not the padding. */
bool dxmodel_print(FILE *out, const struct dxmodel_buffer *buffer, const uint8_t *data, bool verbose)
{
    unsigned bits = datatype_of(buffer->type)->bits;
    uint64_t count = buffer->initial_count;
    int width = 1;
    for (uint64_t n = count; n >= 10; n /= 10)
        width++;
    fprintf(out, "Resource '%s':%s", buffer->name, verbose ? "\n" : " ");
    for (uint64_t i = 0; i < count; i++) {
        if (verbose)
            fprintf(out, "[%*" PRIu64 "] ", width, i);
        uint64_t value = element_get(bits, data, i);
        dxmodel_print_value(out, buffer->type, &value);
        if (verbose)
            fprintf(out, " (0x%*" PRIX64 ")\n", (int)bits / 4, value);
        else if (i + 1 < count)
            fprintf(out, ", ");
    }
    fprintf(out, "\n");
    return bits > 0;
}
