/* harms.h: harms that a device can do to its process, in any of its calls. */
#ifndef HARMS_H
#define HARMS_H

/* The calls in which a harm strikes. HARM_LOAD: while the library is loaded, before any call. */
enum harm_call { HARM_LOAD, HARM_OPEN, HARM_CREATE, HARM_COMPILE, HARM_DISPATCH, HARM_DESTROY, HARM_CLOSE, HARM_CALLS };

struct harm {
    const char *name;
    void (*strike)(void);
};

/* Returns the harm, or the call, of that name; null or HARM_CALLS if there is none. The list of harms ends with a null
 * name. */
const struct harm *harm_find(const char *name);
enum harm_call harm_call_find(const char *name);

extern const struct harm harms[];
extern const char *const harm_calls[HARM_CALLS]; /* "load", "open", … */

#endif
