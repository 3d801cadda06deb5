#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>

/* Returns the length in bytes of the sequence that begins with a byte; 0 if none does. */
static size_t sequence_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xc2 || first >= 0xf5)
        return 0;
    if (first < 0xe0)
        return 2;
    return first < 0xf0 ? 3 : 4;
}

size_t text_sequence(const char *text, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    size_t length = sequence_length(bytes[0]);
    if (length < 2) {
        *code = bytes[0];
        return length;
    }
    uint32_t value = bytes[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (bytes[i] & 0x3fu);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
        return 0;
    *code = value;
    return length;
}

size_t text_mark(const char *text, size_t size)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    return size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;
}

bool text_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff ||
           code == 0xfffe || code == 0xffff;
}

size_t text_next(const char **text, char piece[TEXT_PIECE])
{
    const char *at = *text;
    uint32_t code;
    size_t length = text_sequence(at, &code);
    *text += length ? length : 1;
    if (length && !text_is_control(code)) {
        memcpy(piece, at, length);
        return length;
    }
    static const char letters[] = {['\n'] = 'n', ['\t'] = 't', ['\r'] = 'r'};
    if (length && code < sizeof letters && letters[code]) {
        piece[0] = '\\';
        piece[1] = letters[code];
        return 2;
    }
    if (length > 1)
        return (size_t)snprintf(piece, TEXT_PIECE, "\\u%04x", code);
    return (size_t)snprintf(piece, TEXT_PIECE, "\\x%02x", (unsigned char)*at);
}

size_t text_visible(char *out, size_t size, const char *text)
{
    size_t whole = 0, used = 0;
    bool cut = size == 0;
    while (*text) {
        char piece[TEXT_PIECE];
        size_t length = text_next(&text, piece);
        cut = cut || used + length >= size;
        if (!cut) {
            memcpy(out + used, piece, length);
            used += length;
        }
        whole += length;
    }
    if (size)
        out[used] = 0;
    return whole;
}

/* Returns true if some byte of `text` is printed in another form. */
static bool is_changed_in_print(const char *text)
{
    for (const char *at = text; *at;) {
        char piece[TEXT_PIECE];
        const char *before = at;
        size_t length = text_next(&at, piece);
        if (length != (size_t)(at - before) || memcmp(piece, before, length) != 0)
            return true;
    }
    return false;
}

/* Continues a word in $'…': bytes that are no visible ASCII as \xff. */
static size_t quote_bytes(char *out, size_t size, size_t used, const char *text)
{
    for (; *text && used + 6 < size; text++) {
        const char *format = *text == '\'' || *text == '\\' ? "\\%c" : "%c";
        if (*text >= ' ' && *text <= '~')
            used += (size_t)snprintf(out + used, size - used, format, *text);
        else
            used += (size_t)snprintf(out + used, size - used, "\\x%02x", (unsigned char)*text);
    }
    return used;
}

const char *text_quoted(char *out, size_t size, const char *text)
{
    const bool bytes = is_changed_in_print(text);
    size_t used = (size_t)snprintf(out, size, bytes ? "$'" : "'");
    if (bytes)
        used = quote_bytes(out, size, used, text);
    for (; !bytes && *text && used + 6 < size; text++)
        used += (size_t)snprintf(out + used, size - used, *text == '\'' ? "'\\''" : "%c", *text);
    snprintf(out + used, size - used, "'");
    return out;
}

void text_print(FILE *out, const char *text)
{
    while (*text) {
        char piece[TEXT_PIECE];
        fwrite(piece, 1, text_next(&text, piece), out);
    }
}

void text_print_json(FILE *out, const char *text)
{
    putc('"', out);
    while (*text) {
        char piece[TEXT_PIECE];
        uint32_t code;
        bool whole = text_sequence(text, &code) != 0;
        if (whole && text_is_control(code)) {
            fprintf(out, "\\u%04x", code);
            text_next(&text, piece);
            continue;
        }
        size_t length = text_next(&text, piece);
        if (!whole || code == '"' || code == '\\')
            putc('\\', out);
        fwrite(piece, 1, length, out);
    }
    putc('"', out);
}

/* Returns the XML entity of a character; null if it needs none. */
static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&apos;";
    default:
        return NULL;
    }
}

void text_print_xml(FILE *out, const char *text, size_t max)
{
    size_t used = 0;
    while (*text) {
        char piece[TEXT_PIECE];
        const char *rest = text;
        size_t length = text_next(&rest, piece);
        if (used + length > max) {
            fprintf(out, " [%zu bytes more]", strlen(text));
            return;
        }
        used += length;
        text = rest;
        const char *entity = entity_of(*piece);
        if (entity)
            fputs(entity, out);
        else
            fwrite(piece, 1, length, out);
    }
}

const char *text_word(char *out, size_t size, const char *text)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./,:=+@%";
    size_t length = strlen(text);
    if (length == 0 || strspn(text, plain) != length || length >= size)
        return text_quoted(out, size, text);
    memcpy(out, text, length + 1);
    return out;
}
