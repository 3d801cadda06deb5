#include "harness/cli/shells.h"

#include "generated/complete.bash.h"
#include "generated/complete.fish.h"
#include "generated/complete.zsh.h"

#include <string.h>

const char *const shell_names[] = {"bash", "zsh", "fish", NULL};

const char *shell_script(const char *name)
{
    if (strcmp(name, "bash") == 0)
        return complete_bash;
    return strcmp(name, "zsh") == 0 ? complete_zsh : complete_fish;
}
