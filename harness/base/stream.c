#include "harness/base/stream.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Returns 0 after an error, as fopencookie() wants; errno says which. */
static ssize_t stream_write(void *cookie, const char *data, size_t size)
{
    const int file = (int)(intptr_t)cookie;
    size_t done = 0;
    while (done < size) {
        ssize_t written = write(file, data + done, size - done);
        struct pollfd wait = {.fd = file, .events = POLLOUT};
        if (written >= 0)
            done += (size_t)written;
        else if (errno == EAGAIN)
            poll(&wait, 1, -1); /* a signal may end it early: then the write is tried again */
        else if (errno != EINTR)
            return 0;
    }
    return (ssize_t)done;
}

static int stream_close(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

FILE *stream_open(int file)
{
    return fopencookie((void *)(intptr_t)file, "w",
                       (cookie_io_functions_t){.write = stream_write, .close = stream_close});
}

void stream_wait_for_readers(void)
{
    FILE *output = stream_open(STDOUT_FILENO), *errors = stream_open(STDERR_FILENO);
    if (!output || !errors)
        return; /* the streams of the C library stay */
    setvbuf(output, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    setvbuf(errors, NULL, _IONBF, 0);
    stdout = output;
    stderr = errors;
}

int stream_file(FILE *stream)
{
    if (stream == stdout)
        return STDOUT_FILENO;
    return stream == stderr ? STDERR_FILENO : fileno(stream);
}
