/* The program assay-device: the process that a device runs in, without the rest of assay. The harness starts it:
 *
 *     assay-device DEVICE PROGRAM SPECS    DEVICE is for the list of processes; PROGRAM is assay, for built-in devices
 */
#include "harness/host/host.h"

#include <stdint.h>
#include <stdio.h>

/* Libraries that report coverage (harness/fuzz/code_coverage.c) expect this symbol. */
void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *end);
__attribute__((weak, visibility("default"))) void __sanitizer_cov_8bit_counters_init(uint8_t *start, uint8_t *end)
{
    (void)start, (void)end;
}

static int open_library(void *context, struct plugin *plugin, const char *path, const char *arguments,
                        struct error *error)
{
    (void)context;
    return plugin_load(plugin, path, arguments, error);
}

int main(int argc, char **argv)
{
    static char program[] = "assay", command[] = "host", device[] = "--device", specs[] = "--specs";
    if (argc != 4) {
        fputs("assay-device is for assay's own use\n", stderr);
        return EXIT_USAGE;
    }
    char *const builtin[] = {argv[2], program, command, device, argv[1], specs, argv[3], NULL};
    const struct host_config config = {.open = open_library, .builtin = builtin};
    return host_main(&config);
}
