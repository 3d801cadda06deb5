/* case_name.h: the name of a case and its parts. No other module writes a name or takes one apart. */
#ifndef CASE_CASE_NAME_H
#define CASE_CASE_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The parts, in the order of the name "gather_nd.violations.rank.axis-4.fl3_0.int8-uint32.d2p2q2.kn.twin". The name of
 * a case of the interface, and a name from a case file, may end after any part. */
enum case_part {
    CASE_OPERATOR,
    CASE_STRATEGY,
    CASE_LABEL,      /* the strategy's own words; the only part that may have dots: "rank.axis-4" */
    CASE_LEVEL,      /* "3_0"; the name writes "fl" before it */
    CASE_TYPES,      /* "int8-uint32": one type for each group of which the operator leaves a choice */
    CASE_PARAMETERS, /* "d2p2q2": a letter and a number each, or "x" if the description gives no number */
    CASE_STRIDES,    /* "kn": a letter of stride_letters for each tensor */
    CASE_ENDING,     /* "rejected", "either" or "twin" of a violation; "" of other cases */
    CASE_PARTS
};

/* A text within a longer one, or a whole text. */
struct case_text {
    const char *text;
    size_t length;
};

/* The parts, by enum case_part; the length of a part that the name lacks is 0. */
struct case_name {
    struct case_text parts[CASE_PARTS];
};

/* case_text() returns a whole text as a part; case_text_is() returns true if a part is the text. */
struct case_text case_text(const char *text);
bool case_text_is(struct case_text part, const char *text);

/* Writes the name with these parts. Cuts it to the size of `name`: such a name is longer than case_name_is_legal()
 * allows. */
enum { CASE_NAME_SIZE = 512 };
void case_name_write(const struct case_name *parts, char name[CASE_NAME_SIZE]);

/* Returns the parts, which point into `name`. case_name_write() makes the same name of them. */
struct case_name case_name_parse(const char *name);

/* Returns the length of the first of the parameters at `parameters`: a letter and what follows it. */
size_t case_name_parameter(const char *parameters);

/* A front of a name ends before a dot, or with the name. Returns the length of the front that is longer by one piece
 * between dots than the front of `length` bytes; 0 bytes are the empty front. */
size_t case_name_next_front(const char *name, size_t length);

/* Returns the length of the front with as many pieces as `like` has; of the whole name if it has fewer. */
size_t case_name_front(const char *name, const char *like);

/* Returns true if a case may have the name: CASE_NAME_MAX bytes at most, of letters, digits, '_' and '-', in pieces
 * between single dots. CASE_NAME_RULE tells the user. */
enum { CASE_NAME_MAX = 200 };
#define CASE_NAME_RULE "expected 1 to 200 letters, digits, '_' and '-', in parts with one dot between them"
bool case_name_is_legal(const char *name);

#endif
