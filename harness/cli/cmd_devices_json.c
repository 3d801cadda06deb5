#include "harness/cli/cmd_devices.h"
#include "harness/cli/cmd_json.h"
#include "harness/base/datatype.h"
#include "harness/base/text.h"

#include <stdio.h>

static void devices_json_print_hello(const struct cmd_devices_answer *a)
{
    const assay_device_info *info = &a->hello.info;
    const char *comma = "";
    cmd_json_pair(", ", "name", info->name);
    cmd_json_pair(", ", "driver", info->driver);
    cmd_json_pair(", ", "version", info->version);
    printf(", \"abi\": %u, \"feature_level\": ", ASSAY_DEVICE_ABI);
    printf(info->feature_level ? "\"%s\"" : "null", level_name(info->feature_level));
    printf(", \"max_tensor_bytes\": %llu, \"max_batch\": %u, \"data_types\": [",
           (unsigned long long)info->max_tensor_bytes, info->max_batch);
    for (unsigned type = 1; type < DATATYPE_COUNT; type++)
        if (a->hello.data_types >> type & 1) {
            printf("%s\"%s\"", comma, datatype_of(type)->name);
            comma = ", ";
        }
    printf("]");
}

static void print_answer(const char **comma, const char *key, const struct probe_count *count, bool documented)
{
    const char *answer = probe_answer(count);
    if (!documented)
        return;
    printf("%s\"%s\": \"%s\"", *comma, key, *answer ? answer : "?");
    *comma = ", ";
}

static void devices_json_print_operator(const struct spec *spec, const struct probe_operator *op)
{
    const char *comma = "";
    cmd_json_pair("   {", "operator", spec->name);
    if (op->table < 0) {
        printf(", \"level\": null}");
        return;
    }
    cmd_json_pair(", ", "level", spec->levels[op->table].name);
    for (int g = 0; g < spec->group_count; g++) {
        printf("%s\"%s\": {", g ? ", " : ", \"types\": {", spec->groups[g]);
        comma = "";
        for (unsigned type = 1; type < DATATYPE_COUNT; type++)
            print_answer(&comma, datatype_of(type)->name, &op->types[g][type],
                         spec->levels[op->table].types[g] >> type & 1);
        printf("}");
    }
    printf("}, \"dimension_counts\": {");
    comma = "";
    for (unsigned d = 1; d <= DML_TENSOR_DIMENSION_COUNT_MAX1; d++) {
        char key[16];
        snprintf(key, sizeof key, "%u", d);
        print_answer(&comma, key, &op->dims[d], *probe_answer(&op->dims[d]) != '\0');
    }
    printf("}, \"planned\": %u, \"gave_up\": %s, \"cases\": {", op->planned, op->gave_up ? "true" : "false");
    comma = "";
    for (int s = 0; s < STATUS_COUNT; s++)
        if (op->counts[s]) {
            printf("%s\"%s\": %u", comma, status_name((enum status)s), op->counts[s]);
            comma = ", ";
        }
    printf("}, \"first\": [");
    comma = "";
    for (int s = 0; s < STATUS_COUNT; s++) {
        if (!op->first[s])
            continue;
        printf("%s\n    {\"status\": \"%s\"", comma, status_name((enum status)s));
        cmd_json_pair(", ", "case", op->first[s]->case_name);
        cmd_json_pair(", ", "message", op->first[s]->message);
        cmd_json_pair(", ", "reproduce", op->first[s]->reproduce);
        printf("}");
        comma = ",";
    }
    printf("]}");
}

void cmd_devices_json(const struct cmd_devices_answer *a, const struct spec_set *specs, bool first)
{
    cmd_json_pair(first ? "\n {" : ",\n {", "device", a->device);
    printf(", \"open\": %s", a->open ? "true" : "false");
    if (a->open)
        devices_json_print_hello(a);
    else
        cmd_json_pair(", ", "message", a->hello.message);
    if (a->probed) {
        cmd_json_pair(", ", "closing", a->probe.closing);
        const char *comma = ", \"operators\": [\n";
        for (int i = 0; i < a->probe.operator_count; i++) {
            if (!a->probe.operators[i].wanted)
                continue;
            fputs(comma, stdout);
            devices_json_print_operator(&specs->specs[i], &a->probe.operators[i]);
            comma = ",\n";
        }
        printf("]");
    }
    printf("}");
}
