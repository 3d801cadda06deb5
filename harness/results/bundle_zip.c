#include "harness/results/bundle_zip.h"

#include "harness/base/input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unzip.h>
#include <zip.h>

const char *const bundle_names[BUNDLE_MEMBERS] = {"manifest.json", "statement.json", "expectations.txt", "results.db"};

/* The most bytes of a member: a file with a larger member is no bundle. */
static const uint64_t most[BUNDLE_MEMBERS] = {1 << 20, 1 << 20, 64 << 20, (uint64_t)1 << 31};

/* ---- writing */

static voidpf file_open(voidpf opaque, const void *name, int mode)
{
    (void)name, (void)mode;
    return opaque;
}

static uLong file_write(voidpf opaque, voidpf stream, const void *bytes, uLong size)
{
    (void)opaque;
    return fwrite(bytes, 1, size, stream);
}

static ZPOS64_T file_tell(voidpf opaque, voidpf stream)
{
    (void)opaque;
    return (ZPOS64_T)ftello(stream);
}

static long file_seek(voidpf opaque, voidpf stream, ZPOS64_T offset, int from)
{
    static const int whences[] = {
        [ZLIB_FILEFUNC_SEEK_SET] = SEEK_SET, [ZLIB_FILEFUNC_SEEK_CUR] = SEEK_CUR, [ZLIB_FILEFUNC_SEEK_END] = SEEK_END};
    (void)opaque;
    return fseeko(stream, (off_t)offset, whences[from]);
}

static int file_close(voidpf opaque, voidpf stream)
{
    (void)opaque, (void)stream; /* the caller closes it */
    return 0;
}

static int file_error(voidpf opaque, voidpf stream)
{
    (void)opaque;
    return ferror(stream);
}

/* Members have no times and no owners: the same members give the same bytes. */
static bool write_member(zipFile zip, const char *name, const struct bundle_data *data)
{
    enum { CHUNK = 1 << 20 };
    const zip_fileinfo info = {.tmz_date = {.tm_mday = 1, .tm_mon = 0, .tm_year = 1980}, .external_fa = 0100644u << 16};
    bool good = zipOpenNewFileInZip64(zip, name, &info, NULL, 0, NULL, 0, NULL, Z_DEFLATED, 9, 0) == ZIP_OK;
    for (size_t at = 0; at < data->size && good; at += CHUNK)
        good = zipWriteInFileInZip(zip, data->bytes + at,
                                   (unsigned)(data->size - at < CHUNK ? data->size - at : CHUNK)) == ZIP_OK;
    return zipCloseFileInZip(zip) == ZIP_OK && good;
}

static bool write_members(FILE *out, const struct bundle_data members[BUNDLE_MEMBERS])
{
    zlib_filefunc64_def functions = {.zopen64_file = file_open,
                                     .zwrite_file = file_write,
                                     .ztell64_file = file_tell,
                                     .zseek64_file = file_seek,
                                     .zclose_file = file_close,
                                     .zerror_file = file_error,
                                     .opaque = out};
    zipFile zip = zipOpen2_64("", APPEND_STATUS_CREATE, NULL, &functions);
    bool good = zip != NULL;
    for (int i = 0; i < BUNDLE_MEMBERS && good; i++)
        good = write_member(zip, bundle_names[i], &members[i]);
    return (!zip || zipClose(zip, NULL) == ZIP_OK) && good;
}

/* Writes to memory first: the library goes back in its output, which a pipe cannot do. */
bool bundle_zip_write(FILE *out, const struct bundle_data members[BUNDLE_MEMBERS])
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&bytes, &size);
    bool good = memory && write_members(memory, members);
    good = memory && fseeko(memory, 0, SEEK_END) == 0 && good;
    good = memory && fclose(memory) == 0 && good && fwrite(bytes, 1, size, out) == size;
    free(bytes);
    return good;
}

/* ---- reading */

static int find_member(const char *name)
{
    int at = 0;
    while (at < BUNDLE_MEMBERS && strcmp(bundle_names[at], name) != 0)
        at++;
    return at;
}

/* Reads the current member, which is open, into memory. The memory grows with the data: the size that the member states
 * is not trusted. */
static int read_data(const char *path, unzFile zip, int member, struct bundle_data *data, struct error *error)
{
    size_t room = 0;
    int got = 1;
    while (got > 0) {
        if (data->size + 1 >= room) {
            room = room ? 2 * room : 65536;
            char *larger = realloc(data->bytes, room);
            if (!larger)
                return error_set(error, EXIT_HARNESS, "%s: out of memory", path);
            data->bytes = larger;
        }
        size_t space = room - data->size - 1;
        got = unzReadCurrentFile(zip, data->bytes + data->size, (unsigned)(space < (1 << 20) ? space : 1 << 20));
        data->size += got > 0 ? (size_t)got : 0;
        if (data->size > most[member])
            return error_set(error, EXIT_HARNESS, "%s: %s has more than %llu bytes", path, bundle_names[member],
                             (unsigned long long)most[member]);
    }
    data->bytes[data->size] = '\0';
    return unzCloseCurrentFile(zip) == UNZ_OK && got == 0
               ? 0
               : error_set(error, EXIT_HARNESS, "%s: %s is damaged", path, bundle_names[member]);
}

/* Returns the number of `size` bytes of a header, the lowest byte first. */
static uint64_t zip_number(const unsigned char *at, int size)
{
    uint64_t number = 0;
    for (int i = size; i-- > 0;)
        number = number << 8 | at[i];
    return number;
}

/* Checks the current, opened member's header at `start` of the file, and sets `start` to the end of its data. */
static bool check_header(FILE *file, unzFile zip, const unz_file_info64 *info, const char *name, uint64_t *start)
{
    enum { SIZE = 30, FLAGS = 6, NAME_SIZE = 26, EXTRA_SIZE = 28, LATER = 1 << 3 };
    unsigned char header[SIZE];
    char here[64];
    const size_t size = strlen(name);
    if (fseeko(file, (off_t)*start, SEEK_SET) != 0 || fread(header, 1, SIZE, file) != SIZE ||
        memcmp(header, "PK\3\4", 4) != 0 || zip_number(header + FLAGS, 2) & LATER ||
        zip_number(header + NAME_SIZE, 2) != size || size > sizeof here || fread(here, 1, size, file) != size ||
        memcmp(here, name, size) != 0)
        return false;
    uint64_t data = *start + SIZE + size + zip_number(header + EXTRA_SIZE, 2);
    *start = data + info->compressed_size;
    return data == unzGetCurrentFileZStreamPos64(zip);
}

/* Checks that a directory follows at `start`, and that it and its end are the last bytes of the file. */
static bool check_directory(FILE *file, uint64_t start)
{
    enum { SIZE = 22 };
    unsigned char directory[4], end[SIZE];
    return fseeko(file, (off_t)start, SEEK_SET) == 0 && fread(directory, 1, 4, file) == 4 &&
           memcmp(directory, "PK\1\2", 4) == 0 && fseeko(file, -SIZE, SEEK_END) == 0 &&
           fread(end, 1, SIZE, file) == SIZE && memcmp(end, "PK\5\6", 4) == 0;
}

static int bundle_zip_strange(const char *path, struct error *error)
{
    return error_set(error, EXIT_HARNESS, "%s: no bundle: its ZIP file has other data than its directory says", path);
}

static int read_members(const char *path, FILE *file, unzFile zip, struct bundle_data members[BUNDLE_MEMBERS],
                        struct error *error)
{
    unz_global_info64 all;
    uint64_t start = 0;
    if (unzGetGlobalInfo64(zip, &all) != UNZ_OK || all.number_entry != BUNDLE_MEMBERS)
        return error_set(error, EXIT_HARNESS, "%s: a ZIP file, but no bundle, which has %d members", path,
                         BUNDLE_MEMBERS);
    int code = unzGoToFirstFile(zip), result = 0;
    for (; code == UNZ_OK && result == 0; code = unzGoToNextFile(zip)) {
        unz_file_info64 info;
        char name[64] = "";
        bool known = unzGetCurrentFileInfo64(zip, &info, name, sizeof name - 1, NULL, 0, NULL, 0) == UNZ_OK &&
                     info.size_filename < sizeof name && strlen(name) == info.size_filename;
        int member = known ? find_member(name) : BUNDLE_MEMBERS;
        if (member == BUNDLE_MEMBERS)
            return error_set(error, EXIT_HARNESS, "%s: no bundle: it has a member that no bundle has", path);
        if (members[member].bytes)
            return error_set(error, EXIT_HARNESS, "%s: no bundle: it has %s twice", path, name);
        if (unzOpenCurrentFile(zip) != UNZ_OK)
            return error_set(error, EXIT_HARNESS,
                             "%s: %s cannot be read: encrypted, or packed in a way that no bundle is", path, name);
        if (!check_header(file, zip, &info, name, &start))
            return bundle_zip_strange(path, error);
        result = read_data(path, zip, member, &members[member], error);
    }
    if (result == 0 && !check_directory(file, start))
        return bundle_zip_strange(path, error);
    for (int i = 0; i < BUNDLE_MEMBERS && result == 0; i++)
        if (!members[i].bytes)
            result = error_set(error, EXIT_HARNESS, "%s: no bundle: it has no %s", path, bundle_names[i]);
    return result;
}

int bundle_zip_read(const char *path, struct bundle_data members[BUNDLE_MEMBERS], struct error *error)
{
    memset(members, 0, BUNDLE_MEMBERS * sizeof *members);
    int descriptor = input_open(path, "a bundle", (uint64_t)4 << 30, NULL, error);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    if (!file)
        return descriptor < 0 ? (int)error->status : error_set(error, EXIT_HARNESS, "out of memory");
    unzFile zip = unzOpen64(path);
    int result = zip ? read_members(path, file, zip, members, error)
                     : error_set(error, EXIT_HARNESS, "%s: no bundle: not a ZIP file", path);
    if (zip)
        unzClose(zip);
    fclose(file);
    return result;
}

void bundle_data_free(struct bundle_data members[BUNDLE_MEMBERS])
{
    for (int i = 0; i < BUNDLE_MEMBERS; i++)
        free(members[i].bytes);
    memset(members, 0, BUNDLE_MEMBERS * sizeof *members);
}
