-- An assay results database, schema version 3. This file makes one: sqlite3 results.db <reports/schema.sql
--
-- One file holds many runs: the history of a project, or one night. Read through the views at the end: runs, results,
-- failures, current_runs, case_history, case_trends, fingerprint, summary, interaction_coverage and samples keep their
-- names, columns and order; columns may be added at their ends. The tables may change with the version.
--
-- Text from devices and files is stored with control characters and bytes that are not UTF-8 made visible (\n, \x1b,
-- \xff), so that every text here is one line of valid UTF-8, safe to print. '' means none. Times are UTC.

PRAGMA application_id = 0x61736179; -- "asay"
PRAGMA user_version = 3;

-- A device as it described itself when it ran. Another driver or version is another row.
CREATE TABLE device (
    id            INTEGER PRIMARY KEY,
    device        TEXT NOT NULL, -- as given with -d: "reference", "vulkan:device=llvmpipe"
    name          TEXT NOT NULL, -- what the device calls itself
    driver        TEXT NOT NULL,
    version       TEXT NOT NULL, -- of the device library
    feature_level TEXT NOT NULL, -- the highest it declares: "6_4"
    UNIQUE (device, name, driver, version, feature_level)
) STRICT;

-- One call of `assay run`: a run on each of its devices.
CREATE TABLE invocation (
    id      INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    runs    INTEGER NOT NULL -- how many it is to have; as long as fewer are complete, it can be resumed
) STRICT;

-- The words of its command line after "run", as they were given.
CREATE TABLE argument (
    invocation_id INTEGER NOT NULL REFERENCES invocation (id),
    position      INTEGER NOT NULL, -- 1, 2, …
    word          BLOB NOT NULL,
    PRIMARY KEY (invocation_id, position)
) STRICT, WITHOUT ROWID;

-- One execution of a plan of cases on one device.
CREATE TABLE run (
    id        INTEGER PRIMARY KEY,
    invocation_id INTEGER REFERENCES invocation (id), -- null: merged from shards
    device_id INTEGER NOT NULL REFERENCES device (id),
    version   TEXT NOT NULL,    -- of assay
    seed      INTEGER NOT NULL, -- 64 bits; printf('0x%x', seed) is what --seed takes
    planned   INTEGER NOT NULL, -- cases, of the shard
    plan_hash INTEGER NOT NULL, -- of all planned names, in order: two whole runs with the same compare row for row
    shard     INTEGER NOT NULL, -- 1 to `shards`
    shards    INTEGER NOT NULL, -- parts that the plan is in; 1: a whole run
    command   TEXT NOT NULL,    -- the command line
    started   TEXT NOT NULL,    -- 2025-01-31T12:00:00.000Z
    ended     TEXT,             -- null: running, or the harness died
    state     TEXT NOT NULL CHECK (state IN ('running', 'complete', 'incomplete'))
) STRICT;

-- A case, the same in all runs. The name holds all public parameters.
CREATE TABLE test_case (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE, -- "gather_nd.indices.negative.fl3_0.float32-int64.d5p3q2k1"
    operator      TEXT NOT NULL,        -- "GATHER_ND"
    feature_level TEXT NOT NULL,        -- the level whose rules it tests: "3_0"
    data_types    TEXT NOT NULL         -- "float32-int64"; '' where the operator leaves no choice
) STRICT;

-- What a case was judged by. Few of them serve many results.
CREATE TABLE judgement (
    id       INTEGER PRIMARY KEY,
    rule     TEXT NOT NULL, -- id of the rule that decides
    strength TEXT NOT NULL, -- of that rule: 'reject', 'must', 'soft', 'open'
    pages    TEXT NOT NULL, -- ids of the page sentences or rulings behind the rule: "bed83-115, A6"
    expected TEXT NOT NULL, -- of the device, a few words
    outcome  TEXT NOT NULL, -- what the device chose where it has a choice: "clamped", "E_INVALIDARG when created"
    UNIQUE (rule, strength, pages, expected, outcome)
) STRICT;

-- What came of a case in a run. A case tried again in the same run has one row an attempt; the last one counts.
CREATE TABLE result (
    run_id       INTEGER NOT NULL REFERENCES run (id),
    case_id      INTEGER NOT NULL REFERENCES test_case (id),
    attempt      INTEGER NOT NULL, -- 1, 2, …
    status       TEXT NOT NULL CHECK (status = 'pass' OR status IN ('fail', 'warn', 'crash', 'timeout', 'device_lost',
                                      'unsupported', 'skip', 'harness_error', 'incomplete')),
    judgement_id INTEGER NOT NULL REFERENCES judgement (id),
    host_ns      INTEGER NOT NULL, -- nanoseconds spent inside the device's calls
    device_ns    INTEGER,          -- nanoseconds by the device's clock; null: it has none
    seed         INTEGER NOT NULL, -- of the case's values; 64 bits
    slow         INTEGER NOT NULL, -- 1: it took longer than --slow allows
    PRIMARY KEY (run_id, case_id, attempt)
) STRICT, WITHOUT ROWID;

-- More of a result, where there is more to say than that it passed. What is said of all attempts, and what was expected,
-- is in the last one.
CREATE TABLE detail (
    run_id            INTEGER NOT NULL,
    case_id           INTEGER NOT NULL,
    attempt           INTEGER NOT NULL,
    message           TEXT NOT NULL,    -- why it is not a pass
    wrong_count       INTEGER NOT NULL, -- how many elements are wrong; the first of them is
    wrong_tensor      TEXT NOT NULL,    --   in this tensor
    wrong_coordinates TEXT NOT NULL,    --   at "{0,0,2,1}"
    wrong_got         TEXT NOT NULL,    --   value and bits: "1.5 (0x3fc00000)"
    wrong_expected    TEXT NOT NULL,
    reproduce         TEXT NOT NULL,    -- one line for the shell
    flaky             INTEGER NOT NULL DEFAULT 0, -- 1: the attempts did not all end the same, and one of them ended well
    expectation       TEXT NOT NULL DEFAULT ''    -- of an expectation file; '': it says nothing of the case
                      CHECK (expectation IN ('', 'expected', 'unexpected')),
    reason            TEXT NOT NULL DEFAULT '',   -- that the file gives
    cause             TEXT NOT NULL DEFAULT '',   -- what is wrong: 'wrong accept', 'wrong reject', 'wrong error', 'wrong
                      -- result', 'corrupt memory', 'support', 'conduct', 'crash', 'timeout', 'device lost', 'harness'
    PRIMARY KEY (run_id, case_id, attempt),
    FOREIGN KEY (run_id, case_id, attempt) REFERENCES result (run_id, case_id, attempt) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Interaction coverage, as `assay coverage --db` measured it: of the combinations of two or three values of an operator's
-- factors (feature level, data types, shape parameters, strides), how many occur in the planned cases.
CREATE TABLE coverage (
    id         INTEGER PRIMARY KEY,
    measured   TEXT NOT NULL,    -- when
    version    TEXT NOT NULL,    -- of assay
    plan_hash  INTEGER NOT NULL, -- of all cases that were planned: as in the runs of these cases
    operator   TEXT NOT NULL,
    ways       INTEGER NOT NULL CHECK (ways IN (2, 3)),
    covered    INTEGER NOT NULL, -- a case has the combination
    missed     INTEGER NOT NULL, -- none has it, but some legal description does
    undecided  INTEGER NOT NULL, -- none has it, and neither a description nor a proof that there is none was found
    impossible INTEGER NOT NULL  -- proven: no legal description has it
) STRICT;

-- What a run is doing, or was when its harness died.
CREATE TABLE running (
    run_id  INTEGER NOT NULL REFERENCES run (id),
    worker  INTEGER NOT NULL, -- 1, 2, …
    case_name TEXT NOT NULL,
    cases   INTEGER NOT NULL, -- that it runs together, that one the first
    seconds REAL NOT NULL,    -- for how long
    PRIMARY KEY (run_id, worker)
) STRICT, WITHOUT ROWID;

-- How long a case took, again and again, where a run was made to measure that (`assay compare --time`). It is dispatched
-- alone each time; the times of its row in result are of a first one, which warms up.
CREATE TABLE timing_sample (
    run_id    INTEGER NOT NULL REFERENCES run (id),
    case_id   INTEGER NOT NULL REFERENCES test_case (id),
    repeat    INTEGER NOT NULL, -- 1, 2, …; two runs that were measured in turns took the same repeat one after the other
    host_ns   INTEGER NOT NULL, -- as in result
    device_ns INTEGER,
    PRIMARY KEY (run_id, case_id, repeat)
) STRICT, WITHOUT ROWID;

-- Runs, a line each.
CREATE VIEW runs AS
SELECT run.id AS run_id, device.device, run.state, run.started, run.ended, run.planned, device.name AS device_name,
       device.driver AS device_driver, device.version AS device_version, device.feature_level, run.version,
       printf('0x%016x', run.seed) AS seed, printf('0x%016x', run.plan_hash) AS plan_hash, run.command,
       run.shard, run.shards, run.invocation_id
FROM run
JOIN device ON device.id = run.device_id;

-- The result that counts for every case of every run.
CREATE VIEW results AS
SELECT result.run_id, device.device, test_case.name AS case_name, test_case.operator, test_case.feature_level, status,
       rule, ifnull(message, '') AS message, host_ns, device_ns, printf('0x%016x', result.seed) AS seed, pages, expected,
       ifnull(wrong_tensor, '') AS wrong_tensor, ifnull(wrong_coordinates, '') AS wrong_coordinates,
       ifnull(wrong_got, '') AS wrong_got, ifnull(wrong_expected, '') AS wrong_expected,
       ifnull(wrong_count, 0) AS wrong_count, ifnull(reproduce, '') AS reproduce, result.attempt,
       strength, outcome, ifnull(flaky, 0) AS flaky, ifnull(expectation, '') AS expectation,
       ifnull(reason, '') AS reason, slow, ifnull(cause, '') AS cause, data_types,
       ifnull(expectation, '') = 'unexpected' OR ifnull(expectation, '') = '' AND
       (ifnull(flaky, 0) OR status IN ('fail', 'crash', 'timeout', 'device_lost', 'harness_error')) AS failed, result.case_id
FROM result
JOIN run ON run.id = result.run_id
JOIN device ON device.id = run.device_id
JOIN test_case ON test_case.id = result.case_id
JOIN judgement ON judgement.id = result.judgement_id
LEFT JOIN detail USING (run_id, case_id, attempt)
WHERE NOT EXISTS (SELECT 1 FROM result AS later
                  WHERE later.run_id = result.run_id AND later.case_id = result.case_id
                    AND later.attempt > result.attempt);

-- Of these, what makes a run fail.
CREATE VIEW failures AS
SELECT * FROM results WHERE failed;

-- The last run of each device, and the one before it, null if there is none.
CREATE VIEW current_runs AS
SELECT device, max(run_id) AS run_id,
       (SELECT max(before.run_id) FROM runs AS before
        WHERE before.device = runs.device AND before.run_id < max(runs.run_id)) AS before_run_id
FROM runs GROUP BY device;

-- Every case in every run that judged it, a device's runs one after the other.
CREATE VIEW case_history AS
SELECT device, case_name, run_id, (SELECT started FROM run WHERE run.id = run_id) AS started, status, failed, flaky,
       expectation, host_ns
FROM results WHERE status NOT IN ('skip', 'unsupported', 'incomplete');

-- What became of each case on a device over all its runs: `first_bad_run` is where the failing that still goes on began;
-- null if it does not fail. `turns` counts how often it began or ceased to fail, `flake_rate` is the part of the runs in
-- which it was flaky. `expected_since` is when it began to end as an expectation says, without a break. `slowdown` is the
-- time of the last run by the mean of the runs before; null where there is none.
CREATE VIEW case_trends AS
WITH step AS (
    SELECT *, lag(failed) OVER line <> failed AS turned, max(iif(failed, 0, run_id)) OVER whole AS good, max(run_id) OVER whole AS newest,
           max(iif(expectation = 'expected', 0, run_id)) OVER whole AS unexpected
    FROM case_history
    WINDOW whole AS (PARTITION BY device, case_name), line AS (PARTITION BY device, case_name ORDER BY run_id))
SELECT device, case_name, count(*) AS runs, sum(failed) AS bad_runs, min(iif(failed AND run_id > good, run_id, NULL))
       AS first_bad_run, nullif(max(good), 0) AS last_good_run, sum(ifnull(turned, 0)) AS turns, sum(flaky) AS flaky_runs,
       avg(flaky) AS flake_rate, min(iif(expectation = 'expected' AND run_id > unexpected, started, NULL)) AS expected_since,
       max(iif(run_id = newest, host_ns, NULL)) AS last_ns, avg(iif(run_id < newest, host_ns, NULL)) AS mean_ns_before,
       max(iif(run_id = newest, host_ns, NULL)) / avg(iif(run_id < newest, host_ns, NULL)) AS slowdown
FROM step GROUP BY device, case_name;

-- What each device does where the documents leave a choice, and with what it rejects; how often.
CREATE VIEW fingerprint AS
SELECT run_id, device, operator, rule, strength, outcome, count(*) AS count
FROM results WHERE outcome <> '' GROUP BY run_id, operator, rule, strength, outcome;

-- How many cases of each operator ended how, in each run.
CREATE VIEW summary AS
SELECT run_id, operator, status, count(*) AS count FROM results GROUP BY run_id, operator, status;

-- Of the combinations that can be, the percentage that is covered; undecided ones count as ones that can be.
CREATE VIEW interaction_coverage AS
SELECT id AS coverage_id, measured, version, printf('0x%016x', plan_hash) AS plan_hash, operator, ways,
       covered + missed + undecided AS combinable, covered, missed, undecided, impossible,
       covered * 10000 / max(covered + missed + undecided, 1) / 100.0 AS percent
FROM coverage;

-- The timing samples, by name.
CREATE VIEW samples AS
SELECT timing_sample.run_id, device.device, test_case.name AS case_name, test_case.operator, repeat, host_ns, device_ns
FROM timing_sample
JOIN run ON run.id = timing_sample.run_id
JOIN device ON device.id = run.device_id
JOIN test_case ON test_case.id = timing_sample.case_id;
