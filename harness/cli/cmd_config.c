#include "harness/cli/cmd.h"
#include "harness/cli/config.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <unistd.h>

static void print_setting(const struct command *command, const struct option_setting *setting)
{
    printf("%-11s --%-12s ", command->name, setting->name);
    text_print(stdout, setting->value);
    printf("  (%s:%u)\n", setting->file, setting->line);
}

static int run(const void *values, const struct word_list *arguments, struct error *error)
{
    const char *paths[CONFIG_FILES];
    struct option_settings settings;
    (void)values;
    if (arguments->count)
        return error_set(error, EXIT_USAGE, "config takes no arguments, got \"%s\"", arguments->items[0]);
    int result = config_load(&settings, error);
    if (result)
        return result;
    config_paths(paths);
    for (int i = 0; i < CONFIG_FILES; i++)
        if (paths[i])
            printf("%s%s\n", paths[i], access(paths[i], F_OK) == 0 ? "" : " (not there)");
    for (size_t c = 0; cmd_all[c]; c++) {
        const struct command *command = cmd_all[c];
        for (const struct option *option = command->options; option && option->name; option++) {
            unsigned rank = options_rank(&settings, command, option);
            for (size_t i = 0; i < settings.count && !command->hidden; i++) {
                const struct option_setting *setting = &settings.items[i];
                if (setting->rank == rank && options_concerns(setting, command, option))
                    print_setting(command, setting);
            }
        }
    }
    return 0;
}

const struct command cmd_config = {.name = "config",
                                   .arguments = "",
                                   .summary = "print the defaults that are set in files",
                                   .examples = "assay config\n"
                                               "echo 'device = reference' >>.assay\n",
                                   .notes =
                                       "Read are .assay in the current folder and, weaker, the file assay/config in\n"
                                       "$XDG_CONFIG_HOME (~/.config). A line is OPTION = VALUE, an option by its\n"
                                       "long name, a flag with yes or no, a repeatable one as often as needed. What\n"
                                       "comes after [run] is for that command, what comes before the first such line\n"
                                       "for every command that has the option. # begins a comment line. The command\n"
                                       "line wins; --no-config leaves all of it out.\n",
                                   .run = run};
