/* shells.h: the shells for which assay has completion scripts. */
#ifndef CLI_SHELLS_H
#define CLI_SHELLS_H

/* Their names, ended by null. */
extern const char *const shell_names[];

/* Returns the completion script for a shell of that list. */
const char *shell_script(const char *name);

#endif
