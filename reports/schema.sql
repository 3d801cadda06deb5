-- The schema of an assay results database, version 9. To make an empty one: sqlite3 results.db <reports/schema.sql
--
-- One file holds many runs, such as the history of a project or of one night. Query the views at the end: runs, results,
-- failures, conformance_runs, current_runs, current_results, state_results, case_history, case_trends, fingerprint,
-- conformance, current_conformance, summary, interaction_coverage and samples. Their names, columns and column order
-- stay; new columns are added at the end. The tables may change with the schema version.
--
-- In text from devices and files, control characters and bytes that are not UTF-8 are escaped (\n, \x1b, \xff). Every
-- text here is therefore one line of valid UTF-8 and safe to print. '' means none. Times are UTC, in ISO 8601. Columns
-- named *_ns are in nanoseconds.

PRAGMA application_id = 0x61736179; -- "asay"
PRAGMA user_version = 9;

-- A device as it described itself when it ran. A new driver or version makes a new row.
CREATE TABLE device (
    id            INTEGER PRIMARY KEY,
    device        TEXT NOT NULL, -- as given with -d: "reference", "vulkan:device=llvmpipe"
    name          TEXT NOT NULL, -- what the device calls itself
    driver        TEXT NOT NULL,
    version       TEXT NOT NULL, -- of the device library
    feature_level TEXT NOT NULL, -- the highest that it declares: "6_4"
    UNIQUE (device, name, driver, version, feature_level)
) STRICT;

-- One call of `assay run`. It starts one run per device.
CREATE TABLE invocation (
    id      INTEGER PRIMARY KEY,
    started TEXT NOT NULL,
    runs    INTEGER NOT NULL -- planned number of runs; while fewer are complete, --resume can continue the call
) STRICT;

-- The arguments of that call after "run", as given.
CREATE TABLE argument (
    invocation_id INTEGER NOT NULL REFERENCES invocation (id),
    position      INTEGER NOT NULL, -- 1, 2, …
    word          BLOB NOT NULL,
    PRIMARY KEY (invocation_id, position)
) STRICT, WITHOUT ROWID;

-- One execution of a plan of cases on one device.
CREATE TABLE run (
    id        INTEGER PRIMARY KEY,
    invocation_id INTEGER REFERENCES invocation (id), -- null: `assay merge` made the run
    device_id INTEGER NOT NULL REFERENCES device (id),
    version   TEXT NOT NULL,    -- of assay
    seed      INTEGER NOT NULL, -- 64 bits; printf('0x%x', seed) prints it as --seed accepts it
    planned   INTEGER NOT NULL, -- number of planned cases, in this shard
    plan_hash INTEGER NOT NULL, -- hash of the planned case names; whole runs with equal hashes have the same cases
    shard     INTEGER NOT NULL, -- 1 to `shards`
    shards    INTEGER NOT NULL, -- number of parts that the plan is split into; 1: a whole run
    command   TEXT NOT NULL,    -- the command line
    started   TEXT NOT NULL,    -- 2025-01-31T12:00:00.000Z
    ended     TEXT,             -- null: still running, or the harness died
    state     TEXT NOT NULL CHECK (state IN ('running', 'complete', 'incomplete')),
    -- Why it was made. Only 'conformance' and 'rerun' (`assay run --rerun-failed`) count in the state of a device.
    purpose   TEXT NOT NULL DEFAULT 'conformance'
              CHECK (purpose IN ('conformance', 'rerun', 'fingerprint', 'timing', 'coverage', 'bisect', 'repro', 'bench')),
    -- What was asked for, as given: words that are quoted for a shell, with spaces between them.
    filters   TEXT NOT NULL DEFAULT '',
    operators TEXT NOT NULL DEFAULT '',
    levels    TEXT NOT NULL DEFAULT '',
    tier      TEXT NOT NULL DEFAULT '',
    source    TEXT NOT NULL DEFAULT '',  -- --specs and --cases
    whole_plan INTEGER NOT NULL DEFAULT 0, -- 1: the whole default plan; a shard runs a part of it
    -- What it ran on.
    device_hash  TEXT NOT NULL DEFAULT '', -- XXH3 of the device library, 16 hex digits; of the program for `bridge` (its
                                           -- command) and for devices that are part of assay
    device_build TEXT NOT NULL DEFAULT '', -- the build id of that file, an ELF note
    machine      TEXT NOT NULL DEFAULT '', -- "Linux 6.1.0 x86_64"
    cpu          TEXT NOT NULL DEFAULT '', -- the processor's model
    label        TEXT NOT NULL DEFAULT '', -- as given with --label, --revision and --branch, or from the environment of
    revision     TEXT NOT NULL DEFAULT '', -- a CI system
    branch       TEXT NOT NULL DEFAULT '',
    shared_validation INTEGER NOT NULL DEFAULT 0, -- 1: assay's own code validates for the device (a bridge's peer, ONNX
                                -- Runtime), so a rejection says nothing about the implementation
    half INTEGER NOT NULL DEFAULT 0, -- 1: made with --half: FLOAT32 arithmetic had to be no more precise than FLOAT16. Such
                                -- a run does not count in the state of a device
    clocks TEXT NOT NULL DEFAULT '' -- clocks and power state, as the device said when it was measured (`assay bench`)
) STRICT;

-- A test case, shared by all runs. Its name holds all of its public parameters.
CREATE TABLE test_case (
    id            INTEGER PRIMARY KEY,
    name          TEXT NOT NULL UNIQUE, -- "gather_nd.indices.negative.fl3_0.float32-int64.d5p3q2k1"
    operator      TEXT NOT NULL,        -- "GATHER_ND"
    feature_level TEXT NOT NULL,        -- the feature level whose rules the case tests: "3_0"
    data_types    TEXT NOT NULL,        -- "float32-int64"; '' where the operator leaves no choice
    strategy      TEXT NOT NULL         -- the file of cases/ that planned it: "indices"; else, the name's second part
) STRICT;

-- The rule and the expected answer of a case. Many results share one row.
CREATE TABLE judgement (
    id       INTEGER PRIMARY KEY,
    rule     TEXT NOT NULL, -- id of the rule that the case tests; '': none
    strength TEXT NOT NULL, -- of that rule: 'reject', 'must', 'soft', 'open'
    pages    TEXT NOT NULL, -- ids of the page sentences or rulings behind the rule: "bed83-115, A6"
    expects  TEXT NOT NULL  -- the kind of answer expected: 'results', which are compared; 'acceptance', without a
                            -- dispatch; 'rejection'; 'either' of the last two
             CHECK (expects IN ('results', 'acceptance', 'either', 'rejection')),
    expected TEXT NOT NULL, -- the same for a person to read: "the outputs of the reference device"
    outcome  TEXT NOT NULL, -- what the device chose where it has a choice: "clamped", "E_INVALIDARG when created"
    UNIQUE (rule, strength, pages, expects, expected, outcome)
) STRICT;

-- The result of one attempt at a case in a run. Where a run tries a case several times, the last attempt counts.
CREATE TABLE result (
    run_id       INTEGER NOT NULL REFERENCES run (id),
    case_id      INTEGER NOT NULL REFERENCES test_case (id),
    attempt      INTEGER NOT NULL, -- 1, 2, …
    status       TEXT NOT NULL CHECK (status = 'pass' OR status IN ('fail', 'warn', 'crash', 'timeout', 'device_lost',
                                      'unsupported', 'skip', 'harness_error', 'incomplete')),
    judgement_id INTEGER NOT NULL REFERENCES judgement (id),
    host_ns      INTEGER NOT NULL, -- time spent inside the device's calls, nanoseconds
    device_ns    INTEGER,          -- time by the device's own clock, nanoseconds; null: it has none
    seed         INTEGER NOT NULL, -- of the case's input values; 64 bits
    slow         INTEGER NOT NULL, -- 1: it took longer than --slow allows
    -- The largest error of an element, where a formula judges outputs of real numbers; otherwise null. It counts where
    -- the result is a finite number.
    error_ulps   REAL,             -- in ULP of the output's type; of an integer output: in units
    error_share  REAL,             -- of the bound beyond which an element is wrong, at most 1e9; 0: correctly rounded
    PRIMARY KEY (run_id, case_id, attempt)
) STRICT, WITHOUT ROWID;

-- Details of a result that is more than a pass whose elements are all correctly rounded. The columns about all attempts (flaky) and about expectation files
-- (expectation, reason) are set for the last attempt only.
CREATE TABLE detail (
    run_id            INTEGER NOT NULL,
    case_id           INTEGER NOT NULL,
    attempt           INTEGER NOT NULL,
    message           TEXT NOT NULL,    -- why the case did not pass
    wrong_count       INTEGER NOT NULL, -- number of wrong elements; the next columns describe the first one:
    wrong_tensor      TEXT NOT NULL,    --   its tensor
    wrong_coordinates TEXT NOT NULL,    --   its coordinates: "{0,0,2,1}"
    wrong_got         TEXT NOT NULL,    --   its value and bits: "1.5 (0x3fc00000)"
    wrong_expected    TEXT NOT NULL,    --   the expected value and bits
    reproduce         TEXT NOT NULL,    -- a shell command that reproduces the result
    flaky             INTEGER NOT NULL DEFAULT 0, -- 1: the attempts ended differently, and at least one ended well
    expectation       TEXT NOT NULL DEFAULT ''    -- whether the result is as an expectation file says; '': no line matches
                      CHECK (expectation IN ('', 'expected', 'unexpected')),
    reason            TEXT NOT NULL DEFAULT '',   -- from the line of the expectation file
    cause             TEXT NOT NULL DEFAULT '',   -- what is wrong: 'wrong accept', 'wrong reject', 'wrong error', 'wrong
                      -- result', 'corrupt memory', 'support', 'conduct', 'crash', 'timeout', 'device lost', 'harness',
                      -- 'case file'
    broken            TEXT NOT NULL DEFAULT '',   -- id of the rule that is broken, as far as the failure shows; '' if none
    explanations      TEXT NOT NULL DEFAULT '',   -- of a wrong result: the mistakes that predict exactly what was written,
                                                  -- the most specific first: "negative-as-zero, misplaced"
    shared            TEXT NOT NULL DEFAULT '',   -- what its wrong elements have in common; '' if nothing
    wrong_elements    INTEGER,                    -- in all its outputs; wrong_count are those of wrong_tensor
    printed           TEXT NOT NULL DEFAULT '',   -- the end of what the device printed to standard error; '' if nothing. It
                      -- begins with "[N cases at once]" if other cases of its batch may have made the device print it
    wrong_inputs      TEXT NOT NULL DEFAULT '',   -- elements of inputs on which the first wrong element depends, the first
                      -- and the last ones of each: "ATensor {0,1} 2; BTensor {0,1} 5"; '' if not known
    error_place       TEXT NOT NULL DEFAULT '',   -- the element with error_share, of passes too: its coordinates, what was
                      -- got, the exact result, and the operands: "OutputTensor {0,7}: got 1.5 (0x3fc00000), exact 1.25
                      -- (0x3fa00000), InputTensor 0.5 (0x3f000000)"; '' if no element has an error
    PRIMARY KEY (run_id, case_id, attempt),
    FOREIGN KEY (run_id, case_id, attempt) REFERENCES result (run_id, case_id, attempt) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Interaction coverage, as measured by `assay coverage --db`: how many combinations of two or three values of an operator's
-- factors (feature level, data types, shape parameters, strides) occur in the planned cases.
CREATE TABLE coverage (
    id         INTEGER PRIMARY KEY,
    measured   TEXT NOT NULL,    -- time of the measurement
    version    TEXT NOT NULL,    -- of assay
    plan_hash  INTEGER NOT NULL, -- hash of all planned case names, as in table run
    operator   TEXT NOT NULL,
    ways       INTEGER NOT NULL CHECK (ways IN (2, 3)), -- 2: pairs of values, 3: triples
    covered    INTEGER NOT NULL, -- combinations that some case has
    missed     INTEGER NOT NULL, -- that no case has, but some legal description does
    undecided  INTEGER NOT NULL, -- that no case has; no legal description and no proof against one was found
    impossible INTEGER NOT NULL  -- that provably no legal description has
) STRICT;

-- The batch that each worker of a run is running, or was running when the harness died.
CREATE TABLE running (
    run_id  INTEGER NOT NULL REFERENCES run (id),
    worker  INTEGER NOT NULL, -- 1, 2, …
    case_name TEXT NOT NULL,  -- the first case of the batch
    cases   INTEGER NOT NULL, -- number of cases in the batch
    seconds REAL NOT NULL,    -- time spent on the batch so far
    PRIMARY KEY (run_id, worker)
) STRICT, WITHOUT ROWID;

-- Repeated timings of a case, from runs made for that purpose. With `assay compare --time` each sample is one dispatch of
-- the case alone, and the times in table result are those of an earlier warm-up dispatch. With `assay bench` it is a round
-- of runs: the mean of one by the host's clock, the median by the device's.
CREATE TABLE timing_sample (
    run_id    INTEGER NOT NULL REFERENCES run (id),
    case_id   INTEGER NOT NULL REFERENCES test_case (id),
    repeat    INTEGER NOT NULL, -- 1, 2, …; runs measured in turns take the same repeat one after the other
    host_ns   INTEGER NOT NULL, -- as in result
    device_ns INTEGER,
    PRIMARY KEY (run_id, case_id, repeat)
) STRICT, WITHOUT ROWID;

-- The speed of a case in a run of `assay bench`, compared with a copy on the same device.
CREATE TABLE copy_share (
    run_id  INTEGER NOT NULL REFERENCES run (id),
    case_id INTEGER NOT NULL REFERENCES test_case (id),
    share   REAL NOT NULL, -- its bytes moved a second, as a share of the copy's
    PRIMARY KEY (run_id, case_id)
) STRICT, WITHOUT ROWID;

-- One row per run.
CREATE VIEW runs AS
SELECT run.id AS run_id, device.device, run.state, run.started, run.ended, run.planned, device.name AS device_name,
       device.driver AS device_driver, device.version AS device_version, device.feature_level, run.version,
       printf('0x%016x', run.seed) AS seed, printf('0x%016x', run.plan_hash) AS plan_hash, run.command,
       run.shard, run.shards, run.invocation_id, run.purpose, run.filters, run.operators, run.levels, run.tier,
       run.source, run.whole_plan, NOT run.whole_plan OR run.shards > 1 AS partial,
       run.device_hash, run.device_build, run.machine, run.cpu, run.label, run.revision, run.branch,
       run.shared_validation, run.half, run.clocks
FROM run
JOIN device ON device.id = run.device_id;

-- The valid result for each case of each run: the result of the last attempt.
CREATE VIEW results AS
SELECT result.run_id, device.device, test_case.name AS case_name, test_case.operator, test_case.feature_level, status,
       rule, ifnull(message, '') AS message, host_ns, device_ns, printf('0x%016x', result.seed) AS seed, pages, expected,
       ifnull(wrong_tensor, '') AS wrong_tensor, ifnull(wrong_coordinates, '') AS wrong_coordinates,
       ifnull(wrong_got, '') AS wrong_got, ifnull(wrong_expected, '') AS wrong_expected,
       ifnull(wrong_count, 0) AS wrong_count, ifnull(reproduce, '') AS reproduce, result.attempt,
       strength, outcome, ifnull(flaky, 0) AS flaky, ifnull(expectation, '') AS expectation,
       ifnull(reason, '') AS reason, slow, ifnull(cause, '') AS cause, data_types,
       ifnull(expectation, '') = 'unexpected' OR ifnull(expectation, '') = '' AND
       (ifnull(flaky, 0) OR status IN ('fail', 'crash', 'timeout', 'device_lost', 'harness_error')) AS failed,
       result.case_id, expects,
       status = 'pass' AND expects = 'results' AND outcome <> 'error' AS compared, -- 1: a pass in which outputs of the
       -- device were compared
       ifnull(expectation, '') = 'expected' AND
        (ifnull(flaky, 0) OR status IN ('fail', 'crash', 'timeout', 'device_lost')) AS known, -- 1: a failure that an
        -- expectation file lists
       ifnull(broken, '') AS broken, ifnull(explanations, '') AS explanations, ifnull(shared, '') AS shared,
       wrong_elements, error_ulps, error_share, ifnull(printed, '') AS printed, strategy,
       ifnull(wrong_inputs, '') AS wrong_inputs, ifnull(error_place, '') AS error_place
FROM result
JOIN run ON run.id = result.run_id
JOIN device ON device.id = run.device_id
JOIN test_case ON test_case.id = result.case_id
JOIN judgement ON judgement.id = result.judgement_id
LEFT JOIN detail USING (run_id, case_id, attempt)
WHERE NOT EXISTS (SELECT 1 FROM result AS later
                  WHERE later.run_id = result.run_id AND later.case_id = result.case_id
                    AND later.attempt > result.attempt);

-- The results that make their run fail.
CREATE VIEW failures AS
SELECT * FROM results WHERE failed;

-- The runs that count in the state of a device: made to test its conformance, without --half, with at least one case.
CREATE VIEW conformance_runs AS
SELECT * FROM runs WHERE purpose IN ('conformance', 'rerun') AND NOT half AND planned > 0;

-- The last run of each device that counts and the one before; before_run_id is null if there is none.
CREATE VIEW current_runs AS
SELECT device, max(run_id) AS run_id,
       (SELECT max(before.run_id) FROM conformance_runs AS before
        WHERE before.device = runs.device AND before.run_id < max(runs.run_id)) AS before_run_id
FROM conformance_runs AS runs GROUP BY device;

-- The runs that can contribute to the state of a device right after run `as_of`: all up to it, but runs of the default
-- cases only from the last whole and complete one on. A default case that this one does not have is gone.
CREATE VIEW state_runs AS
SELECT newest.run_id AS as_of, runs.run_id
FROM (SELECT run_id, device, max(iif(NOT partial AND state = 'complete', run_id, 0)) OVER
             (PARTITION BY device ORDER BY run_id) AS last_whole
      FROM conformance_runs) AS newest
JOIN conformance_runs AS runs ON runs.device = newest.device AND runs.run_id <= newest.run_id
WHERE runs.tier <> '' OR runs.source <> '' OR runs.run_id >= last_whole;

-- For each case of such a state, the run with its newest verdict. `incomplete` is no verdict, unless the case has no
-- other; not_run is 1 if a later run planned the case but did not run it.
CREATE VIEW state_cases AS
SELECT as_of, case_id, ifnull(max(iif(status <> 'incomplete', run_id, NULL)), max(run_id)) AS run_id,
       ifnull(max(iif(status <> 'incomplete', run_id, NULL)), 0) < max(run_id) AS not_run
FROM state_runs CROSS JOIN result USING (run_id) -- CROSS: the runs are chosen before their many results are read
WHERE NOT EXISTS (SELECT 1 FROM result AS later
                  WHERE later.run_id = result.run_id AND later.case_id = result.case_id
                    AND later.attempt > result.attempt)
GROUP BY as_of, case_id;

-- The state of a device right after each of its runs that count: the newest verdict on each case. run_id is the run of
-- the verdict. Always query this view with as_of = RUN.
CREATE VIEW state_results AS
SELECT state_cases.as_of, state_cases.not_run, results.*
FROM state_cases
JOIN results ON results.run_id = state_cases.run_id AND results.case_id = state_cases.case_id;

-- The current state of every device, as state_results; as_of is the device's run in current_runs.
CREATE VIEW current_results AS
SELECT newest.as_of, newest.not_run, results.*
FROM (SELECT as_of, case_id, ifnull(max(iif(status <> 'incomplete', run_id, NULL)), max(run_id)) AS run_id,
             ifnull(max(iif(status <> 'incomplete', run_id, NULL)), 0) < max(run_id) AS not_run
      FROM (SELECT as_of, run_id FROM state_runs WHERE as_of IN (SELECT run_id FROM current_runs))
      CROSS JOIN result USING (run_id)
      WHERE NOT EXISTS (SELECT 1 FROM result AS later
                        WHERE later.run_id = result.run_id AND later.case_id = result.case_id
                          AND later.attempt > result.attempt)
      GROUP BY as_of, case_id) AS newest
JOIN results ON results.run_id = newest.run_id AND results.case_id = newest.case_id;

-- Every result of a case that the device ran, over all runs that count: without skip, unsupported and incomplete.
CREATE VIEW case_history AS
SELECT device, case_name, run_id, (SELECT started FROM run WHERE run.id = run_id) AS started, status, failed, flaky,
       expectation, host_ns
FROM results
WHERE status NOT IN ('skip', 'unsupported', 'incomplete') AND run_id IN (SELECT run_id FROM conformance_runs);

-- The history of each case on a device in one row. `first_bad_run` is the run where the current streak of failures began;
-- null if the case passes now. `turns` counts how often the case changed between failing and not failing. `flake_rate` is
-- the fraction of runs in which it was flaky. `expected_since` is the start time of the first run of the current streak of
-- results as an expectation file says. `slowdown` is the time of the last run divided by the mean time of the runs
-- before; null if there is none.
CREATE VIEW case_trends AS
WITH step AS (
    SELECT *, lag(failed) OVER line <> failed AS turned, max(iif(failed, 0, run_id)) OVER whole AS good,
           max(run_id) OVER whole AS newest, max(iif(expectation = 'expected', 0, run_id)) OVER whole AS unexpected
    FROM case_history
    WINDOW whole AS (PARTITION BY device, case_name), line AS (PARTITION BY device, case_name ORDER BY run_id))
SELECT device, case_name, count(*) AS runs, sum(failed) AS bad_runs, min(iif(failed AND run_id > good, run_id, NULL))
       AS first_bad_run, nullif(max(good), 0) AS last_good_run, sum(ifnull(turned, 0)) AS turns, sum(flaky) AS flaky_runs,
       avg(flaky) AS flake_rate, min(iif(expectation = 'expected' AND run_id > unexpected, started, NULL)) AS expected_since,
       max(iif(run_id = newest, host_ns, NULL)) AS last_ns, avg(iif(run_id < newest, host_ns, NULL)) AS mean_ns_before,
       max(iif(run_id = newest, host_ns, NULL)) / avg(iif(run_id < newest, host_ns, NULL)) AS slowdown
FROM step GROUP BY device, case_name;

-- The outcomes that each device chose where the documents leave a choice, and the errors of its rejections, with counts.
CREATE VIEW fingerprint AS
SELECT run_id, device, operator, rule, strength, outcome, count(*) AS count
FROM results WHERE outcome <> '' GROUP BY run_id, operator, rule, strength, outcome;

-- The state of each operator in each run, by its cases of one feature level: 'failing' (a case failed, was flaky or was not
-- run), 'missing' (the device has none of it), 'partial' (some cases are unsupported), 'complete'; 'none' if no case
-- applies to the device. A device conforms to a level if every operator is complete at that level and all below.
CREATE VIEW conformance AS
SELECT run_id, device, operator, feature_level,
       CASE WHEN sum(flaky OR status IN ('fail', 'crash', 'timeout', 'device_lost', 'harness_error', 'incomplete'))
            THEN 'failing'
            WHEN sum(status = 'unsupported') THEN iif(sum(status IN ('pass', 'warn')), 'partial', 'missing')
            WHEN sum(status IN ('pass', 'warn')) THEN 'complete' ELSE 'none' END AS state,
       count(*) AS cases, sum(status = 'pass') AS passes
FROM results GROUP BY run_id, operator, feature_level;

-- The current state of every device at each feature level: the state of each operator by its cases of all levels up to
-- that one. as_of is the device's run in current_runs.
CREATE VIEW current_conformance AS
WITH cells AS MATERIALIZED (
    SELECT as_of, device, operator, feature_level,
           max(flaky OR status IN ('fail', 'crash', 'timeout', 'device_lost', 'harness_error', 'incomplete')) AS bad,
           max(status = 'unsupported') AS lacks, max(status IN ('pass', 'warn')) AS good
    FROM current_results GROUP BY as_of, operator, feature_level),
levels AS (SELECT DISTINCT as_of, feature_level AS level FROM cells)
SELECT as_of, device, level AS feature_level, operator,
       CASE WHEN max(bad) THEN 'failing' WHEN max(lacks) THEN iif(max(good), 'partial', 'missing')
            WHEN max(good) THEN 'complete' ELSE 'none' END AS state
FROM levels JOIN cells USING (as_of) WHERE feature_level <= level GROUP BY as_of, level, operator;

-- The number of cases by run, operator and status.
CREATE VIEW summary AS
SELECT run_id, operator, status, count(*) AS count FROM results GROUP BY run_id, operator, status;

-- The percentage of combinable values that is covered. Undecided combinations count as combinable.
CREATE VIEW interaction_coverage AS
SELECT id AS coverage_id, measured, version, printf('0x%016x', plan_hash) AS plan_hash, operator, ways,
       covered + missed + undecided AS combinable, covered, missed, undecided, impossible,
       covered * 10000 / max(covered + missed + undecided, 1) / 100.0 AS percent
FROM coverage;

-- The timing samples with the names of their devices and cases.
CREATE VIEW samples AS
SELECT timing_sample.run_id, device.device, test_case.name AS case_name, test_case.operator, repeat, host_ns, device_ns
FROM timing_sample
JOIN run ON run.id = timing_sample.run_id
JOIN device ON device.id = run.device_id
JOIN test_case ON test_case.id = timing_sample.case_id;
