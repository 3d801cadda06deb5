#include "harness/cli/choices.h"

#include "harness/cli/adapters.h"
#include "harness/cli/shells.h"
#include "harness/exchange/export.h"
#include "harness/results/format.h"
#include "harness/results/reporters.h"
#include "harness/run/attempts.h"
#include "harness/spec/contents.h"
#include "harness/worker/sandbox.h"

#include <stdio.h>
#include <string.h>

/* The words for each argument; the names of output formats are in format_all. */
static const struct choices {
    const char *argument;
    const char *const *words; /* ended by null */
} choices[] = {{"EXPORT", export_names},
               {"FILL", fill_names},
               {"INDICES", index_fill_names},
               {"LANGUAGE", adapters_languages},
               {"PERMISSION", sandbox_permissions},
               {"SHELL", shell_names},
               {"VERDICT", attempts_flaky_words},
               {"WHEN", color_words}};

/* Returns true if `argument` is this name, perhaps followed by something else than capital letters. */
static bool choices_has_name(const char *argument, const char *name)
{
    size_t length = strspn(argument, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    return strlen(name) == length && strncmp(argument, name, length) == 0;
}

size_t choices_of(const char *argument, const char *words[CHOICES_MAX])
{
    size_t count = 0;
    if (!argument)
        return 0;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        for (size_t n = 0;
             choices_has_name(argument, choices[i].argument) && choices[i].words[n] && count < CHOICES_MAX; n++)
            words[count++] = choices[i].words[n];
    for (size_t n = 0; choices_has_name(argument, "FORMAT") && format_all[n] && count < CHOICES_MAX; n++)
        words[count++] = format_all[n]->name;
    return count;
}

void choices_help(const char *argument, const char *help, char *text, size_t size)
{
    const char *words[CHOICES_MAX] = {NULL}, *remark = strrchr(help, '(');
    char list[WORDS_TEXT];
    size_t count = choices_of(argument, words), length = strlen(help);
    words_text(words, count, list, sizeof list);
    if (count == 0)
        snprintf(text, size, "%s", help);
    else if (remark > help && help[length - 1] == ')')
        snprintf(text, size, "%.*s: %s %s", (int)(remark - help - 1), help, list, remark);
    else
        snprintf(text, size, "%s: %s", help, list);
}

int choices_check(const char *argument, const char *what, const char *word, struct error *error)
{
    const char *words[CHOICES_MAX];
    return words_check(words, choices_of(argument, words), what, word, error);
}
