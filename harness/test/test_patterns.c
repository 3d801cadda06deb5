/* The index of patterns against the plain comparison of each pattern, on random patterns and names; case lists. */
#include "harness/base/random.h"
#include "harness/plan/caselist.h"
#include "harness/plan/patterns.h"
#include "harness/plan/plan.h"
#include "tools/tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATTERNS = 40, NAMES = 60, ROUNDS = 300, TEXT = 64 };

/* A name of few words, so that many patterns match; as a pattern also with wildcards, cut, or with a dot at the end. */
static void make_text(struct random *random, bool pattern, char text[TEXT])
{
    static const char *const words[] = {"a", "ab", "a-b", "b", "gather", "gather_nd"};
    uint32_t parts = 1 + random_below(random, 4);
    *text = '\0';
    for (uint32_t i = 0; i < parts; i++)
        snprintf(text + strlen(text), TEXT - strlen(text), "%s%s", i ? "." : "", words[random_below(random, 6)]);
    if (!pattern)
        return;
    uint32_t kind = random_below(random, 8);
    if (kind == 0 || kind == 4)
        text[random_below(random, (uint32_t)strlen(text))] = '*';
    if (kind == 1 || kind == 4)
        text[random_below(random, (uint32_t)strlen(text))] = '?';
    if (kind == 2)
        strcat(text, ".");
    if (kind == 3)
        text[random_below(random, (uint32_t)strlen(text))] = '\0'; /* perhaps empty */
}

static void test_random(void)
{
    size_t last = 0, marked = 0, starts = 0, matches = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        struct random random = {.key = random_mix(round + 1)};
        char texts[PATTERNS][TEXT], name[TEXT];
        const char *items[PATTERNS];
        struct patterns patterns;
        size_t count = random_below(&random, PATTERNS + 1);
        for (size_t i = 0; i < count; i++) {
            make_text(&random, true, texts[i]);
            items[i] = random_below(&random, 10) ? texts[i] : NULL;
        }
        if (!patterns_index(&patterns, items, count))
            abort();
        for (size_t n = 0; n < NAMES; n++) {
            uint32_t expected = 0;
            bool hit[PATTERNS] = {false}, same = true, may = false;
            make_text(&random, false, name);
            bool any = patterns_mark(&patterns, name, hit);
            for (uint32_t i = 0; i < count; i++) {
                bool met = items[i] && plan_matches(items[i], name);
                expected = met ? i + 1 : expected;
                same &= hit[i] == met;
                may |= items[i] && plan_may_match(items[i], name);
                matches += met;
            }
            last += patterns_last(&patterns, name) != expected;
            marked += !same || any != (expected > 0);
            starts += patterns_may_match(&patterns, name) != may;
        }
        patterns_free(&patterns);
    }
    ok(matches > 10000, "%zu pairs of pattern and name match", matches);
    ok(last == 0, "the last pattern that matches is found: %zu wrong", last);
    ok(marked == 0, "all that match are marked: %zu wrong", marked);
    ok(starts == 0, "a pattern may match names that begin so: %zu wrong", starts);
}

static void test_lists(void)
{
    char path[] = "/tmp/assay-caselist-XXXXXX";
    int file = mkstemp(path);
    static const char text[] = "# all\r\n\n gather.a # first\n-gather.b\nx#y.c\ngather.*\n";
    struct caselist list = {.files = 0};
    struct error error = {0};
    ok(file >= 0 && write(file, text, sizeof text - 1) == sizeof text - 1, "a file");
    close(file);
    ok(caselist_add(&list, path, &error) == EXIT_USAGE && strstr(error.text, ":5: 'x#y.c' is neither"),
       "a # inside a word begins no comment: %s", error.text);
    ok(list.wanted_count == 1 && strcmp(list.wanted[0], "gather.a") == 0 && list.wanted_at[0].number == 3,
       "a pattern, without space and comment, and its line");
    ok(list.unwanted_count == 1 && strcmp(list.unwanted[0], "gather.b") == 0, "a pattern of cases to leave out");
    caselist_free(&list);
    ok(list.wanted == NULL && list.wanted_count == 0, "a freed list is empty");
    unlink(path);
}

int main(void)
{
    test_random();
    test_lists();
    return tap_done();
}
