/* Prints the manual page from the same tables as --help. */
#include "harness/cli/choices.h"
#include "harness/cli/cmd.h"
#include "harness/base/text.h"

#include <stdio.h>
#include <string.h>

/* Prints text so that roff does not interpret it: escapes its special characters, characters outside ASCII, and a dot
 * or quote at the start of a line. */
static void manual_print_text(const char *text, size_t length)
{
    const char *end = text + length;
    for (bool first = true; text < end; first = text[-1] == '\n') {
        uint32_t code;
        size_t bytes = text_sequence(text, &code);
        if (first && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (bytes > 1)
            printf("\\[u%04X]", code);
        else if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '\'')
            fputs("\\(aq", stdout);
        else
            putchar(*text);
        text += bytes ? bytes : 1;
    }
}

static void manual_print(const char *text)
{
    manual_print_text(text, strlen(text));
}

static void print_verbatim(const char *text)
{
    fputs(".PP\n.nf\n.RS 4\n", stdout);
    manual_print(text);
    fputs(text[strlen(text) - 1] == '\n' ? ".RE\n.fi\n" : "\n.RE\n.fi\n", stdout);
}

/* Prints paragraphs; lines that begin with a space are not filled. */
static void print_notes(const char *text)
{
    bool inside = false;
    while (*text) {
        size_t length = strcspn(text, "\n");
        if (length == 0) {
            inside = false;
        } else {
            size_t indent = strspn(text, " ");
            if (!inside)
                fputs(".PP\n", stdout);
            else if (indent)
                fputs(".br\n", stdout);
            for (size_t i = 0; i < indent; i++)
                fputs("\\~", stdout);
            manual_print_text(text + indent, length - indent);
            putchar('\n');
            inside = true;
        }
        text += length + (text[length] != 0);
    }
}

static void manual_print_option(const struct option *option)
{
    char help[CHOICES_HELP];
    fputs(".TP\n.B ", stdout);
    if (option->letter)
        printf("\\-%c, ", option->letter);
    fputs("\\-\\-", stdout);
    manual_print(option->name);
    if (option->kind != OPTION_FLAG) {
        fputs(" \\fI", stdout);
        manual_print(option->argument ? option->argument : "VALUE");
        fputs("\\fR", stdout);
    }
    putchar('\n');
    choices_help(option->argument, option->help, help, sizeof help);
    manual_print(help);
    putchar('\n');
}

static void print_command(const struct command *command)
{
    fputs(".SS assay ", stdout);
    manual_print(command->name);
    if (command->options)
        fputs(" [\\fIOPTION\\fR\\[u2026]]", stdout);
    if (command->arguments && *command->arguments) {
        putchar(' ');
        manual_print(command->arguments);
    }
    putchar('\n');
    manual_print(command->summary);
    putchar('\n');
    for (const struct option *option = command->options; option && option->name; option++)
        manual_print_option(option);
    if (command->notes && *command->notes)
        print_notes(command->notes);
    if (command->examples && *command->examples)
        print_verbatim(command->examples);
}

static void print_end(void)
{
    puts(".SH EXIT STATUS");
    for (int i = 0; i < OPTIONS_STATUSES; i++) {
        printf(".TP\n.B %d\n", i);
        manual_print(options_statuses[i]);
        putchar('\n');
    }
    puts(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nif not empty, no color is used unless\n.B \\-\\-color\nis given\n"
         ".TP\n.B XDG_CONFIG_HOME\nfolder of the configuration (default: ~/.config)");
    puts(".SH FILES\n.TP\n.I .assay\ndefault values of options, in the current folder or a parent folder; see\n.B "
         "assay config\n"
         ".TP\n.I ~/.config/assay/config\ndefault values with lower priority");
}

static int cmd_manual_run(const void *values, const struct word_list *arguments, struct error *error)
{
    (void)values;
    if (arguments->count)
        return error_set(error, EXIT_USAGE, "manual takes no arguments, got \"%s\"", arguments->items[0]);
    puts(".TH ASSAY 1 \"\" \"assay " ASSAY_VERSION "\"\n"
         ".SH NAME\nassay \\- conformance tests for DirectML\\-style tensor operators\n"
         ".SH SYNOPSIS\n.B assay\n.I COMMAND\n[\\fIOPTION\\fR\\[u2026]] [\\fIARGUMENT\\fR\\[u2026]]\n"
         ".SH DESCRIPTION\n"
         "Runs cases that are derived from documented rules on implementations, called devices, and reports each\n"
         "deviation with the rule that it breaks and a command that reproduces it.\n"
         ".SH COMMANDS\nEvery command has these options:");
    for (const struct option *option = options_common; option->name; option++)
        manual_print_option(option);
    for (size_t i = 0; cmd_all[i]; i++)
        if (!cmd_all[i]->hidden)
            print_command(cmd_all[i]);
    print_end();
    return 0;
}

const struct command cmd_manual = {.name = "manual",
                                   .arguments = "",
                                   .summary = "print the manual page",
                                   .examples = "assay manual | man -l -\n",
                                   .run = cmd_manual_run};
