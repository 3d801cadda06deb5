#include "harness/plan/case_name.h"

#include "harness/solve/solve.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

static const char level_mark[] = "fl";

struct case_text case_text(const char *text)
{
    return (struct case_text){text, strlen(text)};
}

bool case_text_is(struct case_text part, const char *text)
{
    return strlen(text) == part.length && (part.length == 0 || memcmp(part.text, text, part.length) == 0);
}

/* ---- writing */

static char *case_name_append(char *at, const char *end, const char *text, size_t length)
{
    size_t room = (size_t)(end - at);
    return mempcpy(at, text, length < room ? length : room);
}

void case_name_write(const struct case_name *parts, char name[CASE_NAME_SIZE])
{
    char *at = name, *end = name + CASE_NAME_SIZE - 1;
    for (int p = 0; p < CASE_PARTS; p++) {
        const struct case_text *part = &parts->parts[p];
        if (part->length == 0)
            continue;
        if (at > name)
            at = case_name_append(at, end, ".", 1);
        if (p == CASE_LEVEL)
            at = case_name_append(at, end, level_mark, strlen(level_mark));
        at = case_name_append(at, end, part->text, part->length);
    }
    *at = '\0';
}

/* ---- parsing */

size_t case_name_parameter(const char *parameters)
{
    size_t digits = strspn(parameters + 1, "0123456789");
    return 1 + digits + (digits == 0 && parameters[1] == 'x');
}

static bool case_name_is_level(const char *piece)
{
    size_t mark = strlen(level_mark);
    return strncmp(piece, level_mark, mark) == 0 && isdigit((unsigned char)piece[mark]) && piece[mark + 1] == '_';
}

static bool case_name_has_parameters(const char *piece, size_t length)
{
    size_t at = 0;
    while (at < length && islower((unsigned char)piece[at]) && case_name_parameter(piece + at) > 1)
        at += case_name_parameter(piece + at);
    return at == length;
}

/* Returns the part that a piece of a name is or belongs to, after a piece of the part `last`. The cases of an operator
 * that leaves no choice of types have none in their names, and most names have no strides. */
static enum case_part case_name_part(enum case_part last, const char *piece, size_t length)
{
    if (last == CASE_OPERATOR)
        return CASE_STRATEGY;
    if (last <= CASE_LABEL)
        return case_name_is_level(piece) ? CASE_LEVEL : CASE_LABEL;
    if (last < CASE_PARAMETERS && case_name_has_parameters(piece, length))
        return CASE_PARAMETERS;
    if (last == CASE_LEVEL)
        return CASE_TYPES;
    return last == CASE_PARAMETERS && strspn(piece, stride_letters) == length ? CASE_STRIDES : CASE_ENDING;
}

struct case_name case_name_parse(const char *name)
{
    struct case_name parts = {0};
    enum case_part part = CASE_OPERATOR;
    for (const char *at = name; *at;) {
        size_t length = strcspn(at, ".");
        part = at == name ? CASE_OPERATOR : case_name_part(part, at, length);
        struct case_text *text = &parts.parts[part];
        if (!text->text)
            text->text = part == CASE_LEVEL ? at + strlen(level_mark) : at;
        text->length = (size_t)(at + length - text->text);
        at += length;
        at += *at == '.';
    }
    return parts;
}

/* ---- fronts */

size_t case_name_next_front(const char *name, size_t length)
{
    size_t dot = length > 0 && name[length];
    return length + dot + strcspn(name + length + dot, ".");
}

size_t case_name_front(const char *name, const char *like)
{
    size_t length = case_name_next_front(name, 0);
    for (const char *dot = like; (dot = strchr(dot, '.')); dot++)
        length = case_name_next_front(name, length);
    return length;
}

bool case_name_is_legal(const char *name)
{
    static const bool legal[UCHAR_MAX + 1] = {
        ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true, ['_'] = true, ['-'] = true};
    size_t length = strnlen(name, CASE_NAME_MAX + 1);
    if (length == 0 || length > CASE_NAME_MAX)
        return false;
    for (size_t i = 0, piece = 0; i <= length; i++) { /* every case of a plan comes here */
        unsigned char byte = (unsigned char)name[i];
        if (legal[byte])
            piece++;
        else if (piece == 0 || (byte != '.' && byte != '\0'))
            return false;
        else
            piece = 0;
    }
    return true;
}
