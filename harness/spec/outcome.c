#include "harness/spec/outcome.h"

#include "harness/spec/spec.h"

#include <string.h>

static const char *const names[OUTCOME_COUNT] = {
    [OUTCOME_NONE] = "",
    [OUTCOME_ACCEPTED] = "accepted",
    [OUTCOME_INVALIDARG] = "E_INVALIDARG when created",
    [OUTCOME_OUTOFMEMORY] = "E_OUTOFMEMORY when created",
    [OUTCOME_NOTIMPL] = "E_NOTIMPL when created",
    [OUTCOME_POINTER] = "E_POINTER when created",
    [OUTCOME_FAIL] = "E_FAIL when created",
    [OUTCOME_UNSUPPORTED] = "DXGI_ERROR_UNSUPPORTED when created",
    [OUTCOME_ANOTHER_ERROR] = "another error when created",
    [OUTCOME_COMPILE_INVALIDARG] = "E_INVALIDARG when compiled",
    [OUTCOME_COMPILE_OUTOFMEMORY] = "E_OUTOFMEMORY when compiled",
    [OUTCOME_COMPILE_NOTIMPL] = "E_NOTIMPL when compiled",
    [OUTCOME_COMPILE_POINTER] = "E_POINTER when compiled",
    [OUTCOME_COMPILE_FAIL] = "E_FAIL when compiled",
    [OUTCOME_COMPILE_UNSUPPORTED] = "DXGI_ERROR_UNSUPPORTED when compiled",
    [OUTCOME_COMPILE_ANOTHER_ERROR] = "another error when compiled",
    [OUTCOME_KEPT] = "kept",
    [OUTCOME_FLUSHED] = "flushed",
    [OUTCOME_FLUSHED_HALF] = "flushed-half",
    [OUTCOME_QUIETED] = "quieted",
    [OUTCOME_CANONICAL] = "canonical",
    [OUTCOME_CLAMPED] = "clamped",
    [OUTCOME_WRAPPED] = "wrapped",
    [OUTCOME_TRUNCATED] = "truncated",
    [OUTCOME_SIGNED] = "signed",
    [OUTCOME_IGNORED] = "ignored",
    [OUTCOME_ZERO] = "zero",
    [OUTCOME_LAST] = "last",
    [OUTCOME_FIRST] = "first",
    [OUTCOME_EACH] = "each",
    [OUTCOME_ERROR] = "error",
    [OUTCOME_SATURATED] = "saturated",
    [OUTCOME_EXPECTED] = "expected",
    [OUTCOME_FOREIGN] = "foreign memory",
    [OUTCOME_OTHER] = "other",
};

const char *outcome_name(enum outcome outcome)
{
    return (unsigned)outcome < OUTCOME_COUNT ? names[outcome] : "";
}

enum outcome outcome_find(const char *name)
{
    int outcome = OUTCOME_NONE;
    while (outcome < OUTCOME_COUNT && strcmp(names[outcome], name) != 0)
        outcome++;
    return (enum outcome)outcome;
}

/* Returns word number `at` of the choices of an operator, where repeated words count too; null if there is none. */
static const char *word_at(const struct spec *spec, unsigned at)
{
    for (int r = 0; r < spec->result_count; r++)
        for (int i = 0; i < spec->results[r].choice_count; i++) {
            const struct spec_choice *choice = &spec->results[r].choices[i];
            if (at < (unsigned)choice->count)
                return choice->alternatives[at].outcome;
            at -= (unsigned)choice->count;
        }
    return NULL;
}

const char *outcome_word(const struct spec *spec, unsigned outcome)
{
    const char *word =
        outcome < OUTCOME_COUNT ? outcome_name((enum outcome)outcome) : word_at(spec, outcome - OUTCOME_COUNT);
    return word ? word : "";
}

unsigned outcome_of_word(const struct spec *spec, const char *word)
{
    unsigned at = 0;
    enum outcome known = outcome_find(word);
    if (known != OUTCOME_COUNT)
        return known;
    for (const char *other; (other = word_at(spec, at)) != NULL; at++)
        if (strcmp(other, word) == 0)
            return OUTCOME_COUNT + at;
    return OUTCOME_NONE;
}

enum outcome outcome_of_rejection(HRESULT result, bool compiling)
{
    static const HRESULT known[] = {E_INVALIDARG, E_OUTOFMEMORY, E_NOTIMPL, E_POINTER, E_FAIL, DXGI_ERROR_UNSUPPORTED};
    enum { KNOWN = sizeof known / sizeof *known };
    int which = 0;
    if (SUCCEEDED(result))
        return OUTCOME_ACCEPTED;
    while (which < KNOWN && known[which] != result)
        which++;
    return (enum outcome)((compiling ? OUTCOME_COMPILE_INVALIDARG : OUTCOME_INVALIDARG) + which);
}
