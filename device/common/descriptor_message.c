/* descriptor_message.c: the sentences of rejections. A rejection keeps its parts; the sentence is put together when
 * somebody asks for it. */
#include "device/common/descriptor_internal.h"

#include <stdio.h>
#include <string.h>

/* The output of the functions below: they write as much text as fits. */
struct writer {
    char *at;
    char *last; /* last byte of the room, for the zero */
};

static void message_put_text(struct writer *writer, const char *text)
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
    message_put_text(writer, first);
}

static void put_hexadecimal(struct writer *writer, uint32_t number)
{
    char digits[12], *first = digits + sizeof digits - 1;
    *first = '\0';
    for (; number || !*first; number >>= 4)
        *--first = "0123456789abcdef"[number & 15];
    message_put_text(writer, first);
}

static void message_put_integer(struct writer *writer, int number)
{
    if (number < 0)
        message_put_text(writer, "-");
    put_number(writer, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

static void message_put_real(struct writer *writer, double number)
{
    char text[32];
    snprintf(text, sizeof text, "%g", number);
    message_put_text(writer, text);
}

static void put_sizes(struct writer *writer, const uint32_t *sizes, uint32_t rank)
{
    message_put_text(writer, "{");
    for (uint32_t i = 0; i < rank; i++) {
        message_put_text(writer, i ? "," : "");
        put_number(writer, sizes[i]);
    }
    message_put_text(writer, "}");
}

static void put_types(struct writer *writer, uint32_t mask)
{
    const char *separator = "";
    for (uint32_t i = 0; i < TYPE_TOTAL; i++)
        if (mask >> i & 1) {
            message_put_text(writer, separator);
            message_put_text(writer, descriptor_types[i].name);
            separator = ", ";
        }
}

static void put_level(struct writer *writer, uint32_t level)
{
    put_number(writer, level >> 12);
    message_put_text(writer, "_");
    put_number(writer, level >> 8 & 15);
}

static void put_unknown_type(struct writer *writer, uint32_t type)
{
    put_number(writer, type);
    message_put_text(writer, ", which is not a data type");
}

static void write_text(struct rejection_part *text)
{
    struct writer writer = {text->text, text->text + sizeof text->text - 1};
    if (text->kind == REJECTION_SIZES)
        put_sizes(&writer, text->sizes, text->count);
    else if (text->kind == REJECTION_TYPES)
        put_types(&writer, text->number);
    else if (text->kind == REJECTION_NO_TYPE)
        put_unknown_type(&writer, text->number);
    else
        put_level(&writer, text->number);
    *writer.at = '\0';
}

/* Adds a text to a rejection. */
static struct rejection_part *new_text(const struct reader *reader, enum rejection_kind kind, uint32_t number)
{
    struct rejection_part *text = &reader->why->texts[reader->why->text_count++];
    text->kind = kind;
    text->number = number;
    return text;
}

const char *descriptor_text_of_sizes(const struct reader *reader, const uint32_t *sizes, uint32_t rank)
{
    struct rejection_part *text = new_text(reader, REJECTION_SIZES, 0);
    text->count = rank;
    for (uint32_t i = 0; i < rank; i++)
        text->sizes[i] = sizes[i];
    return text->text;
}

const char *descriptor_text_of_types(const struct reader *reader, uint32_t mask)
{
    return new_text(reader, REJECTION_TYPES, mask)->text;
}

const char *descriptor_text_of_level(const struct reader *reader, DML_FEATURE_LEVEL level)
{
    return new_text(reader, REJECTION_LEVEL, (uint32_t)level)->text;
}

const char *descriptor_text_of_type(const struct reader *reader, uint32_t type)
{
    return type < TYPE_TOTAL ? descriptor_types[type].name : new_text(reader, REJECTION_NO_TYPE, type)->text;
}

int descriptor_explain(const struct reader *reader, const union rejection_value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        reader->why->values[i] = values[i];
    return 0;
}

void descriptor_message(struct rejection *why, char *room, size_t size)
{
    for (uint32_t i = 0; i < why->text_count; i++)
        write_text(&why->texts[i]);
    struct writer writer = {room, room + size - 1};
    uint32_t at = 1;
    for (const char *format = why->values[0].text; *format && writer.at < writer.last; format++)
        if (*format != '%')
            *writer.at++ = *format;
        else if (*++format == 's')
            message_put_text(&writer, why->values[at++].text);
        else if (*format == 'u')
            put_number(&writer, (uint32_t)why->values[at++].whole);
        else if (*format == 'x')
            put_hexadecimal(&writer, (uint32_t)why->values[at++].whole);
        else if (*format == 'd')
            message_put_integer(&writer, (int)(uint32_t)why->values[at++].whole);
        else if (*format == 'g')
            message_put_real(&writer, why->values[at++].real);
        else if (*format == 'l') { /* %llu */
            put_number(&writer, why->values[at++].whole);
            format += 2;
        } else
            *writer.at++ = '%'; /* %% */
    *writer.at = '\0';
}
