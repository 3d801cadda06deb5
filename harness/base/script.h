/* script.h: Lua under guard. Spec and case files are run with a list of allowed words, no input or output, no clock, no
 * randomness of their own, a limit on memory and a limit on instructions; they behave the same on every machine. */
#ifndef BASE_SCRIPT_H
#define BASE_SCRIPT_H

#include "harness/base/error.h"
#include "harness/base/pool.h"

#include <lua.h>
#include <stdint.h>

struct script;

/* A fresh state. Null on no memory. */
struct script *script_new(void);
void script_free(struct script *script);
lua_State *script_state(struct script *script);

/* Runs one of our own preludes (full libraries) and pushes what it returns. `name` is for messages. */
int script_prelude(struct script *script, const char *name, const char *source, struct error *error);

/* Of the contents of all files run so far, in order. */
uint64_t script_hash(const struct script *script);

/* Adds the contents of a file to a hash. */
int script_hash_file(const char *path, uint64_t *hash, struct error *error);

/* Runs the file at `path` in an environment of its own: the sandbox's words and those of the table at the top of the
 * stack (which stays). Pushes the one value the file returns. Any error is EXIT_HARNESS and names file and line. */
int script_file(struct script *script, const char *path, struct error *error);

/* The paths of the files in a folder whose names end in one of `endings` (ended by null), sorted, kept in `pool`; of a path
 * that is such a file, that path alone. Returns how many; less than 1: the error is set. */
int script_folder(const char *path, const char *const endings[], struct pool *pool, const char ***out,
                  struct error *error);

/* lua_pcall with a fresh instruction limit; `what` names the work in a message that has no line of its own. */
int script_call(struct script *script, int arguments, int results, const char *what, struct error *error);

#endif
