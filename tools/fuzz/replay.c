/* Runs a fuzz target on files and on beginnings of each file: replay_NAME FILE… Prints TAP. */
#include "tools/fuzz/target.h"
#include "tools/tap.h"

#include <stdio.h>
#include <stdlib.h>

static void replay(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    for (size_t part = 0; part <= size; part += size / 64 + 1) {
        uint8_t *copy = malloc(part ? part : 1); /* an exact size: sanitizers notice reads past it */
        for (size_t i = 0; copy && i < part; i++)
            copy[i] = bytes[i];
        if (copy)
            LLVMFuzzerTestOneInput(copy, part);
        free(copy);
    }
    LLVMFuzzerTestOneInput(bytes, size);
    ok(file != NULL, "%s", path);
}

int main(int argc, char **argv)
{
    if (LLVMFuzzerInitialize && LLVMFuzzerInitialize(&argc, &argv) != 0)
        return EXIT_FAILURE;
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    return tap_done();
}
