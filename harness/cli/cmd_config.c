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

/* Prints the settings that have an effect. */
static void print_settings(const struct option_settings *settings)
{
    for (size_t c = 0; cmd_all[c]; c++) {
        const struct command *command = cmd_all[c];
        for (const struct option *option = command->options; option && option->name; option++) {
            unsigned rank = options_rank(settings, command, option);
            for (size_t i = 0; i < settings->count && !command->hidden; i++) {
                const struct option_setting *setting = &settings->items[i];
                if (setting->rank == rank && options_concerns(setting, command, option))
                    print_setting(command, setting);
            }
        }
    }
}

static void config_print_file(const char *path)
{
    if (*path)
        printf("%s%s\n", path, access(path, F_OK) == 0 ? "" : " (does not exist)");
}

static int cmd_config_run(const void *values, const struct word_list *arguments, struct error *error)
{
    struct config_files files;
    struct option_settings settings;
    (void)values;
    if (arguments->count)
        return error_set(error, EXIT_USAGE, "config takes no arguments, got \"%s\"", arguments->items[0]);
    config_find(&files);
    int result = config_load(options_profile(), &settings, error);
    if (result == 0) {
        config_print_file(files.user);
        config_print_file(files.project);
        print_settings(&settings);
    }
    pool_clear(&settings.pool);
    return result;
}

const struct command cmd_config = {
    .name = "config",
    .arguments = "",
    .summary = "print the default values of options that files set",
    .examples = "assay config\n"
                "echo 'device = reference' >>.assay\n",
    .notes = "The files are .assay in the current folder or, if it has none, in the nearest "
             "parent folder that has one and, with lower priority, assay/config in "
             "$XDG_CONFIG_HOME (default: ~/.config). A .assay in a parent folder counts only "
             "if it and its folder belong to you and others cannot write to them, and is "
             "looked for no further up than your home folder and the top of a repository "
             "(.git).\n\n"
             "A line is OPTION = VALUE, with the option's long name, and yes or no for a "
             "flag; a repeatable option may have several lines. A path may begin with ~/; a "
             "relative one begins in the folder of its .assay. Lines after [run] apply to "
             "that command, lines before the first section to every command that has the "
             "option. Lines after [profile ci] or [profile ci run] apply only with "
             "--profile-name ci, and win over others. A line that begins with # is a comment. "
             "The command line wins over the files; --no-config ignores them.\n",
    .run = cmd_config_run};
