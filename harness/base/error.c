#include "harness/base/error.h"
#include "harness/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *error, enum exit_status status, const char *format, ...)
{
    if (!error)
        return (int)status;
    if (error->status != EXIT_AS_EXPECTED)
        return (int)error->status;
    char raw[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    error->status = status;
    text_visible(error->text, sizeof error->text, raw);
    return (int)status;
}

void error_context(struct error *error, const char *format, ...)
{
    if (!error || error->status == EXIT_AS_EXPECTED)
        return;
    char raw[sizeof error->text / 2], text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof raw, format, arguments);
    va_end(arguments);
    text_visible(text, sizeof text / 2, raw);
    size_t used = strlen(text);
    text_visible(text + used, sizeof text - used, ": ");
    used = strlen(text);
    text_visible(text + used, sizeof text - used, error->text);
    memcpy(error->text, text, sizeof text);
}
