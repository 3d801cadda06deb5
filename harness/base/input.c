#include "harness/base/input.h"

#include "harness/base/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sets the error and leaves `reason` in errno. */
static int input_fail(int file, int reason, const char *what, const char *path, const char *expected,
                      struct error *error)
{
    if (file >= 0)
        close(file);
    error_set(error, EXIT_HARNESS, "%s: %s; expected %s", path, what, expected);
    errno = reason;
    return -1;
}

/* Writes "larger than 16 MiB". */
static const char *too_large(char text[64], uint64_t most)
{
    const bool gib = most >> 30 << 30 == most;
    snprintf(text, 64, "larger than %llu %s", (unsigned long long)most >> (gib ? 30 : 20), gib ? "GiB" : "MiB");
    return text;
}

int input_open(const char *path, const char *expected, uint64_t most, uint64_t *size, struct error *error)
{
    struct stat status;
    char text[64];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe would wait for its writer */
    if (file < 0 || fstat(file, &status) != 0)
        return input_fail(file, errno, strerror(errno), path, expected, error);
    if (S_ISDIR(status.st_mode))
        return input_fail(file, EISDIR, strerror(EISDIR), path, expected, error);
    if (!S_ISREG(status.st_mode))
        return input_fail(file, EINVAL, "not a regular file", path, expected, error);
    if ((uint64_t)status.st_size > most)
        return input_fail(file, EINVAL, too_large(text, most), path, expected, error);
    if (size)
        *size = (uint64_t)status.st_size;
    return file;
}

/* Reads as read() does, but a signal ends the wait for more only if it interrupts the program. */
static ssize_t input_continue(int file, char *to, size_t room)
{
    ssize_t got;
    do
        got = read(file, to, room);
    while (got < 0 && errno == EINTR && !interrupt_is_set());
    return got;
}

/* Reads the rest of a file, of which `expected` bytes are likely: files in /proc do not tell their size. Returns null
 * on an error, with errno set; EFBIG: it has more than `most` bytes. */
static char *read_rest(int file, uint64_t expected, uint64_t most, uint64_t *size)
{
    uint64_t room = expected + 2; /* one byte more shows the end, and one is for the zero */
    char *text = malloc(room);
    ssize_t got = 1;
    for (*size = 0; text && got > 0 && *size <= most;) {
        if (*size + 1 == room) {
            char *larger = realloc(text, room *= 2);
            if (!larger)
                free(text);
            text = larger;
        }
        got = text ? input_continue(file, text + *size, room - 1 - *size) : 0;
        *size += got > 0 ? (uint64_t)got : 0;
    }
    if (text && got >= 0 && *size <= most) {
        text[*size] = '\0';
        return text;
    }
    if (text && got >= 0)
        errno = EFBIG;
    free(text);
    return NULL;
}

char *input_file(const char *path, const char *expected, uint64_t most, uint64_t *size, struct error *error)
{
    char text[64];
    int file = input_open(path, expected, most, size, error);
    char *all = file < 0 ? NULL : read_rest(file, *size, most, size);
    if (file >= 0 && !all)
        input_fail(file, errno, errno == EFBIG ? too_large(text, most) : strerror(errno), path, expected, error);
    else if (file >= 0)
        close(file);
    return all;
}

int input_read(char **text, size_t *size, struct error *error)
{
    static char *kept;
    static uint64_t kept_size;
    char what[64];
    if (!kept && !(kept = read_rest(STDIN_FILENO, 0, INPUT_MAX, &kept_size)))
        return error_set(error, errno == EINTR ? EXIT_INCOMPLETE : EXIT_HARNESS, "standard input: %s",
                         errno == EFBIG ? too_large(what, INPUT_MAX) : strerror(errno));
    *text = kept;
    *size = kept_size;
    return 0;
}
