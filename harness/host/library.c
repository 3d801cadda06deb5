#include "harness/host/library.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#elif defined(__riscv)
#define MACHINE EM_RISCV
#else
#define MACHINE EM_NONE /* not checked */
#endif

static const char *machine_name(unsigned machine)
{
    switch (machine) {
    case EM_X86_64:
        return "x86-64";
    case EM_AARCH64:
        return "AArch64";
    case EM_RISCV:
        return "RISC-V";
    default:
        return NULL;
    }
}

static int check_machine(const ElfW(Ehdr) * head, struct error *error)
{
    const char *name = machine_name(head->e_machine);
    bool same_size = head->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32);
    if (same_size && (MACHINE == EM_NONE || head->e_machine == MACHINE))
        return 0;
    const char *bits = head->e_ident[EI_CLASS] == ELFCLASS32 ? ", 32 bits" : ", 64 bits";
    return error_set(error, EXIT_NO_DEVICE, "a library for another machine: %s%s", name ? name : "not this one's",
                     same_size ? "" : bits);
}

int library_check(const char *path, struct error *error)
{
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    struct stat status;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return 0; /* the loader's own message is better */
    int result = 0;
    bool read = fread(&head, sizeof head, 1, file) == 1 && fstat(fileno(file), &status) == 0;
    if (!read || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        result = error_set(error, EXIT_NO_DEVICE, "not a shared library: it has no ELF header");
    else
        result = check_machine(&head, error);
    bool found = result == 0 && head.e_phentsize == sizeof part && fseek(file, (long)head.e_phoff, SEEK_SET) == 0;
    for (unsigned i = 0; result == 0 && i < head.e_phnum; i++) {
        bool whole = found && fread(&part, sizeof part, 1, file) == 1 &&
                     (part.p_type != PT_LOAD || (part.p_offset <= (uint64_t)status.st_size &&
                                                 part.p_filesz <= (uint64_t)status.st_size - part.p_offset));
        if (!whole)
            result =
                error_set(error, EXIT_NO_DEVICE, "a damaged library: its %lld bytes are fewer than its headers say",
                          (long long)status.st_size);
    }
    fclose(file);
    return result;
}
