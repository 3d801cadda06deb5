#include "harness/mistakes/known.h"

#include "harness/load/load.h"
#include "harness/mistakes/bugs_activations.h"
#include "harness/mistakes/bugs_attention.h"
#include "harness/mistakes/bugs_matrix.h"
#include "harness/mistakes/bugs_normalise.h"
#include "harness/mistakes/bugs_numbers.h"
#include "harness/mistakes/bugs_products.h"
#include "harness/mistakes/bugs_quantise.h"
#include "harness/mistakes/bugs_recurrence.h"
#include "harness/mistakes/bugs_region.h"
#include "harness/mistakes/bugs_resample.h"
#include "harness/mistakes/bugs_response.h"
#include "harness/mistakes/bugs_softmax.h"
#include "harness/mistakes/bugs_unfold.h"
#include "harness/mistakes/bugs_windows.h"
#include "harness/spec/spec_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All entries of the lists. bugs_numbers.h describes the parts of an entry. */
#define KNOWN_MISTAKES(FORMULA)                                                                                        \
    NUMBER_BUGS(FORMULA)                                                                                               \
    UNFOLD_BUGS(FORMULA)                                                                                               \
    ACTIVATION_BUGS(FORMULA)                                                                                           \
    SOFTMAX_BUGS(FORMULA)                                                                                              \
    NORMALISE_BUGS(FORMULA)                                                                                            \
    RESPONSE_BUGS(FORMULA)                                                                                             \
    WINDOW_BUGS(FORMULA)                                                                                               \
    PRODUCT_BUGS(FORMULA)                                                                                              \
    MATRIX_BUGS(FORMULA)                                                                                               \
    QUANTISE_BUGS(FORMULA)                                                                                             \
    RESAMPLE_BUGS(FORMULA)                                                                                             \
    REGION_BUGS(FORMULA)                                                                                               \
    RECURRENCE_BUGS(FORMULA)                                                                                           \
    ATTENTION_BUGS(FORMULA)

/* clang-format off */
#define KNOWN_IDENTIFIER(identifier, name, sentence, causes, hard, soft, open, changes) KNOWN_##identifier,
#define KNOWN_ENTRY(identifier, name, sentence, causes, hard, soft, open, changes) \
    {name, sentence, {hard, soft, open}, changes},
enum { KNOWN_MISTAKES(KNOWN_IDENTIFIER) KNOWN_COUNT };
_Static_assert((int)KNOWN_COUNT <= (int)KNOWN_MAX, "each known mistake has a number");
const struct known_mistake known_mistakes[KNOWN_MAX] = {KNOWN_MISTAKES(KNOWN_ENTRY)};
/* clang-format on */

/* Returns true if a list of names, separated by spaces, has this name. */
static bool lists_operator(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Returns the name as the lists have it: they leave a prefix out. */
static const char *listed_name(const char *operator_name)
{
    static const char prefix[] = "ELEMENT_WISE_";
    return operator_name + (strncmp(operator_name, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0);
}

bool known_concerns(int mistake, const char *operator_name)
{
    bool concerns = false;
    for (int i = 0; i < KNOWN_LISTS && known_mistakes[mistake].changes; i++)
        concerns |= lists_operator(known_mistakes[mistake].operators[i], listed_name(operator_name));
    return concerns;
}

bool known_warns(int mistake, const char *operator_name)
{
    return known_mistakes[mistake].changes &&
           lists_operator(known_mistakes[mistake].operators[1], listed_name(operator_name));
}

/* ---- changed texts */

/* Returns `text` with each `from` replaced by `to`, and frees `text`; null: memory runs out. */
static char *replace_all(char *text, const char *from, size_t length, const char *to, size_t to_length)
{
    size_t count = 0;
    for (const char *at = text; (at = memmem(at, strlen(at), from, length)); at += length)
        count++;
    char *made = malloc(strlen(text) + count * to_length + 1), *out = made;
    for (const char *at = text, *found; made; at = found + length) {
        found = memmem(at, strlen(at), from, length);
        out = mempcpy(out, at, found ? (size_t)(found - at) : strlen(at) + 1);
        if (!found)
            break;
        out = mempcpy(out, to, to_length);
    }
    free(text);
    return made;
}

/* The context of change_source(). */
struct changing {
    const char *changes;
    bool some;
};

static char *change_source(void *context, const char *source)
{
    static const char arrow[] = " => ";
    struct changing *c = context;
    char *text = NULL;
    for (const char *line = c->changes, *end; *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        const char *middle = strstr(line, arrow), *to = middle + strlen(arrow);
        if (!memmem(text ? text : source, strlen(text ? text : source), line, (size_t)(middle - line)))
            continue;
        text = text ? text : strdup(source);
        text = text ? replace_all(text, line, (size_t)(middle - line), to, (size_t)(end - to)) : NULL;
        c->some = true;
    }
    return text;
}

int known_load(struct spec_set *set, const char *folder, const struct spec *only, const char *changes,
               struct error *error)
{
    struct changing changing = {.changes = changes};
    int result = spec_set_load_changed(set, folder, only, change_source, &changing, error);
    if (result == 0 && !changing.some) {
        spec_set_free(set);
        result = error_set(error, EXIT_HARNESS, "the bug changes no text of the specs");
    }
    return result;
}

/* ---- the mistakes of one operator */

/* The operators that were asked for last, with their mistakes as far as known_spec() was asked for them. */
static struct held {
    const struct spec *right; /* null: no operator */
    char name[64];            /* of the operator: `right` may be gone, and another operator may have its memory */
    bool tried[KNOWN_MAX];
    struct spec_set sets[KNOWN_MAX];
} held_operators[4];

/* Returns the place of the operator, which may be that of another one before. */
static struct held *hold(const struct spec *right)
{
    enum { OPERATORS = sizeof held_operators / sizeof *held_operators };
    static unsigned next;
    for (int i = 0; i < OPERATORS; i++)
        if (held_operators[i].right == right && strcmp(held_operators[i].name, right->name) == 0)
            return &held_operators[i];
    struct held *held = &held_operators[next++ % OPERATORS];
    for (int i = 0; i < KNOWN_MAX; i++)
        spec_set_free(&held->sets[i]);
    memset(held, 0, sizeof *held);
    held->right = right;
    snprintf(held->name, sizeof held->name, "%s", right->name);
    return held;
}

/* Returns true if both operators have the same fields and outputs with formulas, so that descriptions fit both. */
static bool is_alike(const struct spec *a, const struct spec *b)
{
    bool alike = a->field_count == b->field_count && a->result_count == b->result_count;
    for (int i = 0; alike && i < a->field_count; i++)
        alike = a->fields[i].kind == b->fields[i].kind && strcmp(a->fields[i].name, b->fields[i].name) == 0;
    return alike;
}

const struct spec *known_spec(const struct spec *right, int mistake)
{
    struct held *held = hold(right);
    struct spec_set *set = &held->sets[mistake];
    const char *slash = strrchr(right->file, '/');
    if (!held->tried[mistake] && slash) {
        struct error error = {0};
        char *folder = strndup(right->file, (size_t)(slash - right->file));
        if (folder && known_load(set, folder, right, known_mistakes[mistake].changes, &error) == 0) {
            script_free(set->script); /* formulas need no script, and there may be many sets */
            set->script = NULL;
        }
        free(folder);
    }
    held->tried[mistake] = true;
    return set->count == 1 && is_alike(right, set->specs) ? set->specs : NULL;
}
