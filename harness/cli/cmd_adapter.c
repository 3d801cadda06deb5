#include "harness/cli/adapters.h"
#include "harness/cli/choices.h"
#include "harness/cli/cmd.h"
#include "harness/base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct values {
    const char *language;
};

static void print_next(const struct adapter *adapter, const char *folder)
{
    char path[PATHS_SIZE], command[2 * PATHS_SIZE], word[4 * PATHS_SIZE];
    printf("written: ");
    for (size_t i = 0; i < ADAPTERS_FILES && adapter->files[i]; i++)
        printf("%s%s", i ? ", " : "", adapters_name(adapter->files[i]));
    printf(" in ");
    text_print(stdout, folder);
    printf("\nto build and run it:\n");
    if (adapter->compile) {
        snprintf(path, sizeof path, "%s/%s", folder, adapter->files[0]);
        printf("  %s %s", adapter->compile, text_word(word, sizeof word, path));
        snprintf(path, sizeof path, "%s/%s", folder, adapter->file);
        printf(" -o %s\n", text_word(word, sizeof word, path));
    }
    /* A bridge takes a command of a shell, so that a path may need quotes within those of the argument. */
    snprintf(path, sizeof path, "%s/%s", folder, adapter->file);
    snprintf(command, sizeof command, "%s%s", adapter->bridge,
             *adapter->bridge ? text_word(word, sizeof word, path) : path);
    text_word(word, sizeof word, command);
    printf("  %s devices -o ELEMENT_WISE_ADD %s\n", program_invocation_name, word);
    printf("  %s run -d %s -o ELEMENT_WISE_ADD\n", program_invocation_name, word);
}

static int cmd_adapter_run(const void *values, const struct word_list *arguments, struct error *error)
{
    const struct values *v = values;
    if (arguments->count != 2 || strcmp(arguments->items[0], "new") != 0 || !v->language)
        return error_set(error, EXIT_USAGE, "expected `assay adapter new --language LANGUAGE DIR`");
    int result = choices_check("LANGUAGE", "--language", v->language, error);
    if (result)
        return result;
    const struct adapter *adapter = adapters_find(v->language);
    result = adapters_write(adapter, arguments->items[1], error);
    if (result == 0)
        print_next(adapter, arguments->items[1]);
    return result;
}

static const struct option options[] = {
    {0, "language", "LANGUAGE", OPTION_STRING, offsetof(struct values, language), "the language of the adapter"}, {0}};

const struct command cmd_adapter = {
    .name = "adapter",
    .arguments = "new DIR --language LANGUAGE",
    .summary = "write an adapter for a library, to begin with",
    .examples = "assay adapter new --language python mine\n"
                "assay run -d bridge:mine/adapter.py -o ELEMENT_WISE_ADD\n"
                "assay adapter new --language c++ mine\n",
    .notes =
        "The folder DIR gets a device that has one operator, ELEMENT_WISE_ADD, and all that it needs: in Python and "
        "Node.js a peer of the bridge with the module assay_peer, in C++ a plugin with the headers device.h and "
        "dml.h. Put your library in the place of the addition, then add operators. DIR may exist, but a file that "
        "it has stays: exit status 2. device/bridge/README.md describes assay_peer, device/device.h the "
        "functions of a plugin.\n",
    .options = options,
    .values_size = sizeof(struct values),
    .run = cmd_adapter_run};
