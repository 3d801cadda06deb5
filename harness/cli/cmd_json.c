#include "harness/cli/cmd_json.h"

#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>

void cmd_json_pair(const char *before, const char *key, const char *text)
{
    printf("%s\"%s\": ", before, key);
    text_print_json(stdout, text);
}

void cmd_json_words(const char *before, const char *key, const char *list)
{
    const char *comma = "";
    printf("%s\"%s\": [", before, key);
    while (*(list += strspn(list, ", "))) {
        char word[128];
        size_t length = strcspn(list, ", ");
        snprintf(word, sizeof word, "%.*s", (int)length, list);
        fputs(comma, stdout);
        text_print_json(stdout, word);
        comma = ", ";
        list += length;
    }
    putchar(']');
}
