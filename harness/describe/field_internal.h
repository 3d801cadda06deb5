/* field_internal.h: the functions of the table of field_kind.h; only for the field*.c files. */
#ifndef DESCRIBE_FIELD_INTERNAL_H
#define DESCRIBE_FIELD_INTERNAL_H

#include "harness/describe/field_kind.h"
#include "harness/describe/field_text.h"
#include "harness/describe/marshal.h"

#define DECLARE_FIELD(kind)                                                                                            \
    void field_marshal_##kind(const struct field_ref *ref, struct marshal *m, void *member);                           \
    void field_unmarshal_##kind(const struct field_ref *ref, const void *member);                                      \
    void field_print_##kind(const struct field_ref *ref, struct text_writer *out);                                     \
    bool field_parse_##kind(const struct field_ref *ref, const char **at);                                             \
    json_t *field_to_json_##kind(const struct field_ref *ref);                                                         \
    int field_from_json_##kind(const struct field_ref *ref, const struct json_cursor *cursor, struct error *error);    \
    bool field_same_##kind(const struct field_ref *a, const struct field_ref *b);                                      \
    void field_draw_##kind(const struct field_ref *ref, struct random *random);                                        \
    void field_mutate_##kind(const struct field_ref *ref, struct random *random);                                      \
    bool field_simplify_##kind(const struct field_ref *ref, unsigned way);                                             \
    uint64_t field_weigh_##kind(const struct field_ref *ref);                                                          \
    void field_declare_c_##kind(const struct field_ref *ref, const char *name, FILE *out);                             \
    void field_initialise_c_##kind(const struct field_ref *ref, const char *name, FILE *out)

/* Push Lua values. */
void field_push_number(const struct field_ref *ref, lua_State *L);
void field_push_bool(const struct field_ref *ref, lua_State *L);
void field_push_enum(const struct field_ref *ref, lua_State *L);
void field_push_float(const struct field_ref *ref, lua_State *L);
void field_push_scalar(const struct field_ref *ref, lua_State *L);
void field_push_list(const struct field_ref *ref, lua_State *L);
void field_push_scale_bias(const struct field_ref *ref, lua_State *L);
void field_push_size_2d(const struct field_ref *ref, lua_State *L);
void field_push_operators(const struct field_ref *ref, lua_State *L);

DECLARE_FIELD(tensor);
DECLARE_FIELD(tensors);
DECLARE_FIELD(uint);
DECLARE_FIELD(int);
DECLARE_FIELD(bool);
DECLARE_FIELD(enum);
DECLARE_FIELD(float);
DECLARE_FIELD(list);   /* an array of UINTs or INTs */
DECLARE_FIELD(floats); /* an array of FLOATs */
DECLARE_FIELD(scale_bias);
DECLARE_FIELD(size_2d);
DECLARE_FIELD(scalar);
DECLARE_FIELD(operator);
DECLARE_FIELD(operators);

void field_draw_pointer(const struct field_ref *ref, struct random *random); /* draws an array that is given, and other
                                                                              * pointers that may be null */

#endif
