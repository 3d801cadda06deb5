/* Structs of one's own: their layout is that of a C compiler, each mistake has an error of one line, and compiled specs
 * with a damaged one are refused. */
#include "harness/describe/field_kind.h"
#include "harness/load/image.h"
#include "harness/load/load.h"
#include "harness/load/load_apart.h"
#include "harness/load/sound.h"
#include "harness/test/spec_folder.h"
#include "tools/tap.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A struct with members of all kinds that fit into one description. */
struct every_kind {
    const DML_TENSOR_DESC *InputTensor, *IndicesTensor;
    UINT InputCount;
    const DML_TENSOR_DESC *InputTensors;
    const DML_TENSOR_DESC *OutputTensor;
    BOOL Flag;
    UINT OutputCount;
    INT Shift;
    FLOAT Factor;
    UINT Mode;
    UINT AxisCount;
    const UINT *Axes;
    const INT *Steps;
    const FLOAT *Weights;
    UINT ValueDataType;
    DML_SCALAR_UNION Value;
    UINT Last;
    DML_SIZE_2D Window;
    const DML_SCALE_BIAS *ScaleBias;
    const DML_OPERATOR_DESC *FusedActivation;
};

static const char every_kind[] =
    "struct \"EVERY_KIND\" { number = 2000, in_place = { \"InputTensor\" },\n"
    "  enums = { MY_MODE = { { \"LEFT\", 0 }, { \"RIGHT\", 3 } } },\n"
    "  fields = { { \"input\", \"InputTensor\" }, { \"input\", \"IndicesTensor\", optional = true },\n"
    "    { \"uint\", \"InputCount\" }, { \"inputs\", \"InputTensors\", count = \"InputCount\", like = \"InputTensor\" "
    "},\n"
    "    { \"output\", \"OutputTensor\", like = \"InputTensor\" }, { \"bool\", \"Flag\" }, { \"uint\", \"OutputCount\" "
    "},\n"
    "    { \"int\", \"Shift\" },\n"
    "    { \"float\", \"Factor\" }, { \"enum\", \"Mode\", type = \"MY_MODE\" }, { \"uint\", \"AxisCount\" },\n"
    "    { \"uints\", \"Axes\", count = \"AxisCount\" }, { \"ints\", \"Steps\", count = \"AxisCount\", optional = "
    "\"2_0\" },\n"
    "    { \"floats\", \"Weights\", count = \"AxisCount\" },\n"
    "    { \"enum\", \"ValueDataType\", type = \"DML_TENSOR_DATA_TYPE\" },\n"
    "    { \"scalar\", \"Value\", typed_by = \"ValueDataType\" }, { \"uint\", \"Last\" }, { \"size_2d\", \"Window\" "
    "},\n"
    "    { \"scale_bias\", \"ScaleBias\", optional = true }, { \"operator\", \"FusedActivation\", optional = true } "
    "},\n"
    "  levels = { { \"2_0\", InputTensor = { { \"FLOAT32\" }, 4 }, IndicesTensor = { { \"UINT32\" }, 1, 8 } } } }\n"
    "struct \"OTHER\" { number = 1000, fields = { { \"uint\", \"OutCount\" }, { \"uint\", \"Count\" },\n"
    "  { \"outputs\", \"Out\", count = \"OutCount\" }, { \"operators\", \"Ops\", count = \"Count\" } }, levels = { { "
    "\"1_0\", Out = { { \"INT8\" "
    "}, 1 } } } }\n"
    "local parts = { parameters = { { \"d\", dims \"OutputTensor\" } }, rules = {},\n"
    "  results = { result \"OutputTensor\" { element \"InputTensor\" } } }\n"
    "return { operator \"EVERY_KIND\" (parts),\n"
    "  operator \"OTHER\" { parameters = { { \"n\", attr \"OutCount\" } }, rules = {},\n"
    "    results = { result \"Out\" { number } } } }\n";

static struct spec_folder folder;
static struct spec_set set;

/* Loads a spec apart. The catalogue is that of the project. */
static bool own_load(const char *text, struct error *error)
{
    *error = (struct error){0};
    spec_folder_write(&folder, "mine.lua", text);
    return spec_set_load_apart(&set, folder.path, error) == 0;
}

static void test_layout(void)
{
#define OFFSET(member) offsetof(struct every_kind, member)
    static const size_t offsets[] = {
        OFFSET(InputTensor), OFFSET(IndicesTensor), OFFSET(InputCount), OFFSET(InputTensors), OFFSET(OutputTensor),
        OFFSET(Flag),        OFFSET(OutputCount),   OFFSET(Shift),      OFFSET(Factor),       OFFSET(Mode),
        OFFSET(AxisCount),   OFFSET(Axes),          OFFSET(Steps),      OFFSET(Weights),      OFFSET(ValueDataType),
        OFFSET(Value),       OFFSET(Last),          OFFSET(Window),     OFFSET(ScaleBias),    OFFSET(FusedActivation)};
    enum { MEMBERS = sizeof offsets / sizeof *offsets };
    struct error error;
    int wrong = 0;
    if (!ok(own_load(every_kind, &error), "a struct with members of nearly all kinds is read %s", error.text))
        return;
    const struct catalogue_entry *entry = catalogue_entry(set.catalogue, 2000);
    if (!ok(entry && entry->layout.field_count == MEMBERS, "it has its number and its members"))
        return;
    uint32_t kinds = 0;
    for (int i = 0; i < MEMBERS; i++) {
        wrong += entry->layout.fields[i].offset != offsets[i];
        kinds |= 1u << entry->layout.fields[i].kind;
    }
    ok(wrong == 0 && kinds == (1u << FIELD_KINDS) - 1 - (1u << FIELD_OUTPUTS) - (1u << FIELD_OPERATORS),
       "its members are where a C compiler has them");
    const struct spec_field *mode = &entry->layout.fields[9];
    ok(mode->constants && strcmp(mode->constants->name, "MY_MODE") == 0 && mode->constants->constants[1].value == 3,
       "an enumeration of one's own has its constants");
    const struct spec_layout *gather = catalogue_layout(set.catalogue, DML_OPERATOR_PADDING);
    const struct spec_enum *padding = gather->fields[2].constants;
    ok(padding && strcmp(padding->name, "DML_PADDING_MODE") == 0, "and documented operators keep theirs");
    ok(entry->in_place == 1 && entry->layout.since == DML_FEATURE_LEVEL_2_0 &&
           entry->layout.fields[12].optional == DML_FEATURE_LEVEL_2_0,
       "in_place and levels are kept");
    ok(set.catalogue->count == set.catalogue->documented + 2 &&
           set.catalogue->operators[set.catalogue->documented].layout.type == 1000,
       "operators of one's own follow the documented ones, by their numbers");
    ok(!catalogue_entry(set.catalogue, 1001) && !catalogue_entry(set.catalogue, 999) &&
           !catalogue_entry(set.catalogue, UINT32_MAX) && catalogue_named(set.catalogue, "OTHER") &&
           !catalogue_named(set.catalogue, "ELSE"),
       "other numbers and names are none");
    ok(set.specs[spec_set_find(&set, "every_kind")].type == 2000, "the spec has the number");
    spec_set_free(&set);
}

/* The text of a struct whose parts can be replaced. */
#define FIELDS "{ { \"input\", \"A\" }, { \"output\", \"B\", like = \"A\" } }"
#define LEVELS "{ { \"1_0\", A = { { \"FLOAT32\" }, 1, 8 } } }"
#define STRUCT(name, number, fields, levels, more)                                                                     \
    "struct \"" name "\" { number = " number ", fields = " fields ", levels = " levels more " }\n"
#define NUMBERED(number) STRUCT("MINE", number, FIELDS, LEVELS, "")
#define WITH_FIELDS(fields) STRUCT("MINE", "1000", fields, LEVELS, "")
#define WITH_FIELD(field) WITH_FIELDS("{ { \"input\", \"A\" }, { \"output\", \"B\", like = \"A\" }, " field " }")
#define WITH_LEVELS(levels) STRUCT("MINE", "1000", FIELDS, levels, "")
#define WITH(more) STRUCT("MINE", "1000", FIELDS, LEVELS, ", " more)

static void test_mistakes(void)
{
    static const struct {
        const char *text, *message; /* the message follows "…/mine.lua:1: " */
    } mistakes[] = {
        {NUMBERED("999"), "MINE: number: expected 1000 to 2147483647: lower ones are DirectML's"},
        {NUMBERED("nil"), "MINE: number: expected 1000 to 2147483647: lower ones are DirectML's"},
        {NUMBERED("1000.5"), "MINE: number: expected 1000 to"},
        {NUMBERED("2147483648"), "MINE: number: expected 1000 to"},
        {STRUCT("ELSE", "1000", FIELDS, LEVELS, "") NUMBERED("1000"), "MINE: number: ELSE has 1000"},
        {STRUCT("GATHER", "1000", FIELDS, LEVELS, ""), "GATHER: the name is that of a documented operator"},
        {NUMBERED("1001") NUMBERED("1000"), "MINE: the name is taken"},
        {STRUCT("INTERFACE", "1000", FIELDS, LEVELS, ""), "INTERFACE: the name is taken"},
        {STRUCT("mine", "1000", FIELDS, LEVELS, ""), "mine: expected a name in capital letters, without DML_"},
        {STRUCT("DML_MINE", "1000", FIELDS, LEVELS, ""), "DML_MINE: expected a name in capital letters, without DML_"},
        {WITH_FIELDS("nil"), "MINE: expected 1 to 32 fields, found 0"},
        {WITH_FIELDS("1"), "struct \"MINE\": fields: expected a table"},
        {WITH_FIELDS("{ 1 }"), "struct \"MINE\": fields: entry 1: expected { \"kind\", \"name\" }"},
        {WITH_FIELDS("{ { \"input\", \"A\" } }"), "MINE: fields: expected an output"},
        {WITH_FIELD("{ \"tensor\", \"C\" }"), "MINE: C: 'tensor' is not a kind of field"},
        {WITH_FIELD("{ \"uint\", \"A\" }"), "MINE: fields: A occurs twice"},
        {WITH_FIELD("{ \"uint\", \"A B\" }"), "MINE: fields: 'A B' is not a name of a member in C"},
        {WITH_FIELD("{ \"uint\", \"C\", optionl = true }"), "struct \"MINE\": fields: C: unknown key 'optionl'"},
        {WITH_FIELD("{ \"uint\", \"C\", optional = true }"), "MINE: C: a field of kind uint needs no optional"},
        {WITH_FIELD("{ \"scale_bias\", \"C\", optional = \"9_9\" }"),
         "MINE: C: a field of kind scale_bias needs as optional true or a feature level"},
        {WITH_FIELD("{ \"uints\", \"C\", count = \"D\" }, { \"uint\", \"D\" }"),
         "MINE: C: a field of kind uints needs the count of elements, a uint field before it"},
        {WITH_FIELD("{ \"enum\", \"C\", type = \"ANY\" }"),
         "MINE: C: a field of kind enum needs a type that is in enums"},
        {WITH_FIELD("{ \"input\", \"C\", like = \"B\" }"),
         "struct \"MINE\": fields: C: like: expected a tensor that is not like another one"},
        {WITH_LEVELS("{}"), "MINE: levels: expected { { \"1_0\", TENSOR = "},
        {WITH_LEVELS("{ { \"1_7\", A = { { \"FLOAT32\" }, 1, 8 } } }"),
         "MINE: levels: expected feature levels such as"},
        {WITH_LEVELS("{ { \"2_0\", A = { { \"INT8\" }, 1 } }, { \"1_0\", A = { { \"INT8\" }, 1 } } }"),
         "MINE: levels: expected feature levels such as \"1_0\", ascending"},
        {WITH_LEVELS("{ { \"1_0\" } }"),
         "struct \"MINE\": levels: 1_0: A: expected { { \"FLOAT32\", … }, lowest count"},
        {WITH_LEVELS("{ { \"1_0\", A = { { \"FLOAT\" }, 1 } } }"), "struct \"MINE\": levels: 1_0: A: expected"},
        {WITH_LEVELS("{ { \"1_0\", A = { { \"INT8\" }, 1 }, B = { { \"INT8\" }, 1 } } }"),
         "struct \"MINE\": levels: 1_0: 'B' is no tensor without like"},
        {WITH_LEVELS("{ { \"1_0\", A = { { \"INT8\" }, 1 }, where = { A = { \"X\" } } } }"),
         "struct \"MINE\": where: expected { ENUM = { \"CONSTANT\", … } }, an enumeration of the struct"},
        {WITH("same = { { \"Sizes\", \"A\" } }"), "struct \"MINE\": same: expected { \"DataType+"},
        {WITH("same = { { \"Size\", \"A\", \"B\" } }"), "struct \"MINE\": same: expected { \"DataType+"},
        {WITH("same = { { \"Sizes\", \"A\", \"C\" } }"), "struct \"MINE\": same: expected { \"DataType+"},
        {WITH("same = { { \"Sizes\", \"A\", \"B\", from = 1 } }"), "struct \"MINE\": same: unknown key 'from'"},
        {WITH("in_place = { \"B\" }"), "MINE: in_place: no input is named 'B'"},
        {WITH("beyond = {}"), "struct \"MINE\": unknown key 'beyond'"},
        {WITH("enums = { A_B = {} }"), "A_B: expected constants"},
        {WITH("enums = { A_B = { { \"X\", 32 } } }"), "A_B: X: expected a value from 0 to 31"},
        {WITH("enums = { [\"A-B\"] = { { \"X\", 1 } } }"), "enums: A-B: expected names in C, without DML_"},
        {WITH("enums = { DML_B = { { \"X\", 1 } } }"), "enums: DML_B: expected names in C, without DML_"},
        {WITH("enums = { A_B = { { \"X\", 1 } } }")
             STRUCT("ELSE", "1001", FIELDS, LEVELS, ", enums = { A_B = { { \"X\", 1 } } }"),
         "enums: A_B is there already"},
        {NUMBERED("1000") "return operator \"MINE\" { parameters = {}, rules = {} }\n",
         "results: expected a formula for B: nothing else says what it must be"},
        {"operator \"MINE\" { parameters = {}, rules = {} }\n",
         "operator \"MINE\": 'MINE' is not in the catalogue; one of your own needs a struct \"MINE\" { … } before it"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct error error;
        bool loaded = own_load(mistakes[i].text, &error);
        const char *line = strstr(error.text, "/mine.lua:"), *said = line ? strchr(line, ' ') : NULL;
        ok(!loaded && said && strncmp(said + 1, mistakes[i].message, strlen(mistakes[i].message)) == 0 &&
               !strchr(error.text, '\n'),
           "a mistake: %s", mistakes[i].message);
        if (!said || strncmp(said + 1, mistakes[i].message, strlen(mistakes[i].message)) != 0)
            printf("# said: %s\n", loaded ? "nothing" : error.text);
        if (loaded)
            spec_set_free(&set);
    }
}

/* ---- a stranger's compiled specs */

static struct catalogue_entry *own_entry(uint32_t type)
{
    for (int i = 0; i < set.catalogue->count; i++)
        if ((uint32_t)set.catalogue->operators[i].layout.type == type)
            return &set.catalogue->operators[i];
    exit(3);
}

static struct spec_field *own_field(int at)
{
    return &own_entry(2000)->layout.fields[at];
}

static const char *own_text(const char *text)
{
    return pool_string(&set.pool, text);
}

static void damage_low_number(void)
{
    own_entry(1000)->layout.type = (DML_OPERATOR_TYPE)999;
}
static void damage_documented_number(void)
{
    own_entry(1000)->layout.type = DML_OPERATOR_GATHER;
}
static void damage_high_number(void)
{
    own_entry(2000)->layout.type = (DML_OPERATOR_TYPE)0x80000000u;
}
static void damage_same_number(void)
{
    own_entry(1000)->layout.type = (DML_OPERATOR_TYPE)2000;
}
static void damage_order(void)
{
    own_entry(1000)->layout.type = (DML_OPERATOR_TYPE)3000;
}
static void damage_documented_name(void)
{
    own_entry(1000)->layout.name = own_text("GATHER");
}
static void damage_same_name(void)
{
    own_entry(1000)->layout.name = own_text("EVERY_KIND");
}
static void damage_injected_name(void)
{
    own_entry(1000)->layout.name = own_text("X;Y");
}
static void damage_name_elsewhere(void)
{
    own_entry(1000)->layout.name = "OTHER";
}
static void damage_own_struct_name(void)
{
    own_entry(1000)->layout.struct_name = own_text("ELSE");
}
static void damage_documented_count(void)
{
    set.catalogue->documented = -1;
}
static void damage_all_documented(void)
{
    set.catalogue->documented = set.catalogue->count;
}
static void damage_past_documented(void)
{
    set.catalogue->documented = set.catalogue->count + 1;
}
static void damage_member_kind(void)
{
    own_field(8)->kind = FIELD_KINDS;
}
static void damage_other_kind(void)
{
    own_field(8)->kind = FIELD_UINTS;
}
static void damage_member_offset(void)
{
    own_field(8)->offset += 4;
}
static void damage_far_offset(void)
{
    own_field(19)->offset = UINT16_MAX;
}
static void damage_member_name(void)
{
    own_field(8)->name = own_text("Factor[1]");
}
static void damage_member_twice(void)
{
    own_field(8)->name = own_text("Shift");
}
static void damage_member_count(void)
{
    own_entry(2000)->layout.field_count = OPDESC_MAX_FIELDS + 1;
}
static void damage_no_member(void)
{
    own_entry(2000)->layout.field_count = 0;
}
static void damage_array_count(void)
{
    own_field(11)->count_field = 12;
}
static void damage_scalar_type(void)
{
    own_field(15)->typed_by = 16;
}
static void damage_constants_elsewhere(void)
{
    static struct spec_enum elsewhere = {.count = 1};
    own_field(9)->constants = &elsewhere;
}
static void damage_constant_value(void)
{
    for (int i = 0; i < set.catalogue->enum_count; i++)
        if (&set.catalogue->enums[i] == own_field(9)->constants)
            set.catalogue->enums[i].constants[0].value = 32;
}
static void damage_in_place(void)
{
    own_entry(2000)->in_place = 1u << 4;
}
static void damage_own_levels(void)
{
    own_entry(2000)->level_count = SPEC_MAX_LEVELS + 1;
}
static void damage_spec_type(void)
{
    set.specs[spec_set_find(&set, "OTHER")].type = (DML_OPERATOR_TYPE)1001;
}
static void damage_spec_name(void)
{
    set.specs[spec_set_find(&set, "OTHER")].name = own_text("OTHERS");
}

static void test_damaged_structs(void)
{
    static const struct {
        const char *what;
        void (*damage)(void);
    } kinds[] = {
        {"a number below 1000", damage_low_number},
        {"a documented number", damage_documented_number},
        {"a number beyond the highest", damage_high_number},
        {"a number that another one has", damage_same_number},
        {"numbers that do not ascend", damage_order},
        {"a documented name", damage_documented_name},
        {"a name that another one has", damage_same_name},
        {"a name that is more than a name", damage_injected_name},
        {"a name elsewhere", damage_name_elsewhere},
        {"the name of the struct", damage_own_struct_name},
        {"fewer documented operators than none", damage_documented_count},
        {"own operators that count as documented", damage_all_documented},
        {"more documented operators than there are", damage_past_documented},
        {"a kind that is none", damage_member_kind},
        {"another kind", damage_other_kind},
        {"an offset within another member", damage_member_offset},
        {"an offset beyond the struct", damage_far_offset},
        {"a member's name that is more than a name", damage_member_name},
        {"two members of one name", damage_member_twice},
        {"too many members", damage_member_count},
        {"no member", damage_no_member},
        {"a count that comes later", damage_array_count},
        {"a type that comes later", damage_scalar_type},
        {"constants elsewhere", damage_constants_elsewhere},
        {"a constant beyond 31", damage_constant_value},
        {"an output to be in place", damage_in_place},
        {"too many levels", damage_own_levels},
        {"a spec with a number of no operator", damage_spec_type},
        {"a spec with another name", damage_spec_name},
    };
    char image[PATH_MAX];
    struct error error;
    snprintf(image, sizeof image, "%s/compiled", folder.path);
    for (size_t i = 0; i <= sizeof kinds / sizeof *kinds; i++) {
        if (!ok(own_load(every_kind, &error) && spec_set_is_sound(&set), "specs are loaded apart %s", error.text))
            return;
        bool whole = i == sizeof kinds / sizeof *kinds;
        if (!whole)
            kinds[i].damage();
        ok(whole || !spec_set_is_sound(&set), "  and found to be damaged: %s", whole ? "not at all" : kinds[i].what);
        struct spec_set read;
        bool written = spec_image_write(&set, image, &error) == 0;
        spec_set_free(&set);
        bool good = spec_image_read(&read, folder.path, image);
        ok(written && good == whole, whole ? "  a file of whole specs is read" : "  a file of them is refused");
        if (good)
            spec_set_free(&read);
    }
}

int main(void)
{
    spec_folder_make(&folder);
    test_layout();
    test_mistakes();
    test_damaged_structs();
    spec_folder_remove(&folder);
    return tap_done();
}
