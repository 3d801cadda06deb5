#include "harness/base/json_comments.h"

#include <stdbool.h>
#include <string.h>

/* Returns the index after the string that begins at `at`. */
static size_t after_string(const char *text, size_t at, size_t size)
{
    for (at++; at < size && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at < size ? at + 1 : size;
}

/* Returns the index after the comment that begins at `at`; `at` itself if no comment begins there or it has no end. */
static size_t after_comment(const char *text, size_t at, size_t size)
{
    if (size - at < 2 || text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*'))
        return at;
    const char *from = text + at + 2;
    if (text[at + 1] == '/') {
        const char *end = memchr(from, '\n', size - at - 2);
        return end ? (size_t)(end - text) : size;
    }
    const char *end = memmem(from, size - at - 2, "*/", 2);
    return end ? (size_t)(end - text) + 2 : at;
}

/* Replaces each character of a comment with one blank, also a character of several bytes, so that columns stay the
 * same. */
static size_t blank(char *text, size_t to, const char *comment, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (comment[i] == '\n')
            text[to++] = '\n';
        else if ((comment[i] & 0xc0) != 0x80)
            text[to++] = ' ';
    return to;
}

size_t json_blank_comments(char *text, size_t size)
{
    size_t to = 0, comma = size; /* the last comma, if only blanks have followed it; `size`: none */
    char last = '[';             /* the last character that is not blank */
    for (size_t at = 0; at < size;) {
        size_t end = after_comment(text, at, size);
        if (end > at) {
            to = blank(text, to, text + at, end - at);
            at = end;
            continue;
        }
        char c = text[at];
        end = c == '"' ? after_string(text, at, size) : at + 1;
        bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if ((c == ']' || c == '}') && comma < size)
            text[comma] = ' ';
        if (c == ',' && !strchr("[{,:", last))
            comma = to;
        else if (!is_blank)
            comma = size;
        if (!is_blank)
            last = c;
        memmove(text + to, text + at, end - at);
        to += end - at;
        at = end;
    }
    return to;
}
