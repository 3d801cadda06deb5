/* The help texts of a command and of the program. */
#include "harness/cli/options.h"

#include "harness/base/terminal.h"
#include "harness/cli/choices.h"

#include <stdio.h>
#include <string.h>

/* Returns the number of columns of `length` bytes of UTF-8. */
static size_t columns(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* Returns the columns of the output: those of the terminal, but not so many that lines are hard to read. */
static size_t width(void)
{
    enum { LEAST = 20, MOST = 120 };
    int columns = terminal_columns(stdout);
    if (columns < LEAST)
        return LEAST;
    return columns > MOST ? MOST : (size_t)columns;
}

static void break_line(size_t indent)
{
    printf("\n%*s", (int)indent, "");
}

/* Prints text from column `at` on, wrapped at the width; further lines are indented to `indent`. A blank line ends a
 * paragraph. Lines that begin with a space are printed as they are. */
static void print_wrapped(const char *text, size_t at, size_t indent)
{
    bool verbatim = false;
    while (*text) {
        size_t length = strcspn(text, " \n"), wide = columns(text, length);
        if (*text == ' ' && at == indent) {
            verbatim = true;
            length = strcspn(text, "\n");
            wide = columns(text, length);
        } else if (at > indent && at + 1 + wide > width()) {
            break_line(indent);
            at = indent;
        } else if (at > indent && wide) {
            putchar(' ');
            at++;
        }
        fwrite(text, 1, length, stdout);
        at += wide;
        text += length;
        if (*text == '\n' && (verbatim || text[1] == ' ' || text[1] == '\n' || at == indent)) {
            break_line(text[1] && text[1] != '\n' ? indent : 0);
            at = indent;
            verbatim = false;
        }
        text += *text != 0;
    }
    putchar('\n');
}

/* Prints an entry of two columns, the second one wrapped. */
static void print_entry(const char *left, size_t indent, const char *right)
{
    printf("  %s", left);
    size_t at = 2 + columns(left, strlen(left));
    if (at + 2 > indent) {
        putchar('\n');
        at = 0;
    }
    printf("%*s", (int)(indent - at), "");
    print_wrapped(right, indent, indent);
}

static void options_help_print_option(const struct option *option)
{
    enum { LEFT = 26, LEFT_NARROW = 8, NARROW = 50 };
    char left[128], letter[8] = "    ", help[CHOICES_HELP];
    const char *argument = option->argument ? option->argument : "VALUE";
    if (option->kind == OPTION_FLAG)
        argument = "";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name, *argument ? " " : "", argument);
    choices_help(option->argument, option->help, help, sizeof help);
    print_entry(left, width() < NARROW ? LEFT_NARROW : LEFT, help);
}

static void print_options(const struct option *options)
{
    puts("\nOptions:");
    for (const struct option *option = options; option && option->name; option++)
        options_help_print_option(option);
    for (const struct option *option = options_common; option->name; option++)
        options_help_print_option(option);
}

static void options_help_print_lines(const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n");
        printf("  %.*s\n", (int)length, text);
        text += length + (text[length] != 0);
    }
}

void options_help(const struct command *command)
{
    if (command->examples && *command->examples) {
        puts("Examples:");
        options_help_print_lines(command->examples);
        putchar('\n');
    }
    bool arguments = command->arguments && *command->arguments;
    printf("Usage: assay %s [OPTION…]%s%s\n\n", command->name, arguments ? " " : "",
           arguments ? command->arguments : "");
    print_wrapped(command->summary, 0, 0);
    print_options(command->options);
    if (command->notes && *command->notes) {
        putchar('\n');
        print_wrapped(command->notes, 0, 0);
    }
}

void options_overview(const struct command *const *commands)
{
    size_t indent = 14;
    puts("Usage: assay COMMAND [OPTION…] [ARGUMENT…]\n\nCommands:");
    for (const struct command *const *command = commands; *command; command++)
        if (!(*command)->hidden)
            print_entry((*command)->name, indent, (*command)->summary);
    puts("\n`assay COMMAND --help` describes a command.\n\nExit status:");
    for (size_t i = 0; i < OPTIONS_STATUSES; i++) {
        const char digit[] = {(char)('0' + i), 0};
        print_entry(digit, 5, options_statuses[i]);
    }
}
