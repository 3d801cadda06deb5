#include "harness/cli/builtins.h"

#include "harness/exchange/recorded.h"
#include "harness/trial/meaning.h"

const struct builtin_device *const builtins[] = {&meaning_device, &recorded_device, NULL};
