/* schema_version.h: the marks of the results databases of this program; reports/schema.sql sets both. */
#ifndef RESULTS_SCHEMA_VERSION_H
#define RESULTS_SCHEMA_VERSION_H

enum {
    SCHEMA_APPLICATION_ID = 0x61736179, /* "asay" */
    SCHEMA_VERSION = 9
};

#endif
