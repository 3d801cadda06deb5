#include "harness/base/input.h"

#include <stdio.h>

int input_read(char **text, size_t *size, struct error *error)
{
    static char *kept;
    static size_t kept_size;
    char block[65536];
    size_t got;
    FILE *all = kept ? NULL : open_memstream(&kept, &kept_size);
    while (all && (got = fread(block, 1, sizeof block, stdin)) > 0)
        fwrite(block, 1, got, all);
    if (all && fclose(all) != 0)
        return error_set(error, EXIT_HARNESS, "standard input: out of memory");
    if (ferror(stdin) || !kept)
        return error_set(error, EXIT_HARNESS, "standard input: %m");
    *text = kept;
    *size = kept_size;
    return 0;
}
