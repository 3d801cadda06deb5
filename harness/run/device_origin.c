#include "harness/run/device_origin.h"

#include "harness/base/input.h"
#include "harness/base/paths.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <xxhash.h>

/* ---- the device's file */

/* Returns the first word of a shell command, without its quotes; a word that the shell would expand stays as it is. */
static void first_word(const char *command, char *word, size_t size)
{
    size_t used = 0;
    char quote = '\0';
    for (command += strspn(command, " \t\n"); *command && (quote || !strchr(" \t\n;|&<>", *command)); command++) {
        if (*command == quote && quote)
            quote = '\0';
        else if (!quote && (*command == '\'' || *command == '"'))
            quote = *command;
        else if (used + 1 < size)
            word[used++] = *command == '\\' && quote != '\'' && command[1] ? *++command : *command;
    }
    word[used] = '\0';
}

/* Finds the file that a shell would run for the program `name`. */
static bool find_program(const char *name, char path[PATHS_SIZE])
{
    const char *folder = getenv("PATH");
    if (strchr(name, '/'))
        return (size_t)snprintf(path, PATHS_SIZE, "%s", name) < PATHS_SIZE && access(path, R_OK) == 0;
    for (; *name && folder && *folder; folder += strcspn(folder, ":") + (folder[strcspn(folder, ":")] == ':')) {
        int length = (int)strcspn(folder, ":");
        if (snprintf(path, PATHS_SIZE, "%.*s/%s", length, folder, name) < PATHS_SIZE && access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* Finds the program of the bridge's command, which an option may precede: "timeout=5,./adapter.py --log". */
static bool find_peer(const char *arguments, char path[PATHS_SIZE])
{
    char word[PATHS_SIZE];
    if (strncmp(arguments, "timeout=", 8) == 0)
        arguments += strcspn(arguments, ",") + (arguments[strcspn(arguments, ",")] == ',');
    first_word(arguments, word, sizeof word);
    return find_program(word, path);
}

static bool origin_find_file(const char *device, char path[PATHS_SIZE])
{
    char name[PATHS_SIZE];
    size_t length = strcspn(device, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, device);
    if (paths_device(name, path, NULL) != 0)
        return false;
    if (strcmp(name, "bridge") == 0 && device[length] == ':' && find_peer(device + length + 1, path))
        return true;
    if (!strchr(path, '/')) /* part of assay */
        snprintf(path, PATHS_SIZE, "/proc/self/exe");
    return true;
}

/* ---- its contents */

static void print_hex(char *text, size_t size, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count && 2 * i + 2 < size; i++)
        snprintf(text + 2 * i, size - 2 * i, "%02x", bytes[i]);
}

/* Finds the build id among the notes in `bytes`. */
static bool find_note(const uint8_t *bytes, size_t size, char build[ORIGIN_BUILD_SIZE])
{
    Elf64_Nhdr note;
    while (size >= sizeof note) {
        memcpy(&note, bytes, sizeof note);
        size_t name = ((size_t)note.n_namesz + 3) & ~(size_t)3, data = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (name > size - sizeof note || data > size - sizeof note - name)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(bytes + sizeof note, "GNU", 4) == 0) {
            print_hex(build, ORIGIN_BUILD_SIZE, bytes + sizeof note + name, note.n_descsz);
            return true;
        }
        bytes += sizeof note + name + data;
        size -= sizeof note + name + data;
    }
    return false;
}

/* Finds the build id of a 64-bit ELF file of this machine's byte order. The file may be damaged. */
static void find_build(const uint8_t *bytes, size_t size, char build[ORIGIN_BUILD_SIZE])
{
    Elf64_Ehdr head;
    Elf64_Phdr part;
    if (size < sizeof head)
        return;
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB) ||
        head.e_phentsize != sizeof part || head.e_phoff > size)
        return;
    for (size_t i = 0; i < head.e_phnum && (i + 1) * sizeof part <= size - head.e_phoff; i++) {
        memcpy(&part, bytes + head.e_phoff + i * sizeof part, sizeof part);
        if (part.p_type == PT_NOTE && part.p_offset <= size && part.p_filesz <= size - part.p_offset &&
            find_note(bytes + part.p_offset, part.p_filesz, build))
            return;
    }
}

static void origin_read_file(struct origin *origin, const char *path)
{
    uint64_t size;
    int file = input_open(path, "a device", (uint64_t)16 << 30, &size, NULL);
    void *bytes = file >= 0 && size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (file >= 0)
        close(file);
    if (bytes == MAP_FAILED)
        return;
    snprintf(origin->device_hash, sizeof origin->device_hash, "%016llx", (unsigned long long)XXH3_64bits(bytes, size));
    find_build(bytes, size, origin->device_build);
    munmap(bytes, size);
}

/* ---- the machine and the revision */

static void find_machine(struct origin *origin)
{
    struct utsname name;
    char *line = NULL;
    size_t size = 0;
    if (uname(&name) == 0) /* the three fit: each has at most 64 bytes */
        snprintf(origin->machine, sizeof origin->machine, "%s %s %s", name.sysname, name.release, name.machine);
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && !*origin->cpu && getline(&line, &size, file) > 0) {
        const char *value = strchr(line, ':');
        if (value && (strncmp(line, "model name", 10) == 0 || strncmp(line, "Model", 5) == 0 ||
                      strncmp(line, "cpu model", 9) == 0)) {
            value += 1 + strspn(value + 1, " \t");
            snprintf(origin->cpu, sizeof origin->cpu, "%.*s", (int)strcspn(value, "\n"), value);
        }
    }
    free(line);
    if (file)
        fclose(file);
}

/* Chooses the value that was given, or that of the first variable that is set. */
static void origin_choose(char text[ORIGIN_TEXT_SIZE], const char *given, const char *const *variables)
{
    for (; !given && *variables; variables++) {
        const char *value = getenv(*variables);
        given = value && *value ? value : NULL;
    }
    snprintf(text, ORIGIN_TEXT_SIZE, "%s", given ? given : "");
}

void origin_find(struct origin *origin, const char *device, const struct origin_given *given)
{
    /* GitHub, GitLab, Jenkins, Buildkite, CircleCI, Travis, Azure, Bitbucket, AppVeyor, Drone, Cirrus. */
    static const char *const revisions[] = {"GITHUB_SHA",          "CI_COMMIT_SHA",         "GIT_COMMIT",
                                            "BUILDKITE_COMMIT",    "CIRCLE_SHA1",           "TRAVIS_COMMIT",
                                            "BUILD_SOURCEVERSION", "BITBUCKET_COMMIT",      "APPVEYOR_REPO_COMMIT",
                                            "DRONE_COMMIT_SHA",    "CIRRUS_CHANGE_IN_REPO", NULL},
                             *const branches[] = {"GITHUB_HEAD_REF",
                                                  "GITHUB_REF_NAME",
                                                  "CI_COMMIT_REF_NAME",
                                                  "GIT_BRANCH",
                                                  "BUILDKITE_BRANCH",
                                                  "CIRCLE_BRANCH",
                                                  "TRAVIS_BRANCH",
                                                  "BUILD_SOURCEBRANCHNAME",
                                                  "BITBUCKET_BRANCH",
                                                  "APPVEYOR_REPO_BRANCH",
                                                  "DRONE_COMMIT_BRANCH",
                                                  "CIRRUS_BRANCH",
                                                  NULL},
                             *const labels[] = {NULL};
    char path[PATHS_SIZE];
    *origin = (struct origin){0};
    if (origin_find_file(device, path))
        origin_read_file(origin, path);
    find_machine(origin);
    origin_choose(origin->label, given->label, labels);
    origin_choose(origin->revision, given->revision, revisions);
    origin_choose(origin->branch, given->branch, branches);
}
