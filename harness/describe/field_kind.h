/* field_kind.h: the kinds of members that the documented operator structs have, and all operations of the program on a
 * member of each kind. No other code distinguishes kinds, except that spec.h tells inputs and outputs from other
 * members. The functions of a kind work on a member of a description and on one of a nested description. */
#ifndef DESCRIBE_FIELD_KIND_H
#define DESCRIBE_FIELD_KIND_H

#include "harness/base/error.h"
#include "harness/base/json_cursor.h"
#include "harness/base/random.h"
#include "harness/spec/spec.h"

#include <lua.h>
#include <stdio.h>

struct marshal;
struct text_writer;

/* A member of a description. Functions that only read it take a reference, too: they change nothing. */
struct field_ref {
    const struct catalogue *catalogue;
    const struct spec_field *fields; /* the fields of the whole struct */
    int at;                          /* the member, an index in `fields` */
    union opdesc_value *values;      /* the values of the whole struct */
    uint32_t *given;                 /* as in struct opdesc */
    struct opdesc *desc;             /* null: the member is of a nested description, which has no items */
};

extern const struct field_kind_traits {
    const char *word;    /* in specs/catalogue.lua: "uints" */
    const char *c_type;  /* type of the member; "%s" stands for the name of its enumeration: "const UINT *" */
    const char *example; /* an example of its text, for messages */
    uint8_t bytes;       /* size of the member in the documented struct */
    uint8_t alignment;
    bool is_pointer; /* the member may be null */
    bool is_number;  /* the value is field_value()->number */
    bool is_array;   /* the member points to as many elements as its count field says */
    uint8_t items;   /* number of items in a struct opdesc; 0: the value is in the field */
    uint8_t room;    /* most elements, or most entries of a list */

    /* Write the member of the documented struct, and read it back. Targets of pointers are in `m` and in the opdesc. */
    void (*marshal)(const struct field_ref *ref, struct marshal *m, void *member);
    void (*unmarshal)(const struct field_ref *ref, const void *member);

    /* Print and parse the text of desc_text.h. parse() leaves `at` after the value, or at the mistake. */
    void (*print)(const struct field_ref *ref, struct text_writer *out);
    bool (*parse)(const struct field_ref *ref, const char **at);

    /* Convert to and from the JSON of desc_json.h. to_json() returns null if memory runs out, from_json() 0 or
     * EXIT_HARNESS. */
    json_t *(*to_json)(const struct field_ref *ref);
    int (*from_json)(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error);

    /* Returns true if two descriptions of one operator agree in the member. */
    bool (*same)(const struct field_ref *a, const struct field_ref *b);

    /* Draws an ordinary value, as a person might give. Null: the solver draws it (tensors). Callers use field_draw(),
     * which knows the domain that a spec may give. */
    void (*draw)(const struct field_ref *ref, struct random *random);

    /* Changes the value to any other that its type has, whatever the rules say. Never writes outside the opdesc. */
    void (*mutate)(const struct field_ref *ref, struct random *random);

    /* Makes the value simpler in way number `way`; it may leave the value as it is. Returns false, with nothing
     * changed, if there is no such way. */
    bool (*simplify)(const struct field_ref *ref, unsigned way);

    /* Returns a weight for comparisons: simpler values weigh less; 0 is the simplest. */
    uint64_t (*weigh)(const struct field_ref *ref);

    /* Pushes a Lua value: a number, a boolean, or the name of a constant. A list counts from 0. A pair and a
     * description are tables by name of the member; a description also has `Type`. A null pointer is nil. Null:
     * meanings get tensors in their own way. */
    void (*push)(const struct field_ref *ref, lua_State *L);

    /* Print C: first declarations for the member's initialiser, whose names begin with `name`, then the initialiser.
     * declare_c may be null. */
    void (*declare_c)(const struct field_ref *ref, const char *name, FILE *out);
    void (*initialise_c)(const struct field_ref *ref, const char *name, FILE *out);
} field_kinds[FIELD_KINDS];

/* Returns the offset of the next member of a documented struct, whose members so far end at `*end`, and moves `*end`
 * past it. */
uint16_t field_place(enum field_kind kind, size_t *end);

/* Makes from the fields the description in which every number is 0 and every pointer is null, with the places of all
 * items, the tensors first. Sets spec->tensor_fields, too. Returns null, or the mistake in the fields. */
const char *spec_lay_out(struct spec *spec, struct opdesc *blank);
/* Return member `at` of a description, or of the description in item `at` of `outer`. */
struct field_ref field_ref(const struct spec *spec, const struct opdesc *desc, int at);
struct field_ref field_ref_nested(const struct field_ref *outer, const struct spec_layout *layout,
                                  const struct opdesc_nested *nested, int at);

static inline const struct field_kind_traits *field_kind(const struct field_ref *ref)
{
    return &field_kinds[ref->fields[ref->at].kind];
}

/* field_value() returns the value; field_given() returns true if a pointer is not null; field_give() sets that. */
static inline union opdesc_value *field_value(const struct field_ref *ref)
{
    return &ref->values[ref->at];
}

static inline bool field_given(const struct field_ref *ref)
{
    return *ref->given >> ref->at & 1;
}

static inline void field_give(const struct field_ref *ref, bool given)
{
    *ref->given = given ? *ref->given | 1u << ref->at : *ref->given & ~(1u << ref->at);
}

/* Sets a number to a simpler one, in way number `way`. Returns false if there is no such way. */
bool field_simplify_number(int64_t *number, unsigned way);

/* Return the first item of a member, and its number of elements or entries. ref->desc must not be null. */
union opdesc_item *field_items(const struct field_ref *ref);
unsigned field_count(const struct field_ref *ref);

/* Returns true if a text with `found` elements can stand for the array: its count field says that number, or more than
 * the array has room for. */
bool field_fits(const struct field_ref *ref, size_t found);

/* Returns Width and Height of a SIZE_2D. */
uint32_t *field_size_2d(const struct field_ref *ref);

/* Returns the layout of the description in an item; null if its type is no operator's, or its Desc is null. */
const struct spec_layout *field_nested_layout(const struct field_ref *ref, const struct opdesc_nested *nested);

/* Returns the number of members of a nested description that have a value. */
int field_nested_count(const struct spec_layout *layout);

/* Returns the data type of a DML_SCALAR_UNION, as the description gives it; UNKNOWN if that is no type of 8 bits or
 * more. */
unsigned field_scalar_type(const struct field_ref *ref);

/* Draws an ordinary value of a member that is no tensor: in its domain, if the spec gives one. */
void field_draw(const struct field_ref *ref, const struct spec_domain *domain, struct random *random);

/* Returns true if members of the kind can have a domain besides inputs: numbers, FLOATs, and arrays of them. */
bool field_has_domain(enum field_kind kind);

/* Returns true if an input, or such a member, can have all values of the domain. */
bool field_fits_domain(const struct spec_field *field, const struct spec_domain *domain);

#endif
