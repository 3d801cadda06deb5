/* weigh.h: how complex a description is, compared part by part; lighter is simpler. */
#ifndef FUZZ_WEIGH_H
#define FUZZ_WEIGH_H

#include "harness/fuzz/rules.h"

struct fuzz_weight {
    uint64_t parts[8];
};
struct fuzz_weight fuzz_weigh(const struct fuzz_rules *rules, const struct opdesc *desc, fuzz_broken broken);
bool fuzz_lighter(const struct fuzz_weight *a, const struct fuzz_weight *b);

#endif
