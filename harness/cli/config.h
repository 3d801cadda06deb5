/* config.h: reads default values of options from the user's files. A line is `option = value`, with the option's long
 * name, and yes or no for a flag; a repeatable option may have several lines. Lines before the first section apply to
 * every command with the option, lines after `[run]` only to that command. `#` begins a comment.
 *
 * The command line wins over .assay in the current folder, which wins over $XDG_CONFIG_HOME/assay/config
 * (~/.config/assay/config). Within a file, a section wins over the lines before the first section. */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include "harness/cli/options.h"

enum { CONFIG_FILES = 2 };

/* Reads the files that exist. EXIT_USAGE: a mistake in a file; the message has file and line. Free `out` with
 * pool_clear(&out->pool), also after an error. */
int config_load(struct option_settings *out, struct error *error);

/* Stores the paths of the files, the one with the lower priority first; null: no home folder is set, or its path is too
 * long. Valid until the next call. */
void config_paths(const char *paths[CONFIG_FILES]);

#endif
