#include "harness/worker/output.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

off_t output_size(int file)
{
    struct stat status;
    return fstat(file, &status) == 0 ? status.st_size : 0;
}

bool output_read(int file, off_t start, char *text, size_t size)
{
    static const char more[] = "…";
    off_t end = output_size(file), room = (off_t)(size - sizeof more);
    *text = '\0';
    if (end <= start)
        return false;
    off_t from = end - start > room ? end - room : start;
    size_t used = from > start ? sizeof more - 1 : 0;
    memcpy(text, more, used);
    ssize_t got = pread(file, text + used, (size_t)(end - from), from);
    size_t length = got > 0 ? (size_t)got : 0, zeros = 0;
    while (zeros < length && text[used + zeros] == '\0') /* its start has been dropped: process_trim_output() */
        zeros++;
    memmove(text + used, text + used + zeros, length -= zeros);
    for (size_t i = 0; i < length; i++)
        text[used + i] = text[used + i] ? text[used + i] : ' ';
    while (length > 0 && (text[used + length - 1] == '\n' || text[used + length - 1] == ' '))
        length--;
    text[length > 0 ? used + length : 0] = '\0';
    return length > 0;
}
