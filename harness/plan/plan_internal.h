/* plan_internal.h: from a strategy's request to cases in the plan; for the plan_*.c files only.
 *
 *     plan.c              runs the strategies
 *     plan_operator.c     what a strategy sees of an operator, and its methods
 *     plan_request.c      the table of op:emit, read into a struct case_request
 *     plan_emit.c         cases that the solver finds: op:emit, op:violate, op:corners
 *     plan_attributes.c   attributes that suit what the inputs hold
 *     plan_vary.c         descriptions that differ in one part: op:vary
 *     plan_corner.c       covering arrays of violations: op:corners
 *     plan_example.c      op:example
 *     plan_cover.c        covering arrays; plan_cover_queue.c makes them in other threads: op:cover
 *     plan_file.c         cases from JSON files
 *     plan_cache.c        a whole plan in a file; plan_cache_read.c reads it
 *     plan_apart.c        planning in child processes
 *     plan_name.c         the names of cases, which case_name.c writes
 *     plan_filter.c       which cases are wanted; patterns.c and caselist.c: by their names */
#ifndef CASE_PLAN_INTERNAL_H
#define CASE_PLAN_INTERNAL_H

#include "harness/plan/case_name.h"
#include "harness/plan/caselist.h"
#include "harness/plan/patterns.h"
#include "harness/plan/plan.h"

#include <lua.h>
#include <stdio.h>

/* The state of planning. */
struct planner {
    struct plan *plan;
    const struct spec_set *specs;
    const struct plan_filter *filter;
    const struct plan_sources *sources;
    struct patterns wanted, excluded, listed, unlisted; /* of the filter, indexed */
    bool *listed_hit;                                   /* per pattern of the filter's list: it matches a case */
    struct error first_wrong;                           /* about the first wrong case of a case file */
    const char *empty_file;                             /* a case file without cases; null: none */
    const char *strategy;                               /* name of the strategy that runs */
    const char *tier;                                   /* its tier, "" if none */
    bool unlimited;            /* cases run however large their tensors are, and twice only where they ask for it */
    int op;                    /* index of the operator */
    struct names *names;       /* of all cases so far, wanted or not */
    struct names *unknown;     /* operators of case files that are not known; null: no case file has any */
    struct cover_queue *queue; /* covering arrays that other threads make; null until one is asked for */
    struct plan_varied {
        uint16_t tried;          /* bit n: the two descriptions of some pair differ in part n of the field */
        uint16_t shown;          /* bit n: the results of such a pair differ, too */
    } varied[OPDESC_MAX_FIELDS]; /* by field: the pairs that op:vary() has added for the operator and the strategy */
};

/* A strategy's request for a case. */
struct case_request {
    struct solve_request solve;
    char label[160]; /* parts of the name after the strategy's, "" if none */
    enum fill fill;
    bool fill_given;
    enum index_fill index_fill;
    bool dispatch_twice;                    /* some cases are dispatched twice even where this is false */
    bool one_memory;                        /* inputs that agree have one memory; some must */
    bool grows;                             /* the calls are made again and again: LIFECYCLE_GROWTH */
    bool strides_in_name;                   /* even where all are null */
    int rule;                               /* tested, -1: none */
    const struct spec_situation *situation; /* the case must be in it; null: none */
    uint8_t in_place[OPDESC_MAX_FIELDS]; /* by field, for an input: 1 + the field of the output whose memory it has */
};

/* Return true if the filter wants this operator; this operator with this strategy; this tier ("": none); this feature
 * level (index in spec.levels); this name; any name that is `start` or continues it with a dot. Unwanted cases need not
 * be solved. */
bool planner_wants_operator(const struct planner *p);
bool planner_wants_strategy(const struct planner *p);
bool planner_wants_tier(const struct planner *p, const char *tier);
bool planner_wants_level(const struct planner *p, int table);
bool planner_wants_name(const struct planner *p, const char *name);
bool planner_wants_start(const struct planner *p, const char *start);

/* Returns true if the filter may want some names only. */
bool planner_chooses_names(const struct planner *p);

/* Before planning: indexes the filter. EXIT_USAGE: it names an unknown operator or level. The index is freed with
 * planner_free_filter(), also after an error. */
int planner_take_filter(struct planner *p, struct error *error);
void planner_free_filter(struct planner *p);

/* After planning: EXIT_NO_MATCH if a pattern matches no case, or there are no cases. */
int planner_check_matches(const struct planner *p, struct error *error);

/* Pushes the table that describes the operator to a strategy, with its methods. */
void planner_push_operator(struct planner *p, lua_State *L);

/* Pushes the table that the `interface` function of a strategy gets. */
void planner_push_interface(struct planner *p, lua_State *L);

/* Reads the request at stack index 2, and drops the values above it. Raises a Lua error if it is wrong. */
void request_read(lua_State *L, const struct planner *p, struct case_request *request);

/* Returns the index in spec.levels of a level with a table of its own. Raises a Lua error if there is none. */
int request_table(lua_State *L, const struct planner *p, const char *level);

/* Write the name of a case of the planner's operator and strategy: its front, which is known before anything is solved,
 * with label and level ("": none); the whole name, with CASE_ENDING. */
void planner_name_front(const struct planner *p, const char *label, const char *level, char name[CASE_NAME_SIZE]);
void planner_name(const struct planner *p, const struct case_request *request, const struct opdesc *desc,
                  const char *ending, char name[CASE_NAME_SIZE]);

/* Returns a case with the description, as the request says; without name, literals, and the members that planner_add()
 * sets. */
struct testcase planner_make_case(const struct planner *p, const struct case_request *request,
                                  const struct opdesc *desc);

/* Fills the inputs of an operator that looks for zeros with some, unless the strategy says otherwise. */
void planner_default_fill(const struct planner *p, const struct case_request *request, struct testcase *c);

/* The functions from here to planner_cover() return -1 on error and leave the message on the Lua stack. */

/* Adds the case if the filter wants it, under this name and with the operator, strategy and tier of the planner.
 * Copies name and description; the literals must be in the plan's pool. Returns 1. Errors: a name that is taken, or
 * not legal. */
int planner_add(struct planner *p, lua_State *L, const char *name, struct testcase c, const struct opdesc *desc);

/* Solves and adds one case if the filter wants it. Uses `solved` as its description if that is not null. Returns 1; 0
 * if no description meets the request. */
int planner_emit(struct planner *p, lua_State *L, const struct case_request *request, const struct opdesc *solved);

/* Gives the attributes of an operator with formulas values that suit the case: limits within the inputs' elements, few
 * elements for which a behaviour leaves a choice, or, for FILL_CHOICE, some; and the requested constants. False: no
 * legal description has them. Draws from `seed`. */
bool planner_suit_attributes(const struct case_request *request, const struct testcase *c, uint64_t seed,
                             struct opdesc *desc);

/* Adds a violation of `rule` and its legal twin, for each way to break that rule and no other. Returns the number of
 * cases. */
int planner_violate(struct planner *p, lua_State *L, const struct case_request *base, int rule);

/* Adds violations of `rule`, without twins, that cover every combination of `strength` values (1 to 3) of feature
 * level, data types, ranks and ways to break the rule. Returns the number of cases. */
int planner_corners(struct planner *p, lua_State *L, int rule, int strength);

/* Adds a case that meets the request, and for each part of its description a case that differs from it in this part,
 * and in what follows from the part. Returns 0 if no description meets the request; otherwise more. */
int planner_vary(struct planner *p, lua_State *L, const struct case_request *request);

/* Adds the worked example at stack index `example`. Returns 1. */
int planner_example(struct planner *p, lua_State *L, int example);

/* Asks for cases that cover every possible combination of `strength` factor values. planner_finish() adds them, at the
 * position where they were asked for. Returns 1. */
int planner_cover(struct planner *p, lua_State *L, int strength);

/* Waits for the covering arrays. Their cases join the plan if they are still `wanted`. Must be called, also after
 * errors. */
int planner_finish(struct planner *p, bool wanted, struct error *error);

/* Adds the cases of a JSON file (casefile.h), or with "-" those of the sources' input. Cases that are wrong are counted
 * in the plan, unless the filter does not want them. */
int planner_file(struct planner *p, lua_State *L, const char *path, struct error *error);

/* Returns true if a path names such a file, or the sources' input. */
bool planner_is_case_file(const char *file);

/* After planning, sets the error about wrong cases, unless there are none or they are to be left out. */
int planner_check_wrong(const struct planner *p, struct error *error);

/* Adds the wanted cases of the cached plan. False, with nothing added: there is no such plan, or the strategies of
 * `folder` would make another one. */
bool planner_read_cache(struct planner *p, const char *folder);

/* Writes a plan to a file, from its start, with a key that is not 0; reads it if the key is that of `key_of_plan`, and
 * adds the wanted cases. Nothing in the file is trusted: if anything is wrong, returns false and adds nothing. */
bool planner_write_plan(const struct plan *plan, const struct spec_set *specs, uint64_t key, FILE *file);
typedef uint64_t planner_key(const struct planner *p, const void *context);
bool planner_read_plan(struct planner *p, int fd, planner_key *key_of_plan, const void *context);

/* Frees the cases that plan_await() has read. The plan must not be used any more. */
void planner_free_reading(struct plan *plan);

/* A set of names. The set copies them. */
struct names *names_new(void);
bool names_has(const struct names *names, const char *name);
void names_free(struct names *names);
enum names_result { NAMES_ADDED, NAMES_TWICE, NAMES_NO_MEMORY } names_add(struct names *names, const char *name);

#endif
