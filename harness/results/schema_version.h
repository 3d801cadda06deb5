/* schema_version.h: what marks a results database that this program reads and writes; reports/schema.sql sets both. */
#ifndef RESULTS_SCHEMA_VERSION_H
#define RESULTS_SCHEMA_VERSION_H

enum {
    SCHEMA_APPLICATION_ID = 0x61736179, /* "asay" */
    SCHEMA_VERSION = 6
};

#endif
