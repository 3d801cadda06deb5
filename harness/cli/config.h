/* config.h: defaults for options, from the user's files. A line is `option = value`, an option by its long name, a flag
 * with yes or no, an option that may be given several times as often as that; `[run]` begins what is for this command
 * only, before it is what holds for every command with the option; `#` begins a comment. The command line wins over
 * .assay in the current folder, which wins over $XDG_CONFIG_HOME/assay/config (~/.config/assay/config), and in a file
 * a section over what is before it. */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include "harness/cli/options.h"

enum { CONFIG_FILES = 2 };

/* Reads the files that there are. What is wrong in them is EXIT_USAGE with file and line. The settings are valid until
 * the next call. */
int config_load(struct option_settings *out, struct error *error);

/* The paths of the files, the weaker one first; null: there is no place for it. Valid until the next call. */
void config_paths(const char *paths[CONFIG_FILES]);

#endif
