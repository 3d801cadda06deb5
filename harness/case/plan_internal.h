/* plan_internal.h: from a strategy's request to cases in the plan; shared by the plan_*.c files alone. */
#ifndef CASE_PLAN_INTERNAL_H
#define CASE_PLAN_INTERNAL_H

#include "harness/case/plan.h"

#include <lua.h>

/* What is being planned. */
struct planner {
    struct plan *plan;
    const struct spec_set *specs;
    const struct plan_filter *filter;
    const char *strategy;      /* its name */
    const char *tier;          /* its tier, "" if none */
    bool tiered;               /* its tensors are run, however large */
    int op;                    /* index of the operator */
    struct names *names;       /* all so far, wanted or not */
    struct cover_queue *queue; /* what other threads make meanwhile; null: nothing */
};

/* A request of a strategy, in C. Text is Lua's. */
struct emission {
    struct solve_request solve;
    char label[160]; /* parts of the name after the strategy's, "" if none */
    enum fill fill;
    bool fill_given;
    enum index_fill index_fill;
    bool again;           /* dispatched twice; without it, some cases still are */
    bool strides_in_name; /* even where all are null */
    int rule;             /* tested, -1: none */
};

/* What the filter asks for: this operator; it with this strategy; this level; this name; some name that begins so, up to a
 * dot or the end. What is not wanted need not be solved. */
bool planner_wants_operator(const struct planner *p);
bool planner_wants_strategy(const struct planner *p);
bool planner_wants_level(const struct planner *p, int table);
bool planner_wants_name(const struct planner *p, const char *name);
bool planner_wants_start(const struct planner *p, const char *start);

/* The filter itself, before planning: EXIT_USAGE; what came of it, after: EXIT_NO_MATCH. */
int planner_check_filter(const struct planner *p, struct error *error);
int planner_check_matches(const struct planner *p, struct error *error);

/* Adds a case as it is, if it is wanted; name, operator and strategy become those that are being planned. Returns 1; -1: a
 * name twice, or one that is none: the Lua message is pushed. */
int planner_add(struct planner *p, lua_State *L, const char *name, struct testcase c, const struct opdesc *desc);

/* Adds the wanted cases of the plan that is kept, if it is what the strategies of `folder` would make; false: it is not,
 * and nothing is added. */
bool planner_read_cache(struct planner *p, const char *folder);

/* Adds the cases of a JSON file (casefile.h). */
int planner_file(struct planner *p, lua_State *L, const char *path, struct error *error);

/* Solves and adds one case, if it is wanted. Returns 1; 0: no description meets the request; -1: error, the Lua message is pushed.
 * `solved`, if not null, receives the description instead of it being drawn here. */
int planner_emit(struct planner *p, lua_State *L, const struct emission *e, const struct opdesc *solved);

/* Adds a violation of `rule`, with its twin, for each of its moves that can be isolated. Returns how many; -1: error. */
int planner_violate(struct planner *p, lua_State *L, const struct emission *request, int rule);

/* Adds the worked example at stack index `example`. */
int planner_example(struct planner *p, lua_State *L, int example);

/* Asks for cases until every combination of `strength` values of the factors that can be met is met; planner_finish() puts
 * them into the plan, to where they were asked for. Returns 1; -1: error. */
int planner_cover(struct planner *p, lua_State *L, int strength);

/* Ends what is made meanwhile: its cases join the plan if they are still `wanted`. Must be called. */
int planner_finish(struct planner *p, lua_State *L, bool wanted, struct error *error);

/* A set of names. */
struct names *names_new(void);
void names_free(struct names *names);
enum names_result { NAMES_ADDED, NAMES_TWICE, NAMES_NO_MEMORY } names_add(struct names *names, const char *name);

#endif
