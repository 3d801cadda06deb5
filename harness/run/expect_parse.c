/* Reads expectation files. */
#include "harness/run/expect_internal.h"

#include "harness/base/input.h"
#include "harness/base/text.h"
#include "harness/base/words.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char line_form[] = "expected PATTERN [broken=RULE] STATUS[,STATUS…] # REASON";
static const char broken_key[] = "broken=";
static const char *const key_names[KEY_COUNT] = {"device", "name", "driver", "version", "level"};
static const char *const relation_names[RELATION_COUNT] = {
    [IS] = "=", [IS_NOT] = "!=", [BELOW] = "<", [AT_MOST] = "<=", [ABOVE] = ">", [AT_LEAST] = ">="};

/* ---- sections */

/* Returns true if the pattern matches. It matches the whole text or the part before its first colon: "vulkan" also
 * matches "vulkan:device=0". */
static bool holds_text(const char *pattern, const char *text)
{
    char front[256];
    size_t length = strcspn(text, ":");
    if (plan_matches(pattern, text))
        return true;
    snprintf(front, sizeof front, "%.*s", (int)(length < sizeof front ? length : 0), text);
    return text[length] == ':' && plan_matches(pattern, front);
}

static bool expect_parse_holds(const struct expect_condition *condition, const struct expect_device *device)
{
    const char *const texts[KEY_COUNT] = {device->device, device->name, device->driver, device->version, ""};
    DML_FEATURE_LEVEL level = device->level ? device->level : level_all[SPEC_MAX_LEVELS - 1], other = condition->level;
    if (condition->key != KEY_LEVEL)
        return holds_text(condition->value, texts[condition->key]) == (condition->relation == IS);
    switch (condition->relation) {
    case IS:
        return level == other;
    case IS_NOT:
        return level != other;
    case BELOW:
        return level < other;
    case AT_MOST:
        return level <= other;
    case ABOVE:
        return level > other;
    default:
        return level >= other;
    }
}

bool expect_section_holds(const struct expect_section *section, const struct expect_device *device)
{
    bool all = true;
    for (int i = 0; i < section->count; i++)
        all &= expect_parse_holds(&section->conditions[i], device);
    return all;
}

/* Parses "KEY=VALUE". */
static int parse_condition(struct expect *e, char *word, struct expect_section *section, struct error *error)
{
    struct expect_condition condition = {.key = KEY_COUNT};
    size_t key = strcspn(word, "=!<>"), relation = strspn(word + key, "=!<>");
    const char *value = word + key + relation;
    for (int i = 0; i < KEY_COUNT; i++)
        if (strlen(key_names[i]) == key && strncmp(word, key_names[i], key) == 0)
            condition.key = (enum expect_key)i;
    condition.relation = RELATION_COUNT;
    for (int i = 0; i < RELATION_COUNT; i++)
        if (strlen(relation_names[i]) == relation && strncmp(word + key, relation_names[i], relation) == 0)
            condition.relation = (enum expect_relation)i;
    if (condition.key == KEY_COUNT)
        return error_set(error, EXIT_HARNESS,
                         "'%.*s' is not a condition; expected device, name, driver, version or level", (int)key, word);
    if (condition.relation == RELATION_COUNT || (condition.key != KEY_LEVEL && condition.relation > IS_NOT))
        return error_set(error, EXIT_HARNESS, "'%s': expected %s, then %s, then %s", word, key_names[condition.key],
                         condition.key == KEY_LEVEL ? "one of = != < <= > >=" : "= or !=",
                         condition.key == KEY_LEVEL ? "a feature level" : "a pattern");
    if (*value == '\0')
        return error_set(error, EXIT_HARNESS, "'%s': expected a value after it", word);
    condition.level = level_find(value);
    if (condition.key == KEY_LEVEL && !condition.level)
        return error_set(error, EXIT_HARNESS, "'%s' is not a feature level; expected 1_0 to 6_4", value);
    if (section->count == EXPECT_CONDITIONS)
        return error_set(error, EXIT_HARNESS, "more than %d conditions", EXPECT_CONDITIONS);
    condition.value = pool_string(&e->pool, value);
    section->conditions[section->count++] = condition;
    return 0;
}

/* Parses "[KEY=VALUE …]", optionally followed by a comment. */
static int parse_section(struct expect *e, char *text, struct error *error)
{
    struct expect_section section = {0};
    char *end = strchr(text, ']'), *rest = text + 1;
    if (!end)
        return error_set(error, EXIT_HARNESS, "a section without its ]; expected [KEY=VALUE …]");
    *end++ = '\0';
    end += strspn(end, " \t");
    if (*end != '\0' && *end != '#')
        return error_set(error, EXIT_HARNESS, "'%s' after a section; expected nothing but a comment", end);
    for (char *word; (word = strsep(&rest, " \t"));) {
        int result = *word ? parse_condition(e, word, &section, error) : 0;
        if (result)
            return result;
    }
    struct expect_section *more = realloc(e->sections, (e->section_count + 1) * sizeof *more);
    if (!more)
        return error_set(error, EXIT_HARNESS, "out of memory");
    e->sections = more;
    e->sections[e->section_count++] = section;
    return 0;
}

/* ---- expectations */

static int parse_status(const char *word, uint32_t *statuses, struct error *error)
{
    const char *names[STATUS_COUNT];
    size_t count = 0;
    enum status status = status_find(word);
    for (int i = 0; i < STATUS_COUNT; i++)
        if ((EXPECT_STATUSES | EXPECT_SKIP) >> i & 1)
            names[count++] = status_name((enum status)i);
    const char *near = status == STATUS_COUNT ? words_nearest(word, names, count) : NULL;
    if (near)
        return error_set(error, EXIT_HARNESS, "'%s' is not a status; did you mean %s?", word, near);
    if (status == STATUS_COUNT || !((EXPECT_STATUSES | EXPECT_SKIP) >> status & 1))
        return error_set(error, EXIT_HARNESS,
                         "'%s' cannot be expected; expected pass, warn, fail, crash, timeout, device_lost or skip",
                         word);
    if (*statuses >> status & 1)
        return error_set(error, EXIT_HARNESS, "the status %s occurs twice", word);
    *statuses |= 1u << status;
    return 0;
}

static int parse_statuses(char *words, uint32_t *statuses, struct error *error)
{
    int result = 0;
    for (char *word; result == 0 && (word = strsep(&words, ","));)
        result = parse_status(word, statuses, error);
    if (result == 0 && *statuses & EXPECT_SKIP && *statuses != EXPECT_SKIP)
        result =
            error_set(error, EXIT_HARNESS, "a case that is skipped ends with no other status; expected skip alone");
    return result;
}

/* Parses the RULE of "broken=RULE". */
static int parse_broken(struct expect *e, const char *rule, struct expect_line *line, struct error *error)
{
    if (!*rule)
        return error_set(error, EXIT_HARNESS, "'%s': expected the id of a rule after it", broken_key);
    for (const char *c = rule; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
            return error_set(error, EXIT_HARNESS, "'%s' is not the id of a rule; expected letters, digits and _ - .",
                             rule);
    line->broken = pool_string(&e->pool, rule);
    return 0;
}

/* Returns the next word of the line, and moves `*rest` to the one after it. Null: there is none. */
static char *expect_parse_next_word(char **rest)
{
    if (*rest)
        *rest += strspn(*rest, " \t");
    if (!*rest || !**rest)
        return NULL;
    char *word = strsep(rest, " \t");
    if (*rest)
        *rest += strspn(*rest, " \t");
    return word;
}

/* Parses "PATTERN [broken=RULE] STATUS[,STATUS…] # REASON"; changes the text. */
static int parse_expectation(struct expect *e, char *text, struct expect_line *line, struct error *error)
{
    char *reason = strchr(text, '#'), *rest = text;
    if (reason)
        *reason++ = '\0';
    const char *pattern = strsep(&rest, " \t");
    char *statuses = expect_parse_next_word(&rest), *rule = NULL;
    if (statuses && strncmp(statuses, broken_key, strlen(broken_key)) == 0) {
        rule = statuses + strlen(broken_key);
        statuses = expect_parse_next_word(&rest);
    }
    if (!statuses)
        return error_set(error, EXIT_HARNESS, "'%s' has no status; %s", pattern, line_form);
    if (rest && *rest != '\0')
        return error_set(error, EXIT_HARNESS, "'%s' after the statuses; %s", rest, line_form);
    for (const char *c = pattern; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_-.*?", *c))
            return error_set(error, EXIT_HARNESS,
                             "'%s' is not a pattern for case names; expected letters, digits and _ - . * ?", pattern);
    int result = rule ? parse_broken(e, rule, line, error) : 0;
    if (result == 0)
        result = parse_statuses(statuses, &line->statuses, error);
    if (result == 0 && rule && !(line->statuses & EXPECT_FAILURES))
        result = error_set(error, EXIT_HARNESS,
                           "a line with a broken rule is about failures; expected fail, crash, "
                           "timeout or device_lost");
    if (result)
        return result;
    if (reason)
        reason += strspn(reason, " \t");
    if (!reason || *reason == '\0')
        return error_set(error, EXIT_HARNESS, "the reason is missing; %s", line_form);
    line->pattern = pool_string(&e->pool, pattern);
    line->of_search = strstr(pattern, ".search.") != NULL;
    line->reason = pool_string(&e->pool, reason);
    return 0;
}

/* ---- files */

static int expect_parse_add_line(struct expect *e, const struct expect_line *line, struct error *error)
{
    if (e->count == e->capacity) {
        size_t capacity = e->capacity ? 2 * e->capacity : 64;
        struct expect_line *more = realloc(e->lines, capacity * sizeof *more);
        if (!more || capacity > UINT32_MAX / 2) {
            e->lines = more ? more : e->lines;
            return error_set(error, EXIT_HARNESS, "out of memory");
        }
        e->lines = more;
        e->capacity = capacity;
    }
    e->lines[e->count++] = *line;
    return 0;
}

static int parse_line(struct expect *e, char *text, struct expect_line *line, struct error *error)
{
    size_t length = strlen(text);
    int result = 0;
    while (length > 0 && strchr(" \t\r", text[length - 1]))
        text[--length] = '\0';
    line->text = pool_string(&e->pool, text);
    text += strspn(text, " \t");
    if (*text == '[')
        result = parse_section(e, text, error);
    else if (*text != '\0' && *text != '#')
        result = parse_expectation(e, text, line, error);
    line->section = e->section_count - 1;
    return result ? result : expect_parse_add_line(e, line, error);
}

int expect_load_text(struct expect *e, const char *path, bool found, char *text, size_t size, struct error *error)
{
    char *rest = text + text_mark(text, size);
    struct expect_line line = {.file = pool_string(&e->pool, path), .found = found};
    char all[] = "[]"; /* each file begins with a section that matches every device */
    int result = parse_section(e, all, error);
    for (char *at; result == 0 && rest && (size_t)(rest - text) < size;) {
        struct expect_line next = line;
        at = strsep(&rest, "\n");
        next.number = ++line.number;
        if (strlen(at) != (size_t)(rest ? rest - 1 - at : text + size - at))
            result = error_set(error, EXIT_HARNESS, "a zero byte; expected text");
        else
            result = parse_line(e, at, &next, error);
        if (result)
            error_context(error, "%s:%u", path, line.number);
    }
    return result;
}

int expect_load(struct expect *e, const char *path, bool found, struct error *error)
{
    uint64_t size;
    char *text = input_file(path, "an expectation file", INPUT_MAX, &size, error);
    if (!text && errno == ENOENT)
        error->status = EXIT_USAGE;
    int result = text ? expect_load_text(e, path, found, text, size, error) : (int)error->status;
    free(text);
    return result;
}

void expect_free(struct expect *e)
{
    pool_clear(&e->pool);
    patterns_free(&e->applying);
    free(e->lines);
    free(e->sections);
    *e = (struct expect){0};
}
