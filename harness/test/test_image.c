/* Compiled specs in a file: reading it gives the same as loading, and a file that is not valid is refused. */
#include "harness/load/image.h"
#include "harness/load/load_apart.h"
#include "tools/tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/assay-image-XXXXXX", image[64], copy[64];
static struct error error;

/* The files that a test changes are small ones of their own. */
static char *test_image_read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (!file || fseek(file, 0, SEEK_END) != 0 || !(text = malloc((size_t)ftell(file))))
        exit(3);
    *size = (size_t)ftell(file);
    rewind(file);
    if (fread(text, 1, *size, file) != *size)
        exit(3);
    fclose(file);
    return text;
}

static void test_image_write_file(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(text, size, 1, file) != 1 || fclose(file) != 0)
        exit(3);
}

static void test_image_run(const char *format, const char *a, const char *b)
{
    char command[256];
    snprintf(command, sizeof command, format, a, b);
    if (system(command) != 0)
        exit(3);
}

/* Returns the number of words of memory that differ. */
static size_t changed(const void *a, const void *b, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i + sizeof(uintptr_t) <= size; i += sizeof(uintptr_t))
        count += memcmp((const char *)a + i, (const char *)b + i, sizeof(uintptr_t)) != 0;
    return count;
}

/* Loads the specs, keeps them, and compares the read ones with the loaded ones. */
static void test_same(void)
{
    struct spec_set set;
    if (!ok(spec_set_load_apart(&set, "specs", &error) == 0, "specs load %s", error.text))
        exit(3);
    ok(spec_image_write(&set, image, &error) == 0, "and are kept %s", error.text);
    size_t used = set.pool.shared_used, moved = 0, levels = 0;
    int count = set.count, rulings = set.ruling_count;
    uint64_t hash = set.hash;
    char *memory = malloc(used);
    if (!memory)
        exit(3);
    memcpy(memory, set.pool.shared, used);
    spec_set_free(&set);

    test_image_run("cp -r specs %s%s", copy, "");
    ok(spec_image_read(&set, copy, image), "they are read, for the same files in another folder");
    ok(set.count == count && set.ruling_count == rulings && set.hash == hash && !set.script, "as many");
    for (int i = 0; i < set.count; i++) {
        moved += strncmp(set.specs[i].file, copy, strlen(copy)) == 0 && access(set.specs[i].file, R_OK) == 0;
        levels += (size_t)set.specs[i].level_count;
    }
    ok((int)moved == set.count, "their files are in that folder");
    size_t words = changed(memory, set.pool.shared, used);
    ok(used > 1 << 20 && words <= (size_t)count + levels,
       "nothing else differs but pointers to the program's texts: %zu words", words);
    free(memory);

    struct spec_set loaded;
    struct opdesc a, b;
    int gather = spec_set_find(&set, "GATHER");
    ok(spec_set_load(&loaded, "specs", &error) == 0 && gather >= 0 && spec_set_find(&loaded, "GATHER") == gather,
       "an operator has its place");
    spec_blank(&loaded.specs[gather], &a);
    spec_blank(&set.specs[gather], &b);
    ok(memcmp(&a, &b, a.size) == 0 && strcmp(loaded.specs[gather].rules[3].text, set.specs[gather].rules[3].text) == 0,
       "with its description and rules");
    spec_set_free(&loaded);
    spec_set_free(&set);
}

/* A second set of a process lies elsewhere: its pointers differ by the distance, and nothing else differs. */
static void test_image_elsewhere(const struct spec_set *set, const struct spec_set *other)
{
    const uintptr_t *a = (const uintptr_t *)set->pool.shared, *b = (const uintptr_t *)other->pool.shared;
    const uintptr_t distance = (uintptr_t)b - (uintptr_t)a;
    size_t pointers = 0, differ = 0;
    for (size_t i = 0; i < set->pool.shared_used / sizeof *a; i++) {
        const bool points = pool_holds(&set->pool, (const void *)a[i], 1, 1);
        pointers += points;
        differ += b[i] != a[i] + (points ? distance : 0);
    }
    ok(distance != 0 && pointers > 1000 && differ == 0, "elsewhere, with %zu pointers to its own memory: %zu differ",
       pointers, differ);
    ok(spec_find_rule(&other->specs[0], other->specs[0].rules[1].id) == 1 &&
           pool_holds_text(&other->pool, other->folder),
       "and texts");
}

/* One process takes the memory that another has read. */
static void test_taken(void)
{
    struct spec_set set, taken;
    bool read = spec_image_read(&set, "specs", image);
    int count = set.count, file = read ? dup(set.kept - 1) : -1;
    uint64_t hash = set.hash;
    ok(read && set.kept > 0 && spec_image_take(&taken, "specs", file) && taken.count == count,
       "a process takes specs that it has read");
    test_image_elsewhere(&set, &taken);
    spec_set_free(&taken);
    spec_set_free(&set);
    ok(spec_image_take(&taken, copy, file) && taken.count == count && taken.hash == hash && !taken.script,
       "specs are taken from the open file");
    ok(strcmp(taken.folder, copy) == 0 && strncmp(taken.specs[0].file, copy, strlen(copy)) == 0,
       "with the paths of the folder");
    spec_set_free(&taken);
    close(file);
    file = open("specs/gather.lua", O_RDONLY);
    ok(!spec_image_take(&taken, "specs", file) && taken.count == 0, "not from another file");
    close(file);
}

static void test_image_refused(const char *what, const char *specs)
{
    struct spec_set set;
    bool read = spec_image_read(&set, specs, image);
    ok(!read && set.count == 0 && !set.pool.shared, "%s: refused", what);
    if (read)
        spec_set_free(&set);
}

static void test_image_damage(void)
{
    size_t size;
    char *text = test_image_read_file(image, &size);
    const size_t places[] = {0, 17, 25, 33, 80, 1 << 16, size / 2, size - 1};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char what[64];
        snprintf(what, sizeof what, "byte %zu changed", places[i]);
        text[places[i]] ^= 4;
        test_image_write_file(image, text, size);
        text[places[i]] ^= 4;
        test_image_refused(what, "specs");
    }
    test_image_write_file(image, text, size - 64);
    test_image_refused("its end missing", "specs");
    test_image_write_file(image, text, 20);
    test_image_refused("only its first bytes left", "specs");
    unlink(image);
    test_image_refused("no such file", "specs");
    test_image_write_file(image, text, size);
    free(text);
}

static void test_place_taken(void)
{
    struct pool pool = {0};
    struct spec_set set;
    ok(pool_share(&pool, 1 << 20) && pool_can_be_kept(&pool), "another shared pool lies at the place");
    ok(spec_image_read(&set, "specs", image) && !pool_can_be_kept(&set.pool), "specs are read to another place");
    spec_set_free(&set);
    ok(spec_set_load_apart(&set, "specs", &error) == 0 && !pool_can_be_kept(&set.pool), "specs load elsewhere");
    ok(spec_image_write(&set, image, &error) == EXIT_HARNESS && strstr(error.text, "other processes cannot"),
       "and cannot be kept: %s", error.text);
    spec_set_free(&set);
    pool_clear(&pool);
}

int main(void)
{
    struct spec_set set;
    if (!mkdtemp(folder))
        return 3;
    snprintf(image, sizeof image, "%s/image", folder);
    snprintf(copy, sizeof copy, "%s/specs", folder);
    test_same();
    test_taken();
    test_image_damage();
    test_place_taken();
    test_image_run("echo '-- more' >>%s/%s", copy, "gather.lua");
    test_image_refused("a comment more in a spec", copy);
    test_image_run("mv %s/gather.lua %s/collect.lua", copy, copy);
    test_image_refused("a file renamed", copy);
    test_image_refused("no such folder", "/nonexistent");
    ok(spec_image_read(&set, "specs", image), "the file is read still");
    spec_set_free(&set);
    test_image_run("rm -r %s%s", folder, "");
    return tap_done();
}
