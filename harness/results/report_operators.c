#include "harness/results/report_operators.h"

#include "harness/base/dml_names.h"
#include "harness/results/guard.h"
#include "harness/spec/spec.h"

/* A level counts if a case of the device is of that level. Levels compare as texts: "1_0" to "6_4". */
static const char report_operators_views[] =
    "CREATE TEMP TABLE IF NOT EXISTS report_operator (operator TEXT PRIMARY KEY, since TEXT);"
    "CREATE TEMP VIEW IF NOT EXISTS report_conformance AS "
    "SELECT levels.as_of, levels.device, level, operator, ifnull(cells.state, 'none') AS state "
    "FROM (SELECT DISTINCT as_of, device, feature_level AS level FROM current_conformance) AS levels "
    "JOIN runs ON runs.run_id = levels.as_of "
    "JOIN report_operator ON since <= level "
    "LEFT JOIN (SELECT as_of, feature_level AS level, operator, state FROM current_conformance) AS cells "
    "USING (as_of, level, operator) "
    "WHERE runs.feature_level IN ('', 'none') OR level <= runs.feature_level";

int report_operators_list(sqlite3 *db, struct error *error)
{
    sqlite3_stmt *put = NULL;
    bool good =
        sqlite3_exec(db, report_operators_views, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO report_operator VALUES (?1, ?2)", -1, &put, NULL) == SQLITE_OK;
    DML_OPERATOR_TYPE type = DML_OPERATOR_INVALID;
    while (good && (type = dml_operator_next(type)) != DML_OPERATOR_INVALID) {
        sqlite3_bind_text(put, 1, dml_operator_name(type), -1, SQLITE_STATIC);
        sqlite3_bind_text(put, 2, level_name(dml_operator_since(type)), -1, SQLITE_STATIC);
        good = sqlite3_step(put) == SQLITE_DONE;
        sqlite3_reset(put);
    }
    if (!good)
        error_set(error, EXIT_HARNESS, "the documented operators cannot be listed: %s", guard_message(db));
    sqlite3_finalize(put);
    return good ? 0 : EXIT_HARNESS;
}
