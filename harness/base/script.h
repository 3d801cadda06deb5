/* script.h: a Lua sandbox for spec and case files. Scripts get a list of allowed words, but no input or output, clock
 * or randomness, and have limits on memory and instructions. They behave the same on every machine. */
#ifndef BASE_SCRIPT_H
#define BASE_SCRIPT_H

#include "harness/base/error.h"
#include "harness/base/pool.h"

#include <lua.h>
#include <stdint.h>

struct script;

/* Returns a new sandbox with a Lua state of its own; null: out of memory. */
struct script *script_new(void);
void script_free(struct script *script);
lua_State *script_state(struct script *script);

/* Runs a prelude, trusted Lua source with all libraries: pops its arguments and pushes its results. `name` is for
 * messages, and must outlive the sandbox. Returns 0 or EXIT_HARNESS. */
int script_prelude(struct script *script, const char *name, const char *source, int arguments, int results,
                   struct error *error);

/* Changes the source of each file and prelude before it runs. The function returns the new source, which the sandbox
 * frees; null: the source stays as it is. */
typedef char *script_change(void *context, const char *source);
void script_set_change(struct script *script, script_change *change, void *context);

/* Returns a hash of the contents of all files run so far, in order. */
uint64_t script_hash(const struct script *script);

/* Adds the contents of a file to a hash, as script_file() does. Returns 0 or EXIT_HARNESS. */
int script_hash_file(const char *path, uint64_t *hash, struct error *error);

/* Runs the file at `path` in a new environment: the words of the sandbox and those in the table at the top of the
 * stack, which stays there. Pushes the value that the file returns. Returns 0, or EXIT_HARNESS with file and, if
 * known, line. */
int script_file(struct script *script, const char *path, struct error *error);

/* Lists the files of a folder whose names end in one of `endings` (ended by null) and do not begin with a dot, sorted.
 * If `path` is itself such a file, the list has only that file. The list lives in `pool`. Returns their number, or a
 * number below 1 with the error set. */
int script_folder(const char *path, const char *const endings[], struct pool *pool, const char ***out,
                  struct error *error);

/* Calls lua_pcall() with fresh limits. `what` starts a message that names no file and line itself. Returns 0; or
 * EXIT_HARNESS, with nothing pushed. */
int script_call(struct script *script, int arguments, int results, const char *what, struct error *error);

#endif
