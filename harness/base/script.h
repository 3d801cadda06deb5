/* script.h: a Lua sandbox for spec and case files. They get a list of allowed words, but no input or output, clock or
 * randomness, and have limits on memory and instructions. They behave the same on every machine. */
#ifndef BASE_SCRIPT_H
#define BASE_SCRIPT_H

#include "harness/base/error.h"
#include "harness/base/pool.h"

#include <lua.h>
#include <stdint.h>

struct script;

/* A new sandbox with a Lua state of its own. Null: out of memory. */
struct script *script_new(void);
void script_free(struct script *script);
lua_State *script_state(struct script *script);

/* Runs a prelude, trusted Lua source with all libraries, and pushes what it returns. `name` is for messages, and
 * must outlive the sandbox. Returns 0
 * or EXIT_HARNESS. */
int script_prelude(struct script *script, const char *name, const char *source, struct error *error);

/* Hash of the contents of all files run so far, in order. */
uint64_t script_hash(const struct script *script);

/* Adds the contents of a file to a hash, as script_file() does. Returns 0 or EXIT_HARNESS. */
int script_hash_file(const char *path, uint64_t *hash, struct error *error);

/* Runs the file at `path` in a new environment: the words of the sandbox and those in the table at the top of the
 * stack, which stays there. Pushes the value that the file returns. Returns 0, or EXIT_HARNESS with file and, if
 * known, line. */
int script_file(struct script *script, const char *path, struct error *error);

/* Lists the files of a folder whose names end in one of `endings` (ended by null) and do not begin with a dot, sorted.
 * If `path` is itself such a file, lists that one. The list lives in `pool`. Returns how many; below 1: the error is
 * set. */
int script_folder(const char *path, const char *const endings[], struct pool *pool, const char ***out,
                  struct error *error);

/* lua_pcall() with fresh limits. `what` starts a message that names no file and line itself. Returns 0 or
 * EXIT_HARNESS; on an error nothing is pushed. */
int script_call(struct script *script, int arguments, int results, const char *what, struct error *error);

#endif
