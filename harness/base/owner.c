#include "harness/base/owner.h"

#include <unistd.h>

bool owner_is_us(const struct stat *status)
{
    return status->st_uid == geteuid() && !(status->st_mode & S_IWOTH);
}
