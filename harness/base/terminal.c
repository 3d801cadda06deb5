#include "harness/base/terminal.h"

#include "harness/base/stream.h"

#include <stdlib.h>
#include <sys/ioctl.h>

int terminal_columns(FILE *out)
{
    enum { USUAL = 80, MOST = 10000 };
    struct winsize size;
    const char *text = getenv("COLUMNS");
    long columns = text ? strtol(text, NULL, 10) : 0;
    if (columns > 0 && columns < MOST)
        return (int)columns;
    return ioctl(stream_file(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : USUAL;
}
