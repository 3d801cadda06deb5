/* descriptor_message.c: the sentences of rejections: kept in parts, and put together for whoever reads them. */
#include "device/common/descriptor_internal.h"

#include <stdio.h>
#include <string.h>

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

/* Begins a text of a rejection. */
static struct writer new_text(const struct reader *reader)
{
    char *text = reader->why->texts[reader->why->text_count++];
    return (struct writer){text, text + sizeof reader->why->texts[0] - 1};
}

/* Ends it, and returns it. */
static const char *finished(const struct reader *reader, const struct writer *writer)
{
    *writer->at = '\0';
    return reader->why->texts[reader->why->text_count - 1];
}

const char *descriptor_text_of_sizes(const struct reader *reader, const uint32_t *sizes, uint32_t rank)
{
    struct writer writer = new_text(reader);
    put_text(&writer, "{");
    for (uint32_t i = 0; i < rank; i++) {
        put_text(&writer, i ? "," : "");
        put_number(&writer, sizes[i]);
    }
    put_text(&writer, "}");
    return finished(reader, &writer);
}

const char *descriptor_text_of_types(const struct reader *reader, uint32_t mask)
{
    struct writer writer = new_text(reader);
    const char *separator = "";
    for (uint32_t i = 0; i < TYPE_TOTAL; i++)
        if (mask >> i & 1) {
            put_text(&writer, separator);
            put_text(&writer, descriptor_types[i].name);
            separator = ", ";
        }
    return finished(reader, &writer);
}

const char *descriptor_text_of_level(const struct reader *reader, DML_FEATURE_LEVEL level)
{
    struct writer writer = new_text(reader);
    put_number(&writer, (unsigned)level >> 12);
    put_text(&writer, "_");
    put_number(&writer, (unsigned)level >> 8 & 15);
    return finished(reader, &writer);
}

const char *descriptor_text_of_type(const struct reader *reader, uint32_t type)
{
    if (type < TYPE_TOTAL)
        return descriptor_types[type].name;
    struct writer writer = new_text(reader);
    put_number(&writer, type);
    put_text(&writer, ", which is not a data type");
    return finished(reader, &writer);
}

int descriptor_explain(const struct reader *reader, const union rejection_value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        reader->why->values[i] = values[i];
    return 0;
}

void descriptor_message(const struct rejection *why, char *room, size_t size)
{
    struct writer writer = {room, room + size - 1};
    uint32_t at = 1;
    for (const char *format = why->values[0].text; *format && writer.at < writer.last; format++)
        if (*format != '%')
            *writer.at++ = *format;
        else if (*++format == 's')
            put_text(&writer, why->values[at++].text);
        else if (*format == 'u')
            put_number(&writer, (uint32_t)why->values[at++].whole);
        else if (*format == 'x')
            put_hexadecimal(&writer, (uint32_t)why->values[at++].whole);
        else if (*format == 'd')
            put_integer(&writer, (int)(uint32_t)why->values[at++].whole);
        else if (*format == 'g')
            put_real(&writer, why->values[at++].real);
        else if (*format == 'l') { /* %llu */
            put_number(&writer, why->values[at++].whole);
            format += 2;
        } else
            *writer.at++ = '%'; /* %% */
    *writer.at = '\0';
}
