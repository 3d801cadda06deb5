/* field_kind.h: the kinds of members that the documented operator structs have, and all that the program does with a
 * member of each kind. Nothing else tells kinds apart, but for what is an input, an output or neither (spec.h).
 *
 * A kind's functions work on a member of a description and on one of a description within it. */
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
    const struct spec_field *fields; /* of the whole struct */
    int at;                          /* the member, an index in `fields` */
    union opdesc_value *values;      /* of the whole struct */
    uint32_t *given;                 /* as in struct opdesc */
    struct opdesc *desc;             /* null: a member of a description within another, which has no items */
};

extern const struct field_kind_traits {
    const char *word;    /* in specs/catalogue.lua: "uints" */
    const char *c_type;  /* of the member, "%s" being the name of its enumeration: "const UINT *" */
    const char *example; /* of its text, for messages */
    uint8_t bytes;       /* of the member in the documented struct */
    uint8_t alignment;
    bool is_pointer; /* may be null */
    bool is_number;  /* the value is field_value()->number */
    bool is_array;   /* a pointer to as many elements as its count field says */
    uint8_t items;   /* that it takes in a struct opdesc; 0: none, the value is in the field */
    uint8_t room;    /* the most elements, or entries of a list */

    /* Write the member of the documented struct, and read it back. What is pointed to is in `m` and in the opdesc. */
    void (*marshal)(const struct field_ref *ref, struct marshal *m, void *member);
    void (*unmarshal)(const struct field_ref *ref, const void *member);

    /* The text of desc_text.h. parse() leaves `at` after the value, or at what is wrong. */
    void (*print)(const struct field_ref *ref, struct text_writer *out);
    bool (*parse)(const struct field_ref *ref, const char **at);

    /* The JSON of desc_json.h. to_json(): null without memory. from_json(): 0 or EXIT_HARNESS. */
    json_t *(*to_json)(const struct field_ref *ref);
    int (*from_json)(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error);

    /* Whether two descriptions of one operator agree in the member. */
    bool (*same)(const struct field_ref *a, const struct field_ref *b);

    /* Draws an ordinary value, as a person might give. Null: the solver draws it (tensors). */
    void (*draw)(const struct field_ref *ref, struct random *random);

    /* Changes the value to any other that its type has, whatever the rules say. Never writes outside the opdesc. */
    void (*mutate)(const struct field_ref *ref, struct random *random);

    /* Makes the value simpler in way number `way`. False: there is no such way, and nothing changed. It may leave the
     * value as it is. */
    bool (*simplify)(const struct field_ref *ref, unsigned way);

    /* Weighs the value for comparisons: simpler values weigh less; 0 is the simplest. */
    uint64_t (*weigh)(const struct field_ref *ref);

    /* Pushes a Lua value: a number, a boolean, the name of a constant; a list counts from 0; a pair and a description
     * are tables by name of the member, the latter with `Type`; a null pointer is nil. Null: meanings get tensors in
     * their own way. */
    void (*push)(const struct field_ref *ref, lua_State *L);

    /* Print C: declarations that the member's initialiser needs, whose names begin with `name`, and the initialiser.
     * declare_c may be null. */
    void (*declare_c)(const struct field_ref *ref, const char *name, FILE *out);
    void (*initialise_c)(const struct field_ref *ref, const char *name, FILE *out);
} field_kinds[FIELD_KINDS];

/* The offset of the next member of a documented struct, whose members so far end at `*end`; that is then its end. */
uint16_t field_place(enum field_kind kind, size_t *end);

/* Makes from the fields the description in which every number is 0 and every pointer is null, with the places of all
 * items, the tensors first; and spec->tensor_fields. Returns what is wrong, or null. */
const char *spec_lay_out(struct spec *spec, struct opdesc *blank);
/* The member `at` of a description; of the description in item `at` of `outer`. */
struct field_ref field_ref(const struct spec *spec, const struct opdesc *desc, int at);
struct field_ref field_ref_nested(const struct field_ref *outer, const struct spec_layout *layout,
                                  const struct opdesc_nested *nested, int at);

static inline const struct field_kind_traits *field_kind(const struct field_ref *ref)
{
    return &field_kinds[ref->fields[ref->at].kind];
}

/* The value; whether a pointer is not null; and sets that. */
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

/* Of a member with items: the first one, and how many elements or entries there are. Only where ref->desc. */
union opdesc_item *field_items(const struct field_ref *ref);
unsigned field_count(const struct field_ref *ref);

/* Whether a text with `found` elements can stand for the array: there are as many as the count says, or the count says
 * more than there is room for. */
bool field_fits(const struct field_ref *ref, size_t found);

/* Width and Height of a SIZE_2D. */
uint32_t *field_size_2d(const struct field_ref *ref);

/* The layout of the description in an item; null: its type is no operator's, or its Desc is null. */
const struct spec_layout *field_nested_layout(const struct field_ref *ref, const struct opdesc_nested *nested);

/* How many members of a nested description have a value. */
int field_nested_count(const struct spec_layout *layout);

/* The data type of a DML_SCALAR_UNION, as the description says; UNKNOWN if that is no type of 8 bits or more. */
unsigned field_scalar_type(const struct field_ref *ref);

#endif
