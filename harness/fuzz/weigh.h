/* weigh.h: the complexity of a description, compared part by part; a lighter one is simpler. */
#ifndef FUZZ_WEIGH_H
#define FUZZ_WEIGH_H

#include "harness/fuzz/rules.h"

struct fuzz_weight {
    uint64_t parts[8];
};
struct fuzz_weight fuzz_weigh(const struct fuzz_rules *rules, const struct opdesc *desc, fuzz_broken broken);
bool fuzz_lighter(const struct fuzz_weight *a, const struct fuzz_weight *b);

#endif
