/* cmd_json.h: members of JSON objects, for commands that print one on standard output. */
#ifndef CLI_CMD_JSON_H
#define CLI_CMD_JSON_H

/* Prints "key": "text", after the text `before`. */
void cmd_json_pair(const char *before, const char *key, const char *text);

/* Prints "key": ["word", …], after `before`: the words of a list, such as the sources of a rule, that commas or spaces
 * separate. */
void cmd_json_words(const char *before, const char *key, const char *list);

#endif
