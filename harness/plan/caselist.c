#include "harness/plan/caselist.h"

#include "harness/base/input.h"
#include "harness/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a list. Returns a text that the caller frees; null: the error is set. */
static char *caselist_read(const char *path, uint64_t *size, struct error *error)
{
    struct error unread = {0};
    char *text = NULL, *kept;
    size_t length;
    if (strcmp(path, "-") != 0)
        text = input_file(path, "a list of cases", INPUT_MAX, size, &unread);
    else if (input_read(&kept, &length, &unread) == 0 && (text = malloc((*size = length) + 1)))
        memcpy(text, kept, length + 1);
    if (!text)
        error_set(error, unread.status == EXIT_INCOMPLETE ? EXIT_INCOMPLETE : EXIT_USAGE, "--case-list: %s",
                  *unread.text ? unread.text : "out of memory");
    return text;
}

/* Makes room for one more item behind `count`. */
static bool caselist_grow(const char ***items, struct caselist_line **places, size_t count)
{
    if ((count & (count - 1)) != 0) /* the capacity is a power of two */
        return true;
    size_t room = count ? 2 * count : 1;
    const char **more = realloc(*items, room * sizeof *more);
    *items = more ? more : *items;
    struct caselist_line *more_places = realloc(*places, room * sizeof *more_places);
    *places = more_places ? more_places : *places;
    return more && more_places;
}

static int caselist_add_line(struct caselist *list, char *text, struct caselist_line at, struct error *error)
{
    text += strspn(text, " \t");
    for (char *hash = strchr(text, '#'); hash; hash = strchr(hash + 1, '#'))
        if (hash == text || isspace((unsigned char)hash[-1])) {
            *hash = '\0';
            break;
        }
    for (char *end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
        *--end = '\0';
    bool unwanted = *text == '-';
    const char *pattern = text + unwanted;
    if (*text == '\0')
        return 0;
    for (const char *c = pattern; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.*?", *c))
            return error_set(error, EXIT_USAGE, "%s:%u: '%s' is neither the name of a case nor a pattern", at.file,
                             at.number, pattern);
    if (*pattern == '\0')
        return error_set(error, EXIT_USAGE, "%s:%u: expected a pattern after the -", at.file, at.number);
    const char ***items = unwanted ? &list->unwanted : &list->wanted;
    struct caselist_line **places = unwanted ? &list->unwanted_at : &list->wanted_at;
    size_t *count = unwanted ? &list->unwanted_count : &list->wanted_count;
    if (!caselist_grow(items, places, *count))
        return error_set(error, EXIT_HARNESS, "%s: out of memory", at.file);
    (*items)[*count] = pool_string(&list->pool, pattern);
    (*places)[(*count)++] = at;
    return 0;
}

int caselist_add(struct caselist *list, const char *path, struct error *error)
{
    struct caselist_line at = {.file = pool_string(&list->pool, strcmp(path, "-") ? path : "standard input")};
    uint64_t size;
    char *text = caselist_read(path, &size, error);
    size_t before = list->wanted_count + list->unwanted_count;
    int result = 0;
    if (!text)
        return (int)error->status;
    for (char *line = text + text_mark(text, size), *end = text + size; result == 0 && line < end;) {
        char *past = memchr(line, '\n', (size_t)(end - line));
        past = past ? past : end;
        *past = '\0';
        at.number++;
        result = strlen(line) == (size_t)(past - line)
                     ? caselist_add_line(list, line, at, error)
                     : error_set(error, EXIT_USAGE, "%s:%u: a zero byte; expected text", at.file, at.number);
        line = past + 1;
    }
    if (result == 0 && list->wanted_count + list->unwanted_count == before)
        result = error_set(error, EXIT_NO_MATCH, "--case-list: %s names no case", at.file);
    list->files++;
    free(text);
    return result;
}

void caselist_free(struct caselist *list)
{
    pool_clear(&list->pool);
    free(list->wanted);
    free(list->unwanted);
    free(list->wanted_at);
    free(list->unwanted_at);
    *list = (struct caselist){0};
}
