/* descriptor_message.c: the text of rejections. It is made for every description that a device rejects, so it is written
 * here and not by vsnprintf(), which takes longer than the check. */
#include "device/common/descriptor_internal.h"

#include <stdarg.h>
#include <stdio.h>

/* Where text goes, as far as there is room. */
struct writer {
    char *at;
    char *last; /* of the room: for the zero */
};

static void put_text(struct writer *writer, const char *text)
{
    char *at = writer->at;
    while (*text && at < writer->last)
        *at++ = *text++;
    writer->at = at;
}

static void put_number(struct writer *writer, uint64_t number)
{
    char digits[24], *first = digits + sizeof digits - 1;
    *first = '\0';
    for (; number > UINT32_MAX; number /= 10)
        *--first = (char)('0' + number % 10);
    for (uint32_t rest = (uint32_t)number; rest || !*first; rest /= 10) /* 32 bits divide faster */
        *--first = (char)('0' + rest % 10);
    put_text(writer, first);
}

static void put_hexadecimal(struct writer *writer, uint32_t number)
{
    char digits[12], *first = digits + sizeof digits - 1;
    *first = '\0';
    for (; number || !*first; number >>= 4)
        *--first = "0123456789abcdef"[number & 15];
    put_text(writer, first);
}

static void put_integer(struct writer *writer, int number)
{
    if (number < 0)
        put_text(writer, "-");
    put_number(writer, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

static void put_real(struct writer *writer, double number)
{
    char text[32];
    snprintf(text, sizeof text, "%g", number);
    put_text(writer, text);
}

static struct writer write_to(char *room, size_t size)
{
    return (struct writer){room, room + size - 1};
}

struct text descriptor_text_of_sizes(const uint32_t *sizes, uint32_t rank)
{
    struct text text;
    struct writer writer = write_to(text.at, sizeof text.at);
    put_text(&writer, "{");
    for (uint32_t i = 0; i < rank; i++) {
        put_text(&writer, i ? "," : "");
        put_number(&writer, sizes[i]);
    }
    put_text(&writer, "}");
    *writer.at = '\0';
    return text;
}

struct text descriptor_text_of_types(uint32_t mask)
{
    struct text text;
    struct writer writer = write_to(text.at, sizeof text.at);
    for (uint32_t i = 0; i < TYPE_TOTAL; i++)
        if (mask >> i & 1) {
            put_text(&writer, writer.at > text.at ? ", " : "");
            put_text(&writer, descriptor_types[i].name);
        }
    *writer.at = '\0';
    return text;
}

struct text descriptor_text_of_level(DML_FEATURE_LEVEL level)
{
    struct text text;
    struct writer writer = write_to(text.at, sizeof text.at);
    put_number(&writer, (unsigned)level >> 12);
    put_text(&writer, "_");
    put_number(&writer, (unsigned)level >> 8 & 15);
    *writer.at = '\0';
    return text;
}

struct text descriptor_text_of_type(uint32_t type)
{
    struct text text;
    struct writer writer = write_to(text.at, sizeof text.at);
    if (type < TYPE_TOTAL) {
        put_text(&writer, descriptor_types[type].name);
    } else {
        put_number(&writer, type);
        put_text(&writer, ", which is not a data type");
    }
    *writer.at = '\0';
    return text;
}

void descriptor_write(char *room, size_t size, const char *format, va_list arguments)
{
    struct writer writer = write_to(room, size);
    for (; *format && writer.at < writer.last; format++)
        if (*format != '%')
            *writer.at++ = *format;
        else if (*++format == 's')
            put_text(&writer, va_arg(arguments, const char *));
        else if (*format == 'u')
            put_number(&writer, va_arg(arguments, unsigned));
        else if (*format == 'x')
            put_hexadecimal(&writer, va_arg(arguments, unsigned));
        else if (*format == 'd')
            put_integer(&writer, va_arg(arguments, int));
        else if (*format == 'g')
            put_real(&writer, va_arg(arguments, double));
        else if (*format == 'l') { /* %llu */
            put_number(&writer, va_arg(arguments, unsigned long long));
            format += 2;
        } else
            *writer.at++ = '%'; /* %% */
    *writer.at = '\0';
}

int descriptor_explain(const struct reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    descriptor_write(reader->message, reader->message_size, format, arguments);
    va_end(arguments);
    return 0;
}
