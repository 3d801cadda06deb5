/* fault_tables.c: the tables of all faults*.c files, and the search for a fault by name. */
#include "device/mutants/faults.h"

#include <string.h>

const struct fault_table fault_tables[FAULT_TABLES] = {
    {"fault", faults, &fault_count},
    {"state", state_faults, &state_fault_count},
    {"process", process_faults, &process_fault_count},
    {"reach", reach_faults, &reach_fault_count},
    {"answer", answer_faults, &answer_fault_count},
    {"interface", interface_faults, &interface_fault_count},
    {"leak", leak_faults, &leak_fault_count},
    {"state", race_faults, &race_fault_count},
};

const struct fault *fault_find(const char *name)
{
    for (int t = 0; t < FAULT_TABLES; t++)
        for (unsigned i = 0; i < *fault_tables[t].count; i++)
            if (strcmp(fault_tables[t].faults[i].name, name) == 0)
                return &fault_tables[t].faults[i];
    return NULL;
}
