#include "harness/base/shrink.h"

void shrink_start(struct shrink *s, uint32_t count, uint32_t together, uint32_t most)
{
    *s = (struct shrink){.count = count, .together = together ? together : 1, .left = count, .most = most};
}

bool shrink_next(struct shrink *s)
{
    bool any = false;
    while (!any && s->tests < s->most && s->alone < s->count) {
        if (s->left == 0) {
            s->together = s->together > 1 ? s->together / 2 : 1;
            s->left = s->count;
        }
        s->alone += s->together == 1;
        const uint32_t past = s->left;
        s->left = past > s->together ? past - s->together : 0;
        uint32_t kept = 0;
        for (uint32_t i = s->left; i < past; i++)
            kept += s->parts[i] == SHRINK_KEPT;
        any = kept > (s->together > 1); /* a single part waits for the last pass */
        for (uint32_t i = s->left; i < past && any; i++)
            s->parts[i] = s->parts[i] == SHRINK_KEPT ? SHRINK_TRIED : s->parts[i];
    }
    return any;
}

void shrink_answer(struct shrink *s, bool fails)
{
    for (uint32_t i = 0; i < SHRINK_PARTS; i++)
        if (s->parts[i] == SHRINK_TRIED)
            s->parts[i] = fails ? SHRINK_OUT : SHRINK_KEPT;
    s->alone = fails ? 0 : s->alone;
    s->tests++;
}
