/* test_specialise.c: specialization constants are set, and the code that they switch off is gone; all other code stays.
 * SPIRV-Tools assemble the test's shader, and check every shader of the Vulkan device. */
#include "device/test/random.h"
#include "device/vulkan/specialise.h"
#include "tools/tap.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MAX = 1 << 16, TEXT_MAX = 1 << 20, CONSTANTS = 15 };

static const char shader[] =
    "#version 450\n"
    "layout(local_size_x_id = 0) in;\n"
    "layout(constant_id = 1) const uint KIND = 0u;\n"
    "layout(constant_id = 2) const bool WIDE = false;\n"
    "layout(constant_id = 3) const float SCALE = 1.0;\n"
    "layout(constant_id = 4) const double LONG = 1.0lf;\n"
    "layout(constant_id = 9) const int REST = 5;\n"
    "layout(std430, set = 0, binding = 0) buffer data { float x[]; };\n"
    "float rare(float a) { precise float b = a * 11.0 + 12.0; return b; }\n"
    "float other(float a) { x[0] = a; return a * 27.0; }\n"
    "uint kind_of(uint type) { uint kind = 2u; if (type == 7u) return 1u; return kind; }\n"
    "float typed(uint kind, float a) { if (kind == 1u) return a * 28.0; return a * 29.0; }\n"
    "float both(uint kind, float a) { if (kind == 1u) return a * 30.0; return a; }\n"
    "void change(inout uint kind) { kind = 1u; }\n"
    "float often(float a) { return KIND == 3u ? a * 13.0 : rare(a); }\n"
    "void main() {\n"
    "  uint i = gl_GlobalInvocationID.x;\n"
    "  float a = x[i];\n"
    "  if (KIND == 7u && WIDE) a = rare(a);\n"
    "  else if (KIND > 20u) { x[i] = a + 14.0; return; }\n"
    "  if (WIDE || other(a) > 15.0) a = a - 16.0;\n"
    "  if (a > 17.0 && KIND < 30u) a = a - 18.0;\n"
    "  switch (KIND) {\n"
    "  case 7u: if (a > 19.0) { if (a > 20.0) break; a = a * 21.0; } a = a * 22.0; break;\n"
    "  case 3u: a = a * 23.0; break;\n"
    "  default: a = a * 24.0;\n"
    "  }\n"
    "  for (uint j = 0u; j < KIND; j++) { if (WIDE) { a = often(a); continue; } if (a == 25.0) break; a += SCALE; }\n"
    "  if (REST == 6) a = a * 26.0;\n"
    "  uint kind = 2u;\n"
    "  a = both(1u, both(kind, typed(kind_of(KIND), a)));\n"
    "  for (uint j = 0u; j < i; j++) { if (j == 3u) a = a * 31.0; }\n"
    "  change(kind);\n"
    "  if (kind == 1u) a = a * 10.0;\n"
    "  x[i] = a + float(LONG);\n"
    "}\n";

static uint32_t code[WORDS_MAX], out[WORDS_MAX];
static char text[TEXT_MAX], folder[400];

static int run_command(const char *format, ...)
{
    char command[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    return system(command);
}

/* Reads a file into `data`. Returns its bytes. */
static size_t read_file(const char *path, void *data, size_t size)
{
    FILE *file = fopen(path, "rb");
    size_t bytes = file ? fread(data, 1, size, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

/* Specialises a file's code to FOLDER/out.spv. Returns its words, of which the file had `before`; 0 if SPIRV-Tools do
 * not take it for valid. */
static size_t specialise_file(const char *path, const uint32_t *values, uint32_t count, size_t *before)
{
    char name[500];
    size_t words = read_file(path, code, sizeof code) / sizeof *code;
    *before = words;
    words = specialise(code, words, values, count, out);
    snprintf(name, sizeof name, "%s/out.spv", folder);
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(out, sizeof *out, words, file) != words || fclose(file) != 0)
        return 0;
    return run_command("spirv-val --target-env vulkan1.2 --scalar-block-layout %s", name) == 0 ? words : 0;
}

/* Tells whether an instruction uses this number, a constant of the shader above. */
static int uses(int number)
{
    char name[40];
    size_t length = (size_t)snprintf(name, sizeof name, "%%float_%d", number);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if ((at[length] == '\n' || at[length] == ' ') && strncmp(at + length, " = OpConstant", 13) != 0)
            return 1;
    return 0;
}

/* Returns a bit for each of the numbers 10 to 31 that is used. */
static unsigned used(const uint32_t *values, uint32_t count)
{
    char path[500];
    size_t before;
    unsigned bits = 0;
    snprintf(path, sizeof path, "%s/in.spv", folder);
    if (specialise_file(path, values, count, &before) == 0)
        return 0;
    run_command("spirv-dis %s/out.spv >%s/out.txt", folder, folder);
    snprintf(path, sizeof path, "%s/out.txt", folder);
    text[read_file(path, text, sizeof text - 1)] = '\0';
    for (int i = 10; i <= 31; i++)
        bits |= (unsigned)uses(i) << i;
    return bits;
}

static unsigned all_of(const int *numbers)
{
    unsigned bits = 0;
    for (; *numbers; numbers++)
        bits |= 1u << *numbers;
    return bits;
}

static void shows(const uint32_t *values, uint32_t count, unsigned expected, const char *title)
{
    unsigned bits = used(values, count);
    if (!ok(bits == expected, "%s", title))
        note("used are %x, expected %x", bits, expected);
}

#define NUMBERS(...) all_of((const int[]){__VA_ARGS__, 0})

static void test_example(void)
{
    char path[500];
    snprintf(path, sizeof path, "%s/in.comp", folder);
    FILE *file = fopen(path, "w");
    fputs(shader, file);
    fclose(file);
    if (!ok(run_command("glslangValidator -V --quiet --target-env vulkan1.2 -o %s/in.spv %s", folder, path) == 0,
            "a shader"))
        return;
    /* Tests a constant that has no value, and parameters and variables that have several values. */
    const unsigned always = NUMBERS(26, 30, 31, 10);
    ok(used(NULL, 0) == 0xffffffffu << 10, "without values all code stays");
    const uint32_t seven[] = {64, 7, 1, 0x40000000, 5};
    shows(seven, 5, (always | NUMBERS(11, 12, 16, 17, 18, 19, 20, 21, 22, 28)), "7, wide");
    ok(strstr(text, "NoContraction") && strstr(text, "%float_2 = OpConstant"), "  with its decorations and its number");
    ok(strstr(text, "SpecId 9") && !strstr(text, "SpecId 1\n"),
       "  a constant without a value stays a specialization constant");
    ok(strstr(text, "SpecId 4") != NULL, "  and so does a number of 64 bits");
    const uint32_t three[] = {64, 3, 0, 0};
    shows(three, 4, (always | NUMBERS(15, 16, 17, 18, 23, 25, 27, 29)), "3");
    ok(!strstr(text, "NoContraction"), "  without the decorations of removed ids");
    const uint32_t other[] = {64, 1, 2, 0};
    shows(other, 3, (always | NUMBERS(11, 12, 16, 17, 18, 24, 29)), "1, wide");
    const uint32_t large[] = {64, 21, 0};
    shows(large, 3, NUMBERS(14), "code after a return is gone");
}

/* Tests every shader, with values as plans have them: small numbers. */
static void test_shaders(const char *pattern)
{
    glob_t shaders;
    int wrong = 0, larger = 0, smaller = 0;
    if (!ok(glob(pattern, 0, NULL, &shaders) == 0 && shaders.gl_pathc > 100, "there are shaders: %s", pattern))
        return;
    for (size_t i = 0; i < 2 * shaders.gl_pathc; i++) {
        uint32_t values[CONSTANTS] = {64};
        size_t before, words;
        for (int v = 1; v < CONSTANTS; v++)
            values[v] = (uint32_t)random_number() % 5 + 1;
        words = specialise_file(shaders.gl_pathv[i / 2], values, CONSTANTS, &before);
        if (words == 0 && wrong++ < 5)
            note("%s", shaders.gl_pathv[i / 2]);
        larger += words > before;
        smaller += words * 2 < before;
    }
    ok(wrong == 0, "all are valid");
    ok(larger == 0 && smaller > 0, "and none is larger, %d of %d are smaller by half", smaller,
       2 * (int)shaders.gl_pathc);
    globfree(&shaders);
}

int main(void)
{
    snprintf(folder, sizeof folder, "%s", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    test_example();
    test_shaders("build/shaders/*.spv");
    return tap_done();
}
