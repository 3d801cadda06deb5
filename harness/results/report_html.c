/* The dashboard: a single self-contained file. tools/dashboard assembles the page and its scripts at build time; the
 * data is inserted as JSON, escaped so that it cannot end its script element. */
#include "harness/results/report_data.h"

#include "generated/dashboard.h"

#include <errno.h>
#include <string.h>

/* In JSON a "<" occurs only inside strings, where \u003c means the same. */
static ssize_t write_escaped(void *cookie, const char *text, size_t size)
{
    FILE *out = cookie;
    for (size_t i = 0; i < size;) {
        const char *mark = memchr(text + i, '<', size - i);
        size_t length = mark ? (size_t)(mark - (text + i)) : size - i;
        if (fwrite(text + i, 1, length, out) < length || (mark && fputs("\\u003c", out) < 0))
            return 0;
        i += length + (mark ? 1 : 0);
    }
    return (ssize_t)size;
}

static int write_page(const struct report *report, FILE *out, struct error *error)
{
    FILE *data = fopencookie(out, "w", (cookie_io_functions_t){.write = write_escaped});
    if (!data)
        return error_set(error, EXIT_HARNESS, "out of memory");
    fwrite(dashboard_before, 1, sizeof dashboard_before - 1, out);
    int result = report_data_print(report, data, error);
    fclose(data); /* the caller checks `out` for errors */
    fwrite(dashboard_after, 1, sizeof dashboard_after - 1, out);
    return result;
}

const struct report_form report_html = {.name = "html", .write = write_page};
