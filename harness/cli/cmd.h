/* cmd.h: the commands of the program, one cmd_NAME.c each, and the parts that they share. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include "harness/cli/options.h"
#include "harness/base/paths.h"
#include "harness/plan/plan.h"
#include "harness/worker/sandbox.h"

extern const struct command cmd_devices;
extern const struct command cmd_adapter;
extern const struct command cmd_list;
extern const struct command cmd_mustpass;
extern const struct command cmd_show;
extern const struct command cmd_run;
extern const struct command cmd_repro;
extern const struct command cmd_status;
extern const struct command cmd_dispatch;
extern const struct command cmd_verify;
extern const struct command cmd_merge;
extern const struct command cmd_compare;
extern const struct command cmd_report;
extern const struct command cmd_bundle;
extern const struct command cmd_fingerprint;
extern const struct command cmd_fuzz;
extern const struct command cmd_expect;
extern const struct command cmd_bench;
extern const struct command cmd_bisect;
extern const struct command cmd_spec;
extern const struct command cmd_explain;
extern const struct command cmd_coverage;
extern const struct command cmd_config;
extern const struct command cmd_manual;
extern const struct command cmd_completion;
extern const struct command cmd_complete;
extern const struct command cmd_worker;
extern const struct command cmd_host;
extern const struct command cmd_plan_cache;

/* All commands, in the order of --help; ended by null. */
extern const struct command *const cmd_all[];

/* Options of every command that reads specs and cases: the member `source` of the command's struct of values. */
struct cmd_source {
    const char *specs;      /* a folder; null: the usual one */
    struct word_list cases; /* folders of strategies, files, or "-"; empty: the usual folder */
    bool keep_going;        /* some cases of case files may be wrong */
    bool unread;      /* the plan has them, too, and those of unknown operators; a command sets it, not the user */
    bool quiet;       /* nothing is printed about them: it has been */
    bool may_miss;    /* patterns that no case matches are no error */
    const char *tier; /* null: cases that belong to no tier; cmd_load_case() then looks in all */
    struct word_list operators, levels;
    struct word_list exclude, case_lists; /* for commands that have CMD_CHOICE_OPTIONS */
    struct word_list allow;               /* for sandbox_new(); used by commands that run devices */
    bool half;                            /* as in struct runner_config; used by the same */
    bool later;                           /* cases may be left to plan_await(); a command sets it, not the user */
};

/* A number in the text of an option: help and default come from one definition. */
#define CMD_TEXT_OF(number) #number
#define CMD_TEXT(number) CMD_TEXT_OF(number)
#define CMD_DEFAULT(number) "(default: " CMD_TEXT(number) ")"

/* --timeout of commands that run cases. The default is the runner's: RUNNER_TIMEOUT of run/runner.h. */
#define CMD_TIMEOUT_MAX 86400
#define CMD_TIMEOUT_OPTION(type, of_what)                                                                              \
    {                                                                                                                  \
        0, "timeout", "SECONDS", OPTION_UINT, offsetof(type, timeout), of_what " " CMD_DEFAULT(RUNNER_TIMEOUT)         \
    }
/* EXIT_USAGE: the seconds of --timeout are too few or too many. */
int cmd_check_timeout(uint64_t seconds, struct error *error);

#define CMD_DEVICE_HELP "shipped name or path of a plugin, perhaps with :ARGUMENTS"
#define CMD_SPECS_HELP "folder of operator specs (default: assay's own)"
#define CMD_CASES_HELP                                                                                                 \
    "folder of strategies, FILE.lua, cases FILE.json, or - for standard input (repeatable; default: assay's own)"

#define CMD_SOURCE_OPTIONS(type)                                                                                       \
    {'o', "operator", "OPERATOR", OPTION_LIST, offsetof(type, source.operators), "only this operator (repeatable)"},   \
        {'l',                                                                                                          \
         "level",                                                                                                      \
         "LEVEL",                                                                                                      \
         OPTION_LIST,                                                                                                  \
         offsetof(type, source.levels),                                                                                \
         "only cases of this feature level's tables, such as 3_0 (repeatable)"},                                       \
        {0,                                                                                                            \
         "tier",                                                                                                       \
         "NAME",                                                                                                       \
         OPTION_STRING,                                                                                                \
         offsetof(type, source.tier),                                                                                  \
         "cases of this tier: large, deep, exhaustive, or all (default: cases that belong to no tier)"},               \
        {0, "specs", "DIR", OPTION_STRING, offsetof(type, source.specs), CMD_SPECS_HELP},                              \
    {                                                                                                                  \
        0, "cases", "PATH", OPTION_LIST, offsetof(type, source.cases), CMD_CASES_HELP                                  \
    }

/* Options of commands that run or list the cases of several filters. */
#define CMD_CHOICE_OPTIONS(type)                                                                                       \
    {0,                                                                                                                \
     "exclude",                                                                                                        \
     "FILTER",                                                                                                         \
     OPTION_LIST,                                                                                                      \
     offsetof(type, source.exclude),                                                                                   \
     "leave out cases that match, as `not FILTER` does (repeatable)"},                                                 \
    {                                                                                                                  \
        0, "case-list", "FILE", OPTION_LIST, offsetof(type, source.case_lists),                                        \
            "only cases that a file lists, as `assay list` prints them; - for standard input (repeatable)"             \
    }

/* The notes about FILTER in the help of such commands. */
#define CMD_FILTER_NOTES                                                                                               \
    "A FILTER is the name of a case, the front part of one up to a dot, or a pattern with * and ?. A case is chosen "  \
    "if any FILTER matches it, and left out if one does that follows the word `not`: `gather not gather.violations`. " \
    "--operator, --level, --tier and --case-list restrict the choice. A line of a case list is a FILTER, or -FILTER "  \
    "for cases to leave out; # begins a comment.\n"

/* The option of commands that can do without the cases of a file that are wrong. */
#define CMD_KEEP_GOING_OPTION(type)                                                                                    \
    {                                                                                                                  \
        0, "keep-going", NULL, OPTION_FLAG, offsetof(type, source.keep_going),                                         \
            "go on with the other cases if some of a file are wrong; the exit status is at least 3"                    \
    }

/* The option of every command that runs devices; `member` is a struct word_list. */
#define CMD_ALLOW_OPTION(type, member)                                                                                 \
    {                                                                                                                  \
        0, "allow", "PERMISSION", OPTION_LIST, offsetof(type, member),                                                 \
            "let devices do more than read files and write to their scratch folder (repeatable)"                       \
    }

/* The option of commands that judge the results of devices; `member` is a bool. */
#define CMD_HALF_OPTION(type, member)                                                                                  \
    {                                                                                                                  \
        0, "half", NULL, OPTION_FLAG, offsetof(type, member),                                                          \
            "allow half precision: operators are compiled with ALLOW_HALF_PRECISION_COMPUTATION, and FLOAT32 "         \
            "arithmetic need only be as precise as FLOAT16"                                                            \
    }

/* --allow of commands that run no device. */
#define CMD_READ_OPTION(type, member)                                                                                  \
    {                                                                                                                  \
        0, "allow", "PERMISSION", OPTION_LIST, offsetof(type, member),                                                 \
            "read=PATH: a case file may name files at or below PATH (repeatable)"                                      \
    }

/* Like sandbox_new(); warns on standard error about restrictions that this machine cannot enforce. */
int cmd_sandbox(const struct word_list *allow, struct sandbox **out, struct error *error);

/* Specs, and the plan of the cases that options and filters choose. */
struct cmd_plan {
    char specs_folder[PATHS_SIZE], cases_folder[PATHS_SIZE]; /* the usual folder of cases, if no other was given */
    const char *usual_cases;                                 /* points to it */
    struct spec_set specs;
    struct plan plan;
};

/* Loads the specs alone; the plan is empty. Free with cmd_unload(). EXIT_USAGE: --specs is not a folder; EXIT_HARNESS:
 * a broken spec. */
int cmd_load_specs(const struct cmd_source *source, struct cmd_plan *out, struct error *error);

/* Loads the specs and plans the cases that `source` and `patterns` choose; all if there are no patterns. Free with
 * cmd_unload() unless it failed. EXIT_NO_MATCH: no case matches, with the nearest name. */
int cmd_load(const struct cmd_source *source, const struct word_list *patterns, struct cmd_plan *out,
             struct error *error);

/* The second part of it, after cmd_load_specs(). */
int cmd_load_cases(const struct cmd_source *source, const struct word_list *patterns, struct cmd_plan *out,
                   struct error *error);
/* Adds to such a plan the cases of all tiers that the patterns match; there may be none. */
int cmd_load_tiers(const struct cmd_source *source, const struct word_list *patterns, struct cmd_plan *plan,
                   struct error *error);
void cmd_unload(struct cmd_plan *plan);

/* Returns true if --operator names the operator. */
bool cmd_wants_operator(const struct cmd_source *source, const struct spec_set *specs, int op);

/* Loads a plan that has the case of exactly this name, and finds the case in it. Free with cmd_unload() unless it
 * failed. EXIT_NO_MATCH, with the nearest name, if there is none. */
int cmd_load_case(const struct cmd_source *source, const char *name, struct cmd_plan *out, const struct testcase **c,
                  struct error *error);

/* Returns the index of the case of exactly this name in a plan. Errors as above. */
int cmd_find_case(const struct plan *plan, const char *name, size_t *index, struct error *error);

/* Prints a case for people: description, contents, rules that apply, expected end. `seed` is the case's own; `broken`,
 * which may be null, the id of a rule that a device broke: its line is marked. */
void cmd_print_case(const struct testcase *c, uint64_t seed, const char *broken);

#endif
