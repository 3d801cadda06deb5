#include "harness/cli/choices.h"

#include "harness/results/format.h"
#include "harness/results/reporters.h"
#include "harness/case/testcase.h"

#include <stdio.h>
#include <string.h>

static const char *const shells[] = {"bash", "zsh", "fish", NULL};
static const char *const verdicts[] = {"fail", "ok", NULL};
static const char *const permissions[] = {"write=PATH", "read=PATH", "network", "memory=MIB", "all", NULL};
static const char *const exports[] = {"json", "c", "dxdispatch", NULL};

static bool is(const char *argument, const char *name)
{
    size_t length = strspn(argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return strlen(name) == length && strncmp(argument, name, length) == 0;
}

size_t choices_of(const char *argument, const char *words[CHOICES_MAX])
{
    size_t count = 0;
    const char *const *list = !argument                    ? NULL
                              : is(argument, "WHEN")       ? color_words
                              : is(argument, "SHELL")      ? shells
                              : is(argument, "EXPORT")     ? exports
                              : is(argument, "VERDICT")    ? verdicts
                              : is(argument, "PERMISSION") ? permissions
                              : is(argument, "FILL")       ? fill_names
                              : is(argument, "INDICES")    ? index_fill_names
                                                           : NULL;
    for (; list && list[count] && count < CHOICES_MAX; count++)
        words[count] = list[count];
    if (argument && is(argument, "FORMAT"))
        for (; format_all[count] && count < CHOICES_MAX; count++)
            words[count] = format_all[count]->name;
    return count;
}

void choices_text(const char *argument, char *text, size_t size)
{
    const char *words[CHOICES_MAX];
    words_text(words, choices_of(argument, words), text, size);
}

int choices_check(const char *argument, const char *what, const char *word, struct error *error)
{
    const char *words[CHOICES_MAX];
    return words_check(words, choices_of(argument, words), what, word, error);
}
