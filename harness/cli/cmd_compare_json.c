#include "harness/cli/cmd_compare.h"
#include "harness/base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { JSON_VERSION = 1 };

static void print_pair(const char *before, const char *key, const char *text)
{
    printf("%s\"%s\":", before, key);
    text_print_json(stdout, text);
}

static void compare_json_print_side(const char *key, const struct changes_side *side)
{
    const struct history_run *run = &side->run;
    printf(",\n\"%s\":{", key);
    print_pair("", "database", side->database);
    printf(",\"run\":%" PRId64, run->id);
    print_pair(",", "device", run->device);
    print_pair(",", "device_name", run->device_name);
    print_pair(",", "device_driver", run->device_driver);
    print_pair(",", "device_version", run->device_version);
    print_pair(",", "feature_level", run->feature_level);
    print_pair(",", "assay", run->version);
    print_pair(",", "state", run->state);
    print_pair(",", "started", run->started);
    print_pair(",", "purpose", run->purpose);
    print_pair(",", "device_hash", run->device_hash);
    print_pair(",", "device_build", run->device_build);
    print_pair(",", "label", run->label);
    print_pair(",", "revision", run->revision);
    print_pair(",", "branch", run->branch);
    printf(",\"partial\":%s,\"half\":%s", run->partial ? "true" : "false", run->half ? "true" : "false");
    if (side->summary.cases)
        printf(",\"device_state\":{\"cases\":%" PRId64 ",\"failures\":%" PRId64 ",\"ran\":%" PRId64
               ",\"since\":%" PRId64 ",\"other_files\":%" PRId64 "}",
               side->summary.cases, side->summary.failures, side->summary.ran, side->summary.first_run,
               side->summary.other_files);
    printf(",\"seed\":\"0x%016" PRIx64 "\",\"cases\":%zu}", run->seed, side->count);
}

static void compare_json_print_change(const struct change *change)
{
    const struct changes_case *c = change->after ? change->after : change->before;
    print_pair("{", "case", c->name);
    print_pair(",", "operator", c->operator_name);
    if (change->before)
        print_pair(",", "before", changes_status(change->before));
    if (change->after)
        print_pair(",", "after", changes_status(change->after));
    print_pair(",", "rule", c->rule);
    print_pair(",", "message", c->message);
    print_pair(",", "reproduce", c->reproduce);
    putchar('}');
}

static void compare_json_print_changes(const struct cmd_compare *compare, const char *key, enum change_kind kind)
{
    size_t shown = 0;
    printf(",\n\"%s\":[", key);
    for (size_t i = 0; i < compare->changes.count && shown < compare->limit; i++)
        if (compare->changes.items[i].kind == kind) {
            fputs(shown++ ? ",\n  " : "\n  ", stdout);
            compare_json_print_change(&compare->changes.items[i]);
        }
    putchar(']');
}

static void compare_json_print_choices(const struct cmd_compare *compare)
{
    size_t shown = 0;
    printf(",\n\"choices\":[");
    for (size_t i = 0; i < compare->changes.count && shown < compare->limit; i++) {
        const struct change *change = &compare->changes.items[i];
        if (!change->choice)
            continue;
        print_pair(shown++ ? ",\n  {" : "\n  {", "case", change->after->name);
        print_pair(",", "operator", change->after->operator_name);
        print_pair(",", "before", change->before->outcome);
        print_pair(",", "after", change->after->outcome);
        print_pair(",", "rule", change->after->rule);
        putchar('}');
    }
    putchar(']');
}

static void compare_json_print_errors(const struct cmd_compare *compare)
{
    size_t shown = 0;
    printf(",\n\"errors_grew\":[");
    for (size_t i = 0; i < compare->changes.count && shown < compare->limit; i++) {
        const struct change *change = &compare->changes.items[i];
        if (!change->error_grew)
            continue;
        print_pair(shown++ ? ",\n  {" : "\n  {", "case", change->after->name);
        print_pair(",", "operator", change->after->operator_name);
        printf(",\"before_ulps\":%.6g,\"after_ulps\":%.6g,\"before_share\":%.6g,\"after_share\":%.6g}",
               change->before->error.ulps, change->after->error.ulps, change->before->error.share,
               change->after->error.share);
    }
    putchar(']');
}

static void compare_json_print_failing(const struct cmd_compare *compare)
{
    const size_t count = compare->failing_count, first = count > compare->limit ? count - compare->limit : 0;
    printf(",\n\"failing_since\":[");
    for (size_t i = first; i < count; i++) {
        const struct history_failing *failing = &compare->failing[i];
        printf("%s{\"run\":%" PRId64 ",\"cases\":%" PRId64, i > first ? ",\n  " : "\n  ", failing->run, failing->cases);
        print_pair(",", "revision", failing->revision);
        print_pair(",", "started", failing->started);
        print_pair(",", "case", failing->case_name);
        putchar('}');
    }
    putchar(']');
}

/* All these numbers are finite: times are above 0. Counts are below 2^53. */
static void compare_json_print_timing(const struct timing *t)
{
    printf(",\"before_ns\":%.9g,\"after_ns\":%.9g,\"ratio\":%.6g,\"p\":%.6g,\"q\":%.6g,\"samples\":[%zu,%zu]}",
           t->before, t->after, t->ratio, t->p, t->q, t->before_count, t->after_count);
}

static void compare_json_print_verdict(const struct cmd_compare *compare, enum timing_verdict verdict)
{
    const struct change **found = cmd_compare_by_ratio(&compare->changes, verdict);
    printf(",\n  \"%s\":[", timing_verdict_name(verdict));
    for (size_t i = 0; found && i < compare->changes.verdicts[verdict] && i < compare->limit; i++) {
        print_pair(i ? ",\n    {" : "\n    {", "case", found[i]->after->name);
        print_pair(",", "operator", found[i]->after->operator_name);
        compare_json_print_timing(&found[i]->timing);
    }
    putchar(']');
    free(found);
}

static void compare_json_print_times(const struct cmd_compare *compare)
{
    const struct changes *changes = &compare->changes;
    printf(
        ",\n\"timing\":{\"clock\":\"%s\",\"effect\":%.6g,\"false_discovery_rate\":%.6g,\"tested\":%zu,\"slower_count\":"
        "%zu,\"faster_count\":%zu",
        compare->clock == CLOCK_HOST ? "host" : "device", compare->limits.effect, compare->limits.rate,
        cmd_compare_tested(changes), changes->verdicts[TIMING_SLOWER], changes->verdicts[TIMING_FASTER]);
    compare_json_print_verdict(compare, TIMING_SLOWER);
    compare_json_print_verdict(compare, TIMING_FASTER);
    printf(",\n  \"operators\":[");
    for (size_t i = 0; i < changes->group_count; i++) {
        const struct changes_group *group = &changes->groups[i];
        if (group->name)
            print_pair(i ? ",\n    {" : "\n    {", "operator", group->name);
        else
            printf("],\n  \"all\":{\"operator\":null");
        printf(",\"cases\":%zu,\"verdict\":\"%s\"", group->cases, timing_verdict_name(group->timing.verdict));
        compare_json_print_timing(&group->timing);
    }
    printf("%s}", changes->group_count ? "" : "]");
}

void cmd_compare_json(const struct cmd_compare *compare)
{
    printf("{\"v\":%d", JSON_VERSION);
    compare_json_print_side("before", &compare->before);
    compare_json_print_side("after", &compare->after);
    printf(",\n\"counts\":");
    changes_print_counts(stdout, &compare->changes);
    compare_json_print_changes(compare, "regressions", CHANGE_REGRESSION);
    compare_json_print_changes(compare, "fixes", CHANGE_FIX);
    compare_json_print_changes(compare, "worse", CHANGE_WORSE);
    compare_json_print_changes(compare, "better", CHANGE_BETTER);
    compare_json_print_changes(compare, "new", CHANGE_NEW);
    compare_json_print_changes(compare, "gone", CHANGE_GONE);
    compare_json_print_failing(compare);
    compare_json_print_choices(compare);
    compare_json_print_errors(compare);
    compare_json_print_times(compare);
    printf("}\n");
}
