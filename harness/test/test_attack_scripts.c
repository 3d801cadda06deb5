/* Scripts from strangers: the second line of each file of attacks/scripts/ says its expected end. Each ends soon, with
 * one line that names it, and leaves no process behind. script_* and strategy_* are strategies, spec_* specs. */
#include "harness/base/apart.h"
#include "harness/base/clock.h"
#include "harness/plan/plan.h"
#include "harness/load/load_apart.h"
#include "harness/load/sound.h"
#include "harness/test/spec_folder.h"
#include "tools/tap.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(ASSAY_SANITIZED)
enum { SLOWER = 3 }; /* scripts with the sanitizer */
#else
enum { SLOWER = 1 };
#endif

/* The limit is shorter than for users, since many files only end when the time is over; the specs of `few` load in a
 * quarter of it. */
static const struct apart_limits endless = {
    .step_ms = 250 * SLOWER, .total_ms = 20000 * SLOWER, .memory = (uint64_t)4 << 30};

enum { DEADLINE_S = 60 }; /* on a machine that is busy with more than this */

static const char folder[] = "harness/test/attacks/scripts";

/* Specs of one operator, for strategies to use and for damage: they are loaded once for each. */
static struct spec_folder few;

/* The uses of a stranger's file. */
static int use(void *context, struct error *error)
{
    const char *path = context;
    struct spec_set specs;
    struct plan plan;
    bool is_spec = strncmp(path, folder, sizeof folder - 1) != 0; /* in a folder of its own */
    int result = spec_set_load(&specs, is_spec ? path : few.path, error);
    return result || is_spec ? result : plan_make(&plan, &specs, path, &(struct plan_filter){0}, error);
}

/* Returns the expected text: it follows "-- Expected: " in the second line. */
static bool read_expected(const char *path, char text[256])
{
    static const char start[] = "-- Expected: ";
    FILE *file = fopen(path, "r");
    bool good = file && fgets(text, 256, file) && fgets(text, 256, file) &&
                strncmp(text, start, sizeof start - 1) == 0 && strlen(text) > sizeof start;
    if (file)
        fclose(file);
    if (good) {
        memmove(text, text + sizeof start - 1, strlen(text + sizeof start - 1) + 1);
        text[strcspn(text, "\n")] = '\0';
    }
    return good;
}

/* Returns true if the message has one of the texts between the bars. */
static bool has_one(const char *message, char *texts)
{
    bool found = false;
    for (char *text = strtok(texts, "|"); text; text = strtok(NULL, "|"))
        found |= strstr(message, text) != NULL;
    return found;
}

static bool is_clean(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            return false;
    return true;
}

static void attack(const char *name)
{
    char path[512], expected[256];
    struct error error = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!ok(read_expected(path, expected), "%s says what is expected", name))
        return;
    struct spec_folder specs;
    bool is_spec = strncmp(name, "spec_", 5) == 0;
    if (is_spec) {
        spec_folder_make(&specs);
        spec_folder_link(&specs, folder, name);
    }
    bool may_take_time = strstr(expected, "ran for more than") || strstr(expected, "ran past");
    uint64_t start = clock_ns();
    int result = apart_run(may_take_time ? &endless : &apart_usual, use, is_spec ? specs.path : path, &error);
    if (is_spec)
        spec_folder_remove(&specs);
    uint64_t seconds = (clock_ns() - start) / 1000000000u;
    ok(result == EXIT_HARNESS && has_one(error.text, expected), "%s: %.200s", name, error.text);
    ok(strstr(error.text, name) && is_clean(error.text) && seconds < DEADLINE_S, "  in one line that names it, soon");
}

static int test_attack_scripts_by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ---- the child itself */

static int sleep_forever(void *context, struct error *error)
{
    (void)context;
    (void)error;
    apart_step("a sleeper");
    for (;;)
        select(0, NULL, NULL, NULL, NULL);
    return 0;
}

static int step_often(void *context, struct error *error)
{
    (void)context;
    (void)error;
    for (;;)
        apart_step("small steps");
    return 0;
}

static int abort_now(void *context, struct error *error)
{
    (void)context;
    (void)error;
    apart_step("a crash");
    abort();
}

static int be_interrupted(void *context, struct error *error)
{
    (void)context;
    (void)error;
    apart_step("an interruption");
    raise(SIGINT);
    return 0;
}

static int test_attack_scripts_fail(void *context, struct error *error)
{
    return error_set(error, EXIT_NO_MATCH, "%s", (const char *)context);
}

static int leave_early(void *context, struct error *error)
{
    (void)context;
    (void)error;
    apart_step("a quitter");
    _exit(0);
}

static void check_run(const char *what, int (*work)(void *context, struct error *error), int status, const char *says)
{
    static const struct apart_limits short_ones = {.step_ms = 40, .total_ms = 200, .memory = 1 << 30};
    struct error error = {0};
    char text[] = "a message";
    int result = apart_run(&short_ones, work, text, &error);
    ok(result == status && (int)error.status == status && strstr(error.text, says), "%s: %s", what, error.text);
}

static void test_ends(void)
{
    check_run("work that waits", sleep_forever, EXIT_HARNESS, "a sleeper: ran for more than");
    check_run("work of many steps", step_often, EXIT_HARNESS, "small steps: ran for more than 0.2 s");
    check_run("work that crashes", abort_now, EXIT_HARNESS, "a crash: the process that ran it was killed by SIGABRT");
    check_run("work that is interrupted", be_interrupted, EXIT_INCOMPLETE, "an interruption: interrupted");
    check_run("work that ends the process", leave_early, EXIT_HARNESS, "a quitter: the process that ran it ended");
    check_run("work that fails", test_attack_scripts_fail, EXIT_NO_MATCH, "a message");
}

/* ---- what a child leaves */

static struct spec_set set;

static void damage_name(struct spec *spec)
{
    spec->name = "not in the pool";
}
static void damage_end(struct spec *spec)
{
    char *last = set.pool.shared + set.pool.shared_size - 1;
    *last = 'x';
    spec->lower = last;
}
static void damage_fields(struct spec *spec)
{
    spec->field_count = OPDESC_MAX_FIELDS + 1;
}
static void damage_outputs(struct spec *spec)
{
    spec->output_count++;
}
static void damage_kind(struct spec *spec)
{
    spec->fields[0].kind = FIELD_KINDS;
}
static void damage_group(struct spec *spec)
{
    spec->fields[0].group = SPEC_MAX_GROUPS;
}
static void damage_levels(struct spec *spec)
{
    spec->level_count = 0;
}
static void damage_types(struct spec *spec)
{
    spec->levels[0].types[0] = ~0u;
}
static void damage_dims(struct spec *spec)
{
    spec->levels[0].dims[0].high = 9;
}
static void damage_node(struct spec *spec)
{
    spec->nodes[spec->node_count - 1].op = 99;
}
static void damage_tensor(struct spec *spec)
{
    spec->nodes[0].field = 200;
}
static void damage_operand(struct spec *spec)
{
    spec->nodes[spec->node_count - 1] = (struct expr){EXPR_ADD, 0, 500, 0, 0, 0};
}
static void damage_own_operand(struct spec *spec)
{
    int16_t last = (int16_t)(spec->node_count - 1);
    spec->nodes[last] = (struct expr){EXPR_ADD, 0, last, last, -1, 0};
}
static void damage_atom(struct spec *spec)
{
    spec->atoms[0].x = SPEC_MAX_NODES;
}
static void damage_when(struct spec *spec)
{
    spec->atoms[0].when = 0;
}
static void damage_set(struct spec *spec)
{
    spec->atoms[0].set_count = 5;
}
static void damage_rule(struct spec *spec)
{
    spec->rules[0].atom_count = SPEC_MAX_ATOMS;
}
static void damage_rules(struct spec *spec)
{
    spec->rules = (struct rule *)(void *)((char *)spec->rules + 1);
}
static void damage_bounds(struct spec *spec)
{
    spec->bounds[0].items[0].x = -1;
}
static void damage_sums(struct spec *spec)
{
    spec->sum_count = 1 << 30;
}
static void damage_index(struct spec *spec)
{
    spec->indices[0].into = 0;
}
static void damage_parameter(struct spec *spec)
{
    spec->parameters[0].node = -1;
}
static void damage_rows(struct spec *spec)
{
    spec->rows = (struct spec_rows){0, 77};
}
static void damage_sparse(struct spec *spec)
{
    spec->sparse = ~0u;
}

/* Returns the operator of the set that has a field of a kind, and stores that field. */
static struct spec_field *field_of_kind(enum field_kind kind)
{
    for (int i = 0; i < set.catalogue->count; i++)
        for (int f = 0; f < set.catalogue->operators[i].layout.field_count; f++)
            if (set.catalogue->operators[i].layout.fields[f].kind == kind)
                return &set.catalogue->operators[i].layout.fields[f];
    exit(3);
}

static void damage_own_catalogue(struct spec *spec)
{
    static struct catalogue other;
    spec->catalogue = &other;
}
static void damage_catalogue(struct spec *spec)
{
    (void)spec;
    static struct catalogue other;
    set.catalogue = &other;
}
static void damage_operators(struct spec *spec)
{
    (void)spec;
    set.catalogue->count = 1 << 30;
}
static void damage_operator(struct spec *spec)
{
    (void)spec;
    set.catalogue->operators[0].layout.type++;
}
static void damage_struct_name(struct spec *spec)
{
    (void)spec;
    set.catalogue->operators[0].layout.struct_name = NULL;
}
static void damage_members(struct spec *spec)
{
    (void)spec;
    set.catalogue->operators[0].layout.field_count = OPDESC_MAX_FIELDS + 1;
}
static void damage_operator_levels(struct spec *spec)
{
    (void)spec;
    set.catalogue->operators[0].level_count = -1;
}
static void damage_offset(struct spec *spec)
{
    (void)spec;
    field_of_kind(FIELD_FLOAT)->offset += 1024;
}
static void damage_count_field(struct spec *spec)
{
    (void)spec;
    field_of_kind(FIELD_UINTS)->count_field = OPDESC_MAX_FIELDS;
}
static void damage_typed_by(struct spec *spec)
{
    (void)spec;
    field_of_kind(FIELD_SCALAR)->typed_by = -1;
}
static void damage_enum(struct spec *spec)
{
    (void)spec;
    const struct spec_enum **constants = &field_of_kind(FIELD_ENUM)->constants;
    *constants = (const struct spec_enum *)(const void *)((const char *)*constants + 8);
}
static void damage_no_enum(struct spec *spec)
{
    (void)spec;
    field_of_kind(FIELD_ENUM)->constants = NULL;
}
static void damage_constants(struct spec *spec)
{
    (void)spec;
    set.catalogue->enums[0].count = 1 << 21;
}
static void damage_constant(struct spec *spec)
{
    (void)spec;
    set.catalogue->enums[0].constants[0].name = "not in the pool";
}
static void damage_own_field(struct spec *spec)
{
    spec->fields[0].optional = DML_FEATURE_LEVEL_2_0;
}
static void damage_tensor_name(struct spec *spec)
{
    spec->tensor_names[0] = NULL;
}
static void damage_tensor_field(struct spec *spec)
{
    spec->tensor_fields[1]++;
    spec->blank->values[1].place.item = OPDESC_MAX_ITEMS;
}
static void damage_blank(struct spec *spec)
{
    spec->blank->size = UINT16_MAX;
}
static void damage_element(struct spec *spec)
{
    for (int i = 0; i < spec->node_count; i++)
        if (spec->nodes[i].op == EXPR_DIMS)
            spec->nodes[i].value = EXPR_CURRENT - 1;
}
static void damage_list(struct spec *spec)
{
    int16_t last = (int16_t)(spec->node_count - 1);
    spec->nodes[last] = (struct expr){EXPR_ADD_EACH, 0, 0, 0, -1, 0}; /* of two numbers */
}
static void damage_entries(struct spec *spec)
{
    spec->nodes[spec->node_count - 1] = (struct expr){EXPR_ENTRIES, 0, -1, -1, -1, 0}; /* of a tensor */
}
static void damage_parts(struct spec *spec)
{
    static const int16_t part = 0;
    struct atom *last = &spec->atoms[spec->atom_count - 1];
    *last = (struct atom){.kind = ATOM_ALL, .x = -1, .low = -1, .high = -1, .when = -1, .part_count = 1};
    last->parts = &part;
    last->text = spec->name;
}
static void damage_own_part(struct spec *spec)
{
    int16_t at = (int16_t)(spec->atom_count - 1);
    struct atom *last = &spec->atoms[at];
    *last = (struct atom){.kind = ATOM_ANY, .x = -1, .low = -1, .high = -1, .when = -1, .part_count = 1};
    last->parts = pool_copy(&set.pool, &at, sizeof at);
    last->text = spec->name;
}
static void damage_array(struct spec *spec)
{
    int16_t part = 0;
    struct atom *last = &spec->atoms[spec->atom_count - 1];
    *last = (struct atom){.kind = ATOM_EVERY, .x = -1, .low = -1, .high = -1, .when = -1, .part_count = 1, .array = 99};
    last->parts = pool_copy(&set.pool, &part, sizeof part);
    last->text = spec->name;
}
static void damage_number_node(struct spec *spec)
{
    spec->number_nodes[spec_find_field(spec, "Axis")] = SPEC_MAX_NODES;
}

static void test_damaged(void)
{
    static const struct {
        const char *what;
        void (*damage)(struct spec *spec);
    } kinds[] = {
        {"a text elsewhere", damage_name},
        {"a text without end", damage_end},
        {"too many fields", damage_fields},
        {"outputs that are none", damage_outputs},
        {"a kind of field", damage_kind},
        {"a type group", damage_group},
        {"no levels", damage_levels},
        {"data types", damage_types},
        {"ranks", damage_dims},
        {"a kind of expression", damage_node},
        {"the tensor of an expression", damage_tensor},
        {"an operand out of range", damage_operand},
        {"an expression made of itself", damage_own_operand},
        {"the subject of a condition", damage_atom},
        {"a condition on itself", damage_when},
        {"a set of values", damage_set},
        {"the conditions of a rule", damage_rule},
        {"rules at an odd address", damage_rules},
        {"a bound", damage_bounds},
        {"sums", damage_sums},
        {"an index tensor", damage_index},
        {"a parameter", damage_parameter},
        {"rows", damage_rows},
        {"sparse inputs", damage_sparse},
        {"another catalogue for a spec", damage_own_catalogue},
        {"a catalogue elsewhere", damage_catalogue},
        {"too many operators", damage_operators},
        {"the number of an operator", damage_operator},
        {"the name of a struct", damage_struct_name},
        {"too many members", damage_members},
        {"the levels of an operator", damage_operator_levels},
        {"where a member is", damage_offset},
        {"the count of an array", damage_count_field},
        {"the type of a scalar", damage_typed_by},
        {"an enumeration between two", damage_enum},
        {"an enumeration that is none", damage_no_enum},
        {"too many constants", damage_constants},
        {"the name of a constant", damage_constant},
        {"a field that is not the catalogue's", damage_own_field},
        {"the name of a tensor", damage_tensor_name},
        {"the place of a tensor", damage_tensor_field},
        {"the size of a description", damage_blank},
        {"an element before the first", damage_element},
        {"arithmetic of lists without a list", damage_list},
        {"the entries of a tensor", damage_entries},
        {"parts elsewhere", damage_parts},
        {"a condition that is its own part", damage_own_part},
        {"every element of no array", damage_array},
        {"the node of a number", damage_number_node},
    };
    struct error error = {0};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!ok(spec_set_load_apart(&set, few.path, &error) == 0 && !set.script && spec_set_is_sound(&set),
                "specs are loaded apart %s", error.text))
            return;
        kinds[i].damage(&set.specs[spec_set_find(&set, "GATHER")]);
        ok(!spec_set_is_sound(&set), "  and found to be damaged: %s", kinds[i].what);
        spec_set_free(&set);
    }
}

int main(void)
{
    char *names[256];
    size_t count = 0;
    DIR *dir = opendir(folder);
    spec_folder_make(&few);
    spec_folder_link(&few, "specs", "gather.lua");
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (*entry->d_name != '.' && count < sizeof names / sizeof *names)
            names[count++] = strdup(entry->d_name);
    if (dir)
        closedir(dir);
    ok(count >= 40, "there are %zu scripts", count);
    qsort(names, count, sizeof *names, test_attack_scripts_by_name);
    for (size_t i = 0; i < count; i++) {
        attack(names[i]);
        free(names[i]);
    }
    test_ends();
    test_damaged();
    spec_folder_remove(&few);
    ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no process is left");
    return tap_done();
}
