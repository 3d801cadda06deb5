#include "harness/choices.h"

#include "harness/format.h"
#include "harness/options.h"
#include "harness/testcase.h"

#include <stdio.h>
#include <string.h>

static const char *const when[] = {"always", "never", "auto", NULL};
static const char *const shells[] = {"bash", "zsh", "fish", NULL};
static const char *const verdicts[] = {"fail", "ok", NULL};
static const char *const permissions[] = {"write=PATH", "network", "memory=MIB", "all", NULL};
static const char *const exports[] = {"json", "c", "dxdispatch", NULL};

static bool is(const char *argument, const char *name)
{
    size_t length = strspn(argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return strlen(name) == length && strncmp(argument, name, length) == 0;
}

size_t choices_of(const char *argument, const char *words[CHOICES_MOST])
{
    size_t count = 0;
    const char *const *list = !argument                    ? NULL
                              : is(argument, "WHEN")       ? when
                              : is(argument, "SHELL")      ? shells
                              : is(argument, "EXPORT")     ? exports
                              : is(argument, "VERDICT")    ? verdicts
                              : is(argument, "PERMISSION") ? permissions
                              : is(argument, "FILL")       ? fill_names
                              : is(argument, "INDICES")    ? index_fill_names
                                                           : NULL;
    for (; list && list[count] && count < CHOICES_MOST; count++)
        words[count] = list[count];
    if (argument && is(argument, "FORMAT"))
        for (; format_all[count] && count < CHOICES_MOST; count++)
            words[count] = format_all[count]->name;
    return count;
}

void choices_text(const char *argument, char *text, size_t size)
{
    const char *words[CHOICES_MOST];
    size_t count = choices_of(argument, words), used = 0;
    *text = '\0';
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", !i ? "" : i + 1 < count ? ", " : " or ", words[i]);
}

int choices_check(const char *argument, const char *what, const char *word, struct error *error)
{
    const char *words[CHOICES_MOST];
    char known[CHOICES_TEXT];
    size_t count = choices_of(argument, words);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(word, words[i]))
            return 0;
    choices_text(argument, known, sizeof known);
    const char *near = options_nearest(word, words, count);
    return error_set(error, EXIT_USAGE, "%s: expected %s, not '%s'%s%s%s", what, known, word,
                     near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}
