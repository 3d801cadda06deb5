#include "harness/load/load_apart.h"

#include "harness/base/apart.h"
#include "harness/load/load_internal.h"
#include "harness/load/sound.h"

/* The context of the child that spec_set_load_apart() starts. */
struct load_apart {
    const char *folder;
    struct pool pool;     /* shared: the child's set lives there */
    struct spec_set *out; /* in the pool */
};

static int load_for_parent(void *context, struct error *error)
{
    const struct load_apart *load = context;
    struct spec_set set = {.pool = load->pool};
    int result = spec_set_load_into(&set, load->folder, error);
    if (result == 0)
        *load->out = set;
    return result;
}

int spec_set_load_apart(struct spec_set *set, const char *folder, struct error *error)
{
    enum { SHARED = 64 << 20 };
    struct load_apart load = {.folder = folder};
    *set = (struct spec_set){0};
    if (!pool_share(&load.pool, SHARED))
        return error_set(error, EXIT_HARNESS, "out of memory");
    load.out = pool_alloc(&load.pool, sizeof *load.out);
    int result = apart_run(&apart_usual, load_for_parent, &load, error);
    if (result == 0) {
        size_t used = load.out->pool.shared_used;
        *set = *load.out;
        set->script = NULL;
        set->pool = load.pool;
        set->pool.shared_used = used <= SHARED ? used : SHARED;
        if (!spec_set_is_sound(set))
            result = error_set(error, EXIT_HARNESS, "%s: its specs were damaged while they were loaded", folder);
    }
    if (result) {
        *set = (struct spec_set){0};
        pool_clear(&load.pool);
    }
    return result;
}
