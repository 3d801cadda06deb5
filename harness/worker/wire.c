#include "harness/worker/wire.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

bool wire_write(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size > 0) {
        ssize_t done = send(fd, at, size, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}

bool wire_read(int fd, void *data, size_t size)
{
    char *at = data;
    while (size > 0) {
        ssize_t done = read(fd, at, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        size -= (size_t)done;
    }
    return true;
}
