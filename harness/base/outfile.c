#include "harness/base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int open_beside(struct outfile *file, const char *path, const struct stat *old, struct error *error)
{
    mode_t mask = umask(0);
    umask(mask);
    if (asprintf(&file->temporary, "%s.XXXXXX", file->path) < 0) {
        file->temporary = NULL;
        return error_set(error, EXIT_HARNESS, "out of memory");
    }
    int handle = mkostemp(file->temporary, O_CLOEXEC);
    if (handle < 0) {
        error_set(error, EXIT_HARNESS, "%s: %m", path);
        free(file->temporary);
        file->temporary = NULL;
        return EXIT_HARNESS;
    }
    if (fchmod(handle, old ? old->st_mode & 0777 : 0666 & ~mask) != 0 || !(file->out = fdopen(handle, "w"))) {
        error_set(error, EXIT_HARNESS, "%s: %m", path);
        close(handle);
    }
    return file->out ? 0 : EXIT_HARNESS;
}

static int open_named(struct outfile *file, const char *path, struct error *error)
{
    struct stat status;
    bool exists = stat(path, &status) == 0;
    bool replaces = exists && S_ISREG(status.st_mode);
    file->path = replaces ? realpath(path, NULL) : strdup(path);
    if (!file->path)
        return error_set(error, EXIT_HARNESS, "%s: %m", path);
    if (!exists || replaces)
        return open_beside(file, path, exists ? &status : NULL, error);
    file->out = fopen(path, "we");
    return file->out ? 0 : error_set(error, EXIT_HARNESS, "%s: %m", path);
}

int outfile_open(struct outfile *file, const char *path, struct error *error)
{
    *file = (struct outfile){.out = path ? NULL : stdout};
    int result = path ? open_named(file, path, error) : 0;
    if (result)
        outfile_free(file);
    return result;
}

/* Returns the reason why a write failed. Other calls may have set errno since: what is no standard output is tried
 * again. */
static int outfile_reason(const struct outfile *file)
{
    int before = errno ? errno : EIO;
    return file->path && write(fileno(file->out), "", 1) < 0 ? errno : before;
}

bool outfile_failed(struct outfile *file)
{
    if (ferror(file->out) && !file->number)
        file->number = outfile_reason(file);
    return file->number != 0;
}

const char *outfile_name(const struct outfile *file)
{
    return file->path ? file->path : "standard output";
}

bool outfile_close(struct outfile *file, bool keep)
{
    if (file->out) {
        errno = 0;
        fflush(file->out);
        keep = !outfile_failed(file) && keep && file->temporary;
        if (keep && fsync(fileno(file->out)) != 0)
            file->number = errno;
        if (file->out != stdout && fclose(file->out) != 0 && !file->number)
            file->number = errno;
        if (keep && !file->number && rename(file->temporary, file->path) != 0)
            file->number = errno;
        keep = keep && !file->number;
    }
    if (file->temporary && (!file->out || !keep))
        unlink(file->temporary);
    free(file->temporary);
    file->temporary = NULL;
    file->out = NULL;
    return file->number == 0;
}

int outfile_error(const struct outfile *file, const char *more, struct error *error)
{
    if (!file->path && file->number == EPIPE)
        return error_set(error, EXIT_INCOMPLETE, "%s", "");
    return error_set(error, EXIT_HARNESS, "%s: cannot be written: %s%s", outfile_name(file), strerror(file->number),
                     more);
}

int outfile_end(struct outfile *file, bool good, const char *more, struct error *error)
{
    if (!good && !outfile_failed(file))
        file->number = ENOMEM; /* no write failed, so memory ran out */
    int result = outfile_close(file, good) ? 0 : outfile_error(file, more, error);
    outfile_free(file);
    return result;
}

void outfile_free(struct outfile *file)
{
    free(file->path);
    *file = (struct outfile){0};
}
