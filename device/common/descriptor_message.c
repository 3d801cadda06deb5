/* descriptor_message.c: the text of rejections. */
#include "device/common/descriptor_internal.h"

#include <stdarg.h>
#include <stdio.h>

struct text descriptor_text_of_sizes(const uint32_t *sizes, uint32_t rank)
{
    struct text text = {"{"};
    size_t length = 1;
    for (uint32_t i = 0; i < rank; i++)
        length += (size_t)snprintf(text.at + length, sizeof text.at - length, "%s%u", i ? "," : "", sizes[i]);
    snprintf(text.at + length, sizeof text.at - length, "}");
    return text;
}

struct text descriptor_text_of_types(uint32_t mask)
{
    struct text text = {""};
    size_t length = 0;
    for (uint32_t i = 0; i < TYPE_TOTAL; i++)
        if (mask >> i & 1)
            length += (size_t)snprintf(text.at + length, sizeof text.at - length, "%s%s", length ? ", " : "",
                                       descriptor_types[i].name);
    return text;
}

struct text descriptor_text_of_level(DML_FEATURE_LEVEL level)
{
    struct text text;
    snprintf(text.at, sizeof text.at, "%u_%u", (unsigned)level >> 12, (unsigned)level >> 8 & 15);
    return text;
}

struct text descriptor_text_of_type(uint32_t type)
{
    struct text text;
    if (type < TYPE_TOTAL)
        snprintf(text.at, sizeof text.at, "%s", descriptor_types[type].name);
    else
        snprintf(text.at, sizeof text.at, "%u, which is not a data type", type);
    return text;
}

int descriptor_explain(const struct reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->message, reader->message_size, format, arguments);
    va_end(arguments);
    return 0;
}
