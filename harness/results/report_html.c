/* The dashboard: a single self-contained file. tools/dashboard assembles the page and its scripts at build time. The
 * data is inserted as JSON, compressed by gzip and written in base64, which cannot end its script element. */
#include "harness/results/report_data.h"

#include "generated/dashboard.h"

#include <string.h>
#define ZLIB_CONST /* zlib does not write to its input */
#include <zlib.h>

enum {
    GZIP = 15 + 16, /* the largest window, with gzip's header, which zlib writes without a time */
    MEMORY = 8,     /* zlib's default */
    GROUP = 3,      /* bytes that make four characters */
    LINE_GROUPS = 19
};

/* The stream that compresses the data and writes it in base64. */
struct packer {
    FILE *out;
    z_stream stream;
    unsigned char group[GROUP]; /* bytes that are not written yet */
    size_t grouped, groups;     /* their number; the number of groups in the last line */
};

/* Writes the group, filled up with '=' if it is not complete. */
static void report_html_print_group(struct packer *p)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)p->group[0] << 16 | (uint32_t)p->group[1] << 8 | p->group[2];
    if (p->groups == LINE_GROUPS) {
        putc('\n', p->out);
        p->groups = 0;
    }
    for (size_t i = 0; i <= GROUP; i++)
        putc(i <= p->grouped ? digits[bits >> (18 - 6 * i) & 63] : '=', p->out);
    memset(p->group, 0, sizeof p->group);
    p->grouped = 0;
    p->groups++;
}

/* Compresses the input of the stream, and writes the output. False: zlib found an error. */
static bool report_html_pack(struct packer *p, int flush)
{
    unsigned char packed[1 << 14];
    int code;
    do {
        p->stream.next_out = packed;
        p->stream.avail_out = sizeof packed;
        code = deflate(&p->stream, flush);
        for (const unsigned char *byte = packed; byte < p->stream.next_out; byte++) {
            p->group[p->grouped++] = *byte;
            if (p->grouped == GROUP)
                report_html_print_group(p);
        }
    } while (code == Z_OK && p->stream.avail_out == 0);
    return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR;
}

static ssize_t write_packed(void *cookie, const char *text, size_t size)
{
    struct packer *p = cookie;
    p->stream.next_in = (const unsigned char *)text;
    p->stream.avail_in = (uInt)size;
    return report_html_pack(p, Z_NO_FLUSH) ? (ssize_t)size : 0;
}

static int close_packed(void *cookie)
{
    struct packer *p = cookie;
    p->stream.avail_in = 0;
    bool good = report_html_pack(p, Z_FINISH);
    if (p->grouped)
        report_html_print_group(p);
    putc('\n', p->out);
    deflateEnd(&p->stream);
    return good ? 0 : -1;
}

static int write_page(const struct report *report, FILE *out, struct error *error)
{
    static const cookie_io_functions_t functions = {.write = write_packed, .close = close_packed};
    struct packer packer = {.out = out};
    if (deflateInit2(&packer.stream, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return error_set(error, EXIT_HARNESS, "out of memory");
    FILE *data = fopencookie(&packer, "w", functions);
    if (!data) {
        deflateEnd(&packer.stream);
        return error_set(error, EXIT_HARNESS, "out of memory");
    }
    fwrite(dashboard_before, 1, sizeof dashboard_before - 1, out);
    int result = report_data_print(report, data, error);
    if (fclose(data) != 0 && result == 0)
        result = error_set(error, EXIT_HARNESS, "the report's data cannot be compressed");
    fwrite(dashboard_after, 1, sizeof dashboard_after - 1, out); /* the caller checks `out` for errors */
    return result;
}

const struct report_form report_html = {.name = "html", .write = write_page};
