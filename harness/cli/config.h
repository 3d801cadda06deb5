/* config.h: reads default values of options from the user's files. A line is `option = value`, with the option's long
 * name, and yes or no for a flag; a repeatable option may have several lines. Lines before the first section apply to
 * every command with the option, lines after `[run]` only to that command. Lines after `[profile ci]` and `[profile ci
 * run]` apply if --profile-name ci is given. `#` begins a comment.
 *
 * The command line wins over a profile, which wins over .assay, which wins over $XDG_CONFIG_HOME/assay/config
 * (~/.config/assay/config). Within a file, a section wins over the lines before the first section.
 *
 * .assay is the one in the current folder or, if there is none, in the nearest parent folder that has one. Since it
 * names programs to run, one in a parent folder counts only if file and folder belong to the user and others cannot
 * write them. The search ends at the user's home folder, at the top of a repository (.git), and where the file system
 * ends. */
#ifndef CLI_CONFIG_H
#define CLI_CONFIG_H

#include "harness/base/paths.h"
#include "harness/cli/options.h"

/* The places of the files. */
struct config_files {
    char user[PATHS_SIZE];    /* "": no home folder is set, or its path is too long */
    char project[PATHS_SIZE]; /* ".assay" or the path of the one in a parent folder */
    char folder[PATHS_SIZE];  /* that parent folder; "": it is the current one */
    char ignored[PATHS_SIZE]; /* a .assay in a parent folder that does not count; "": there is none */
};

void config_find(struct config_files *files);

/* Reads the files that exist, with the lines of the profile; null: of none. EXIT_USAGE: a mistake in a file, with file
 * and line; or no file has the profile. Free `out` with pool_clear(&out->pool), also after an error. */
int config_load(const char *profile, struct option_settings *out, struct error *error);

#endif
