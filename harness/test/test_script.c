/* Scripts: the contents of the sandbox, its limits, and messages for wrong files: one line that names the file and, if
 * known, the line. */
#include "harness/plan/plan.h"
#include "harness/load/load.h"
#include "tools/tap.h"

#include <lauxlib.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/assay-script-XXXXXX";

static const char *test_script_path_of(const char *name)
{
    static char path[4][256];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static const char *write_bytes(const char *name, const void *bytes, size_t size)
{
    const char *path = test_script_path_of(name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        exit(3);
    return path;
}

static const char *test_script_write_text(const char *name, const char *text)
{
    return write_bytes(name, text, strlen(text));
}

static bool is_one_line(const char *text)
{
    return *text && !strchr(text, '\n');
}

/* Runs the text as a file with no words but the sandbox's; the message, or "" if all is well, stays until the next. */
static const char *run_text(const char *text)
{
    static struct error error;
    struct script *script = script_new();
    error = (struct error){0};
    lua_newtable(script_state(script));
    if (script_file(script, test_script_write_text("a.lua", text), &error) == 0)
        lua_pop(script_state(script), 1);
    script_free(script);
    return error.text;
}

/* Checks that the text fails with a message that begins with the file's path, then `line`, and holds `says`. */
static void test_script_fails(const char *what, const char *text, const char *line, const char *says)
{
    const char *message = run_text(text);
    size_t length = strlen(test_script_path_of("a.lua"));
    ok(is_one_line(message) && strncmp(message, test_script_path_of("a.lua"), length) == 0 &&
           strncmp(message + length, line, strlen(line)) == 0 && strstr(message, says),
       "%s: %s", what, message);
}

static void test_script_limits(void)
{
    test_script_fails("an endless loop", "local x\nwhile true do end", ":2: ", "endless loop");
    test_script_fails("a memory bomb", "local t = {}\nfor i = 1, 1e9 do t[i] = i end", "", "MiB of memory");
    test_script_fails("a string bomb", "local s = string.rep('x', 1 << 40)", ":1: ", "too large");
    test_script_fails("a smaller string bomb", "local s = string.rep('x', 1 << 29)", ": ", "MiB of memory");
    test_script_fails("a string bomb by a method", "local s = 'x' while true do s = s .. s:rep(2) end", "",
                      "MiB of memory");
    test_script_fails("much memory again and again",
                      "local k = ('x'):rep(1 << 10) while true do local s = k:rep(10 << 10) end", ": ", "memory");
    ok(!*run_text("assert(string.rep('', 1 << 60) == '' and ('ab'):rep(2, '-') == 'ab-ab') return 1"),
       "nothing, however often, takes no time");
    test_script_fails("endless recursion", "local function f() return 1 + f() end\nf()", ":1: ", "stack overflow");
}

static void test_wrong_files(void)
{
    struct error error = {0};
    struct script *script = script_new();
    char bytecode[64];
    lua_newtable(script_state(script));
    test_script_fails("bytecode", "\033LuaT\0\x19\x93\r\n", "", "binary chunk");
    test_script_fails("a syntax error", "local a = 1\nlocal = 2", ":2: ", "near");
    test_script_fails("an unknown word", "local a = 1\nreturn nothing()", ":2: ", "nothing");
    test_script_fails("an error without a place", "error('bad\\nthing', 0)", ": bad", "thing");
    test_script_fails("an error that is not a string", "error({})", ": ", "without a message");
    test_script_fails("an error that is a number", "error(7)", ": ", "7");
    test_script_fails("control characters", "error('\\27[31mred\\r')", ":1: ", "red");
    ok(!strchr(run_text("error('\\27[31mred')"), '\033'), "escapes are made visible");
    ok(script_file(script, test_script_path_of("missing.lua"), &error) && is_one_line(error.text) &&
           strstr(error.text, "missing.lua") && strstr(error.text, "No such file"),
       "a missing file: %s", error.text);
    error = (struct error){0};
    mkdir(test_script_path_of("folder.lua"), 0700);
    ok(script_file(script, test_script_path_of("folder.lua"), &error) && is_one_line(error.text) &&
           strstr(error.text, "folder.lua"),
       "a folder: %s", error.text);
    rmdir(test_script_path_of("folder.lua"));
    error = (struct error){0};
    memset(bytecode, 0, sizeof bytecode);
    ok(script_file(script, write_bytes("a.lua", bytecode, sizeof bytecode), &error) && is_one_line(error.text),
       "zeros: %s", error.text);
    ok(lua_gettop(script_state(script)) == 1, "errors leave the stack as it was");
    script_free(script);
}

static void test_sandbox(void)
{
    static const char *const absent[] = {
        "io",           "os",          "debug",          "load",         "loadfile",    "dofile",
        "require",      "package",     "pcall",          "xpcall",       "coroutine",   "setmetatable",
        "getmetatable", "rawset",      "rawget",         "rawequal",     "_G",          "next",
        "print",        "warn",        "collectgarbage", "utf8",         "math.random", "math.randomseed",
        "string.find",  "string.gsub", "string.gmatch",  "string.match", "string.dump", "('').find",
        "('').gsub",    "('').match",
    };
    char text[256];
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) {
        snprintf(text, sizeof text, "return assert(%s == nil)", absent[i]);
        ok(!*run_text(text), "there is no %s", absent[i]);
    }
    ok(!*run_text("local t, out = { b = 1, a = 2, [3] = 3, [1.5] = 4, [true] = 5, 6 }, ''\n"
                  "for k, v in pairs(t) do out = out .. tostring(k) .. '=' .. v .. ' ' end\n"
                  "assert(out == 'true=5 1=6 1.5=4 3=3 a=2 b=1 ', out) return 1"),
       "pairs goes by type and value");
    ok(!*run_text("assert(tostring({}) == 'table' and tostring(print) == 'nil' and tostring(tostring) == 'function')\n"
                  "assert(string.format('%s %s %d', {}, nil, 3) == 'table nil 3') return 1"),
       "no addresses are shown");
    test_script_fails("keys without an order", "for k in pairs { [{}] = 1 } do end", ":1: ", "keys must be");
}

/* One state, two files: the second must not see the names that the first defined. */
static void test_isolation(void)
{
    static const char vandal[] = "string.rep, table.concat, math.pi, assert, pairs = nil, nil, 3, nil, nil\n"
                                 "leak = 1\nwords.list.inner[1] = 'changed'\nwords.list = nil\nreturn 1";
    static const char victim[] = "assert(('x'):rep(2) == 'xx' and string.rep('x', 2) == 'xx' and math.pi > 3.1)\n"
                                 "assert(table.concat { 'a' } == 'a' and pairs and leak == nil)\n"
                                 "assert(words.list.inner[1] == 'original')\nreturn 1";
    struct error error = {0};
    struct script *script = script_new();
    lua_State *L = script_state(script);
    if (luaL_dostring(L, "return { words = { list = { inner = { 'original' } } } }"))
        exit(3);
    int first = script_file(script, test_script_write_text("a.lua", vandal), &error);
    lua_settop(L, 1);
    int second = first ? 1 : script_file(script, test_script_write_text("b.lua", victim), &error);
    ok(first == 0 && second == 0, "the next file does not see a change of %s", error.text);
    script_free(script);
    unlink(test_script_path_of("b.lua"));
}

/* ---- specs */

static const char head[] = "return operator \"GATHER\" { parameters = {}, rules = {";

/* Loads a folder with one operator file of that text and, if not null, a tensor.lua. */
static const char *load_text(const char *text, const char *tensor)
{
    static struct error error;
    struct spec_set set;
    error = (struct error){0};
    test_script_write_text("a.lua", text);
    if (tensor)
        test_script_write_text("tensor.lua", tensor);
    if (spec_set_load(&set, folder, &error) == 0)
        spec_set_free(&set);
    unlink(test_script_path_of("tensor.lua"));
    return error.text;
}

static void test_script_refuses(const char *what, const char *text, const char *says)
{
    const char *message = load_text(text, NULL);
    ok(is_one_line(message) &&
           strncmp(message, test_script_path_of("a.lua:"), strlen(test_script_path_of("a.lua:"))) == 0 &&
           strstr(message, says),
       "%s: %s", what, message);
}

/* The same with one rule after the usual head. */
static void refuses_rule(const char *what, const char *rule, const char *says)
{
    char text[2048];
    snprintf(text, sizeof text, "local loop = attr 'Axis' + 1\n%s\n%s } }", head, rule);
    test_script_refuses(what, text, says);
}

static void refuses_key(const char *what, const char *key, const char *says)
{
    char text[2048];
    snprintf(text, sizeof text, "%s }, %s }", head, key);
    test_script_refuses(what, text, says);
}

static void test_spec_rules(void)
{
    refuses_rule("a rule twice", "rule \"a\" { below(attr \"Axis\", 4) }, rule \"a\" { below(attr \"Axis\", 4) }",
                 "twice");
    refuses_rule("an unknown field", "rule \"a\" { below(attr \"Axes\", 4) }", "'Axes'");
    refuses_rule("a tensor as attribute", "rule \"a\" { below(attr \"InputTensor\", 4) }", "is not a number");
    refuses_rule("an attribute as tensor", "rule \"a\" { below(dims \"Axis\", 4) }", "is not a tensor");
    refuses_rule("no name of a field", "rule \"a\" { below(attr(7), 4) }", "expected string");
    refuses_rule("a table as number", "rule \"a\" { below({}, 4) }", "expected a number");
    refuses_rule("a list as number", "rule \"a\" { below(size(\"InputTensor\", sizes \"InputTensor\"), 4) }",
                 "expected a number");
    refuses_rule("a number as list", "rule \"a\" { each(dims \"InputTensor\", 1, 1) }", "expected a list");
    refuses_rule("a fraction", "rule \"a\" { below(attr \"Axis\", 1.5) }", "only FLOATs");
    refuses_rule("a number as rule", "7", "rules must be made by rule");
    refuses_rule("an atom as rule", "below(attr \"Axis\", 4)", "rules must be made by rule");
    refuses_rule("a rule of numbers", "rule \"a\" { 7 }", "expected conditions");
    refuses_rule("a rule of rules", "rule \"a\" { rule \"b\" { below(attr \"Axis\", 4) } }", "expected conditions");
    refuses_rule("a rule of nothing", "rule \"a\" { }", "expected text or conditions");
    refuses_rule("an unknown key", "rule \"a\" { below(attr \"Axis\", 4), strenght = \"soft\" }", "strenght");
    refuses_rule("an unknown strength", "rule \"a\" { below(attr \"Axis\", 4), strength = \"weak\" }", "weak");
    refuses_rule("an unknown level", "rule \"a\" { below(attr \"Axis\", 4), from = \"3_5\" }", "3_5");
    refuses_rule("no body", "rule \"a\"", "rules must be made by rule");
    refuses_rule("a number as body", "rule \"a\" (7)", "expected a table");
    refuses_rule("no name", "rule {} {}", "expected string");
    refuses_rule("an empty set", "rule \"a\" { one_of(attr \"Axis\", {}) }", "");
    refuses_rule("same of one", "rule \"a\" { same(\"DataType\", \"InputTensor\") }", "at least two");
    refuses_rule("same of something else", "rule \"a\" { same(\"Colour\", \"InputTensor\", \"OutputTensor\") }",
                 "Colour");
    refuses_rule("same of what the catalogue does not list", "rule \"a\" { same \"Sizes\" }", "lists no tensors");
    refuses_rule("when of numbers", "rule \"a\" { when(1, 2) }", "expected conditions");
    refuses_rule("arithmetic with a table", "rule \"a\" { below(sizes \"InputTensor\" + {}, 4) }", "expected a number");
}

/* Returns the message of a spec with a rule of so many different conditions. */
static const char *of_conditions(int count)
{
    char text[2048];
    snprintf(text, sizeof text,
             "local many = { text = \"many\" } for i = 1, %d do many[i] = at_most(attr \"Axis\", i) end\n%s\n"
             "rule \"a\" (many) } }",
             count, head);
    return load_text(text, NULL);
}

static void test_many(void)
{
    const char *message = of_conditions(900);
    ok(!*message, "900 conditions with as many expressions: %s", message);
    ok(strstr(of_conditions(1100), "more than 1024 ") != NULL, "1,100 are too many");
}

/* "same" without a tensor means those of the operator. */
static void test_same_of_whom(void)
{
    char text[2048];
    snprintf(text, sizeof text, "local early = same \"DataType\"\n%s\nrule \"a\" { early } } }", head);
    test_script_refuses("same before an operator", text, "outside of operator");
    snprintf(text, sizeof text,
             "local first = %s\nrule \"a\" { same \"DataType\" } } }\n"
             "return first, same \"DataType\"",
             strstr(head, "operator"));
    test_script_refuses("same after an operator", text, "outside of operator");
}

/* Words return tables, which a file can change before they are compiled. */
static void test_mutilated(void)
{
    static const struct {
        const char *what, *code;
    } cases[] = {
        {"an expression tied to itself", "loop.a = loop return rule 'a' { below(loop, 4) }"},
        {"an expression without operands", "loop.a = nil return rule 'a' { below(loop, 4) }"},
        {"an expression of no kind", "loop.op = 'nothing' return rule 'a' { below(loop, 4) }"},
        {"a kind that is a number", "loop.op = 7 return rule 'a' { below(loop, 4) }"},
        {"a kind that is a table", "loop.op = {} return rule 'a' { below(loop, 4) }"},
        {"a number made a list", "loop.op = 'concat' return rule 'a' { below(loop, 4) }"},
        {"an operand that is text", "loop.b = 'text' return rule 'a' { below(loop, 4) }"},
        {"a size without index", "local s = size('InputTensor', 0) s.a = nil return rule 'a' { below(s, 4) }"},
        {"a condition on itself", "local c = below(loop, 4) c.when = c return rule 'a' { c }"},
        {"a condition without subject", "local c = below(loop, 4) c.x = nil return rule 'a' { c }"},
        {"a condition of no kind", "local c = below(loop, 4) c.kind = 'odd' return rule 'a' { c }"},
        {"a condition of another kind", "local c = below(loop, 4) c.kind = 'equal' return rule 'a' { c }"},
        {"a condition without bound",
         "local c = each(sizes 'InputTensor', 1, 1) c.low, c.high = nil return rule 'a' { c }"},
        {"a rule without name", "local r = rule 'a' { below(loop, 4) } r.id = nil r.text = {} return r"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(text, sizeof text, "local loop = attr 'Axis' + 1\n%s\n(function() %s end)() } }", head, cases[i].code);
        test_script_refuses(cases[i].what, text, "");
    }
}

static void test_spec_keys(void)
{
    refuses_key("an unknown key", "rulez = {}", "rulez");
    refuses_key("behaviours that are none", "behaviours = { 7 }", "not made by behaviour");
    refuses_key("indices that are none", "indices = { 7 }", "not made by index");
    refuses_key("an index of an output", "indices = { index \"OutputTensor\" { into = sizes \"InputTensor\" } }",
                "not an input");
    refuses_key("an index into nothing", "indices = { index \"InputTensor\" { } }", "into");
    refuses_key("grids that are none", "grids = { 7 }", "not made by grid");
    refuses_key("a grid of an output", "grids = { grid \"OutputTensor\" { } }", "not an input");
    refuses_key("a grid without its ends", "grids = { grid \"InputTensor\" { } }", "from, to and parts");
    refuses_key("an index into a number", "indices = { index \"InputTensor\" { into = dims \"InputTensor\" } }",
                "expected a list");
    refuses_key("rows of an attribute", "rows = rows \"Axis\" { count = \"OutputTensor\" }", "rows");
    refuses_key("rows without count", "rows = rows \"OutputTensor\" { }", "rows");
    refuses_key("sparse with an unknown field", "sparse = { \"Nothing\" }", "sparse");
    refuses_key("sparse of an attribute", "sparse = { \"Axis\" }", "sparse");
    refuses_key("rules again", "rules = 7", "expected a table 'rules'");
    refuses_key("fields, which the catalogue has", "fields = {}", "unknown key 'fields'");
    refuses_key("a level that is too new", "levels = { [\"6_4\"] = { page = \"a\" } }", "no table of level 6_4");
    refuses_key("an unknown level", "levels = { [\"1_5\"] = { page = \"a\" } }", "no table of level 1_5");
    refuses_key("a level that is a number", "levels = { [\"1_0\"] = 4 }", "expected a table");
    refuses_key("levels in a list", "levels = { { page = \"a\" } }", "no table of level 1");
    refuses_key("levels of text", "levels = \"1_0\"", "expected a table");
    refuses_key("a level with types", "levels = { [\"1_0\"] = { data = { \"FLOAT32\" } } }", "'data'");
    refuses_key("groups that are numbers", "groups = { 7 }", "expected names");
    refuses_key("more groups than there are", "groups = { \"a\", \"b\", \"c\" }", "makes only 2");
    refuses_key("a parameter that is a number", "parameters = { 7 }", "expected pairs");
    refuses_key("a parameter of text", "parameters = { { \"d\", \"Axis\" } }", "expected an expression");
    refuses_key("a soft behaviour with any value",
                "results = { result \"OutputTensor\" { 1 } }, behaviours = { behaviour \"b\" { strength = \"soft\", "
                "text = \"x\", ruling = \"A1\", when = 1, gives = \"anything\" } }",
                "only open behaviours");
    refuses_key("a parameter that cannot be set", "parameters = { { \"d\", elements \"InputTensor\" } }",
                "expected a field");
}

/* A catalogue of the one operator number 1, with these members. */
static void refuses_catalogue(const char *what, const char *members, const char *says)
{
    char text[1024];
    snprintf(text, sizeof text, "return { enums = { E = { { \"A\", 0 } } }, operators = { { %s } } }", members);
    unlink(test_script_path_of("catalogue.lua"));
    test_script_write_text("catalogue.lua", text);
    const char *message = load_text("return 7", NULL);
    ok(is_one_line(message) && strstr(message, "catalogue.lua: ") && strstr(message, says), "%s: %s", what, message);
}

#define FIRST "name = \"ELEMENT_WISE_IDENTITY\", since = \"1_0\", levels = { { \"1_0\" } }, "
static void test_script_catalogue(void)
{
    refuses_catalogue("an operator of nothing", "", "operator 1: expected { name");
    refuses_catalogue("an operator out of place", "name = \"GATHER\", since = \"1_0\", levels = { { \"1_0\" } }",
                      "GATHER: expected operator 1");
    refuses_catalogue("a level that is none", "name = \"ELEMENT_WISE_IDENTITY\", since = \"9_9\"",
                      "a level that introduced");
    refuses_catalogue("no fields", FIRST, "expected 1 to 32 fields, found 0");
    refuses_catalogue("a field that is none", FIRST "fields = { 7 }", "expected fields {");
    refuses_catalogue("a field without a name", FIRST "fields = { { \"uint\" } }", "expected fields {");
    refuses_catalogue("an unknown kind", FIRST "fields = { { \"complex\", \"A\" } }", "A: 'complex' is not a kind");
    refuses_catalogue("an array without a count", FIRST "fields = { { \"uints\", \"A\" } }", "needs the count");
    refuses_catalogue("a count that comes later",
                      FIRST "fields = { { \"uints\", \"A\", count = \"N\" }, { \"uint\", \"N\" } }", "needs the count");
    refuses_catalogue("a count of a number",
                      FIRST "fields = { { \"uint\", \"N\" }, { \"uint\", \"A\", count = \"N\" } }", "needs");
    refuses_catalogue("a scalar without a type", FIRST "fields = { { \"scalar\", \"A\" } }", "typed_by");
    refuses_catalogue("an unknown enumeration", FIRST "fields = { { \"enum\", \"A\", type = \"F\" } }", "in enums");
    unlink(test_script_path_of("catalogue.lua"));
    const char *message = load_text("return 7", NULL);
    ok(is_one_line(message) && strstr(message, "catalogue.lua: No such file"), "no catalogue: %s", message);
    unlink(test_script_path_of("a.lua"));
    struct error error = {0};
    struct spec_set set;
    ok(spec_set_load(&set, folder, &error) && is_one_line(error.text) && strstr(error.text, folder),
       "an empty folder: %s", error.text);
}

static void test_spec_files(void)
{
    char text[2048];
    struct spec_set set;
    struct error error = {0};
    test_script_refuses("nothing", "", "expected the file to return operator");
    test_script_refuses("a number", "return 7", "expected the file to return operator");
    test_script_refuses("a rule", "return rule \"a\" { text = \"b\" }", "expected the file to return operator");
    test_script_refuses("an undocumented operator", "return operator \"GATHERING\" { rules = {}, parameters = {} }",
                        "is not in the catalogue");
    test_script_refuses("an operator without a body", "return operator \"GATHER\"",
                        "expected the file to return operator");
    test_script_refuses("an operator of a number", "return operator \"GATHER\" (7)", "expected a table");
    test_script_refuses("an operator of nothing", "return operator \"GATHER\" {}", "expected a table 'rules'");
    test_script_refuses("tensor rules in an operator's file", "return tensor_rules {}",
                        "expected the file to return operator");
    snprintf(text, sizeof text, "%s } }", head);
    ok(!*load_text(text, NULL), "the head that the others have is right: %s", load_text(text, NULL));
    const char *message = load_text(text, "return 7");
    ok(is_one_line(message) && strstr(message, "tensor.lua:1:"), "tensor.lua without rules: %s", message);
    message = load_text(text, "return tensor_rules { rule \"a\" { 7 } }");
    ok(is_one_line(message) && strstr(message, "tensor.lua:1:"), "tensor rules that are no functions: %s", message);
    message = load_text(text, "return tensor_rules { rule \"a\" { function(T) return 7 end } }");
    ok(is_one_line(message) && strstr(message, "tensor.lua:1:"), "tensor rules that make no conditions: %s", message);
    message = load_text(text, "return tensor_rules(7)");
    ok(is_one_line(message) && strstr(message, "tensor.lua:"), "tensor rules that are a number: %s", message);
    test_script_write_text("a.lua", text);
    test_script_write_text("b.lua", text);
    ok(spec_set_load(&set, folder, &error) && is_one_line(error.text) && strstr(error.text, "b.lua:1:") &&
           strstr(error.text, "a.lua"),
       "an operator in two files: %s", error.text);
    unlink(test_script_path_of("b.lua"));
    unlink(test_script_path_of("a.lua"));
    error = (struct error){0};
    ok(spec_set_load(&set, test_script_path_of("nowhere"), &error) && is_one_line(error.text) &&
           strstr(error.text, "nowhere"),
       "no folder: %s", error.text);
}

/* A file in /proc does not say how large it is. */
static void test_unknown_size(void)
{
    struct error error = {0};
    uint64_t hash = 1, again = 1;
    char text[4096];
    FILE *file = fopen("/proc/self/cmdline", "rb");
    size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    write_bytes("a.lua", text, size);
    ok(script_hash_file("/proc/self/cmdline", &hash, &error) == 0 &&
           script_hash_file(test_script_path_of("a.lua"), &again, &error) == 0 && hash == again && size > 1,
       "a file of unknown size is read to its end %s", error.text);
}

static char *change_if_marked(void *context, const char *source)
{
    return strstr(source, context) ? strdup("return 7") : NULL;
}

static void test_changed_sources(void)
{
    static const char *const sources[] = {"return 3 -- marked", "return 3"};
    static const lua_Integer results[] = {7, 3};
    char mark[] = "marked";
    for (int i = 0; i < 2; i++) {
        struct error error = {0};
        struct script *script = script_new();
        script_set_change(script, change_if_marked, mark);
        lua_newtable(script_state(script));
        ok(script_file(script, test_script_write_text("a.lua", sources[i]), &error) == 0 &&
               lua_tointeger(script_state(script), -1) == results[i],
           "a source that a change %s gives %d", i ? "leaves as it is" : "replaces", (int)results[i]);
        script_free(script);
    }
}

int main(void)
{
    char catalogue[PATH_MAX];
    if (!mkdtemp(folder))
        return 3;
    test_script_limits();
    test_wrong_files();
    test_sandbox();
    test_isolation();
    test_unknown_size();
    test_changed_sources();
    if (!realpath("specs/catalogue.lua", catalogue) || symlink(catalogue, test_script_path_of("catalogue.lua")))
        return 3;
    test_spec_rules();
    test_many();
    test_same_of_whom();
    test_mutilated();
    test_spec_keys();
    test_spec_files();
    test_script_catalogue();
    unlink(test_script_path_of("a.lua"));
    ok(rmdir(folder) == 0, "nothing is left behind");
    return tap_done();
}
