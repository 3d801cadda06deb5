-- The queries of a report on the views of schema.sql. `assay report` runs them in order and makes one JSON object of their
-- results:
--   -- prepare          run only; prints nothing
--   -- rows KEY         an array of objects, with a member per column
--   -- values KEY       an array of the values of the only column
--   -- object           members of the object itself, or with KEY "timing." of object timing: the columns of the only row
-- KEY may be a path, "fuzz.searches". A column named "NAME json" holds JSON. Columns named run, device or case hold indices
-- into the arrays runs, devices and cases.name. The program first makes table page_device, with the current run of each
-- device and its baseline.

-- prepare
-- The final status of a case on the page: the status of its last attempt, or 'flaky' (its attempts disagree), 'known' (it
-- fails as an expectation file says), 'unexpected' (it ends well, and an expectation file says that it does not). The page
-- counts by this alone; the failures are the cases that end in one of the ways marked by failing.
CREATE TEMP TABLE page_status (status TEXT PRIMARY KEY, letter TEXT NOT NULL, place INTEGER NOT NULL, failing INTEGER NOT NULL);
INSERT INTO page_status VALUES
    ('pass', 'p', 0, 0), ('fail', 'f', 1, 1), ('warn', 'w', 2, 0), ('crash', 'c', 3, 1), ('timeout', 't', 4, 1),
    ('device_lost', 'l', 5, 1), ('unsupported', 'u', 6, 0), ('skip', 's', 7, 0), ('harness_error', 'h', 8, 1),
    ('incomplete', 'i', 9, 0), ('flaky', 'y', 10, 1), ('unexpected', 'x', 11, 1), ('known', 'k', 12, 0);
CREATE TEMP VIEW page_result AS
SELECT CASE WHEN known THEN 'known' WHEN NOT failed THEN status WHEN flaky THEN 'flaky'
            WHEN status IN (SELECT status FROM page_status WHERE failing) THEN status ELSE 'unexpected' END AS ending, results.*
FROM main.results;
CREATE TEMP TABLE page_case (id INTEGER PRIMARY KEY, place INTEGER NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE,
                             operator TEXT NOT NULL, feature_level TEXT NOT NULL, data_types TEXT NOT NULL);
INSERT INTO page_case
SELECT id, row_number() OVER (ORDER BY name) - 1, name, operator, feature_level, data_types FROM test_case ORDER BY id;
-- All results that count, of all runs (page_history) and of the current state of each device (page_now).
CREATE TEMP TABLE page_history (run INTEGER, "case" INTEGER, letter TEXT, failed INTEGER, flaky INTEGER, expectation TEXT,
                                slow INTEGER, host_ns INTEGER, compared INTEGER,
                                PRIMARY KEY (run, "case")) WITHOUT ROWID;
INSERT INTO page_history
SELECT run_id - 1, page_case.place,
       CASE ending WHEN 'pass' THEN 'p' WHEN 'skip' THEN 's'
                   ELSE (SELECT letter FROM page_status WHERE page_status.status = ending) END,
       failed, flaky, expectation, slow, host_ns, compared
FROM page_result JOIN page_case ON page_case.id = page_result.case_id
ORDER BY 1, 2;
CREATE TEMP TABLE page_now AS
SELECT page_device.place, page_case.place AS "case", letter, page_status.status AS ending, current_results.*
FROM page_device
JOIN current_results ON current_results.as_of = page_device.run_id
JOIN page_case ON page_case.id = current_results.case_id
JOIN page_history ON page_history.run = current_results.run_id - 1 AND page_history."case" = page_case.place
JOIN page_status USING (letter);
CREATE INDEX page_now_place ON page_now (place, "case");
-- The runs that count in the state of a device.
CREATE TEMP TABLE page_run AS SELECT run_id, device FROM conformance_runs ORDER BY device, run_id;
CREATE INDEX page_run_device ON page_run (device, run_id);
CREATE TEMP TABLE page_ending AS
SELECT run, letter, count(*) AS count, sum(failed) AS failed, sum(slow) AS slow, sum(host_ns) AS host_ns, sum(host_ns > 0) AS timed, sum(compared) AS compared
FROM page_history GROUP BY run, letter;
-- The same for the current state of each device.
CREATE TEMP TABLE page_state AS
SELECT place, ending AS status, count(*) AS count FROM page_now GROUP BY place, ending;

-- values statuses
SELECT status FROM page_status ORDER BY place;

-- rows runs
SELECT database, original AS run, (SELECT place FROM page_device WHERE page_device.device = runs.device) AS device,
       state, started, ended, device_name AS name,
       device_driver AS driver, device_version, iif(feature_level = 'none', '', feature_level) AS feature_level, version,
       seed, plan_hash, planned, shard, shards, command,
       (SELECT json_group_object(status, count) FROM (
            SELECT status, count FROM page_ending JOIN page_status USING (letter) WHERE run = run_id - 1 ORDER BY place))
       AS "counts json",
       (SELECT total(failed) FROM page_ending WHERE run = run_id - 1) AS failures,
       (SELECT total(slow) FROM page_ending WHERE run = run_id - 1) AS slow,
       (SELECT total(host_ns) FROM page_ending WHERE run = run_id - 1) AS host_ns,
       (SELECT total(timed) FROM page_ending WHERE run = run_id - 1) AS timed,
       (SELECT round(total(iif(letter = 'p', count, 0)) /
                     nullif(planned - total(iif(letter IN ('s', 'u'), count, 0)), 0), 6)
        FROM page_ending WHERE run = run_id - 1) AS pass_rate,
       purpose, filters, operators, levels, tier, source, json(iif(partial, 'true', 'false')) AS "partial json", device_hash, device_build, machine, cpu, label,
       revision, branch,
       shared_validation, (SELECT total(compared) FROM page_ending WHERE run = run_id - 1) AS compared
FROM runs
JOIN source USING (run_id)
ORDER BY run_id;

-- object
SELECT 'pass ÷ (cases − skip − unsupported)' AS pass_rate_formula,
       (SELECT group_concat(replace(status, '_', ' '), ' + ') FROM (SELECT status FROM page_status WHERE failing ORDER BY place))
       AS failures_formula;

-- rows devices
SELECT page_device.device, (SELECT json_group_array(run_id - 1) FROM
           (SELECT run_id FROM page_run WHERE page_run.device = page_device.device ORDER BY run_id))
       AS "runs json",
       run_id - 1 AS current, before_run_id - 1 AS baseline,
       (SELECT json_object('cases', count(*), 'ran', ifnull(sum(page_now.run_id = page_device.run_id), 0),
                           'since', min(page_now.run_id) - 1,
                           'counts', json((SELECT json_group_object(status, count) FROM (
                               SELECT status, count FROM page_state JOIN page_status USING (status)
                               WHERE page_state.place = page_device.place ORDER BY page_status.place))),
                           'failures', ifnull(sum(failed), 0), 'slow', ifnull(sum(slow), 0), 'host_ns', ifnull(sum(host_ns), 0),
                           'pass_rate', round(total(letter = 'p') /
                                              nullif(total(letter NOT IN ('s', 'u')), 0), 6))
        FROM page_now WHERE page_now.place = page_device.place) AS "state json"
FROM page_device ORDER BY place;

-- prepare
-- The state of each documented operator at each level up to the one that the device declares.
CREATE TEMP TABLE page_conformance AS
SELECT place, level, operator, state FROM page_device JOIN report_conformance ON as_of = run_id;

-- rows conformance
SELECT place AS device,
       json(iif(EXISTS (SELECT 1 FROM conformance_runs AS whole
                        WHERE whole.device = page_device.device AND whole.run_id <= page_device.run_id
                          AND NOT whole.partial AND whole.state = 'complete'), 'true', 'false')) AS "whole json",
       -- If nothing is missing, the declared level counts, even if no case is of that level.
       (SELECT iif(EXISTS (SELECT 1 FROM page_conformance AS bad
                           WHERE bad.place = page_device.place AND bad.state <> 'complete'),
                   max(level), max(max(level), iif(runs.feature_level = 'none', '', runs.feature_level)))
        FROM page_conformance AS good
        WHERE good.place = page_device.place AND state = 'complete' AND NOT EXISTS (
            SELECT 1 FROM page_conformance AS bad
            WHERE bad.place = page_device.place AND bad.state <> 'complete' AND bad.level <= good.level))
       AS complete_up_to,
       (SELECT json_group_array(json_object('level', level, 'complete', complete, 'failing', json(failing),
                                            'missing', json(missing), 'partial', json(partly),
                                            'without_cases', json(none)))
        FROM (SELECT level, sum(state = 'complete') AS complete,
                     json_group_array(operator) FILTER (WHERE state = 'failing') AS failing,
                     json_group_array(operator) FILTER (WHERE state = 'missing') AS missing,
                     json_group_array(operator) FILTER (WHERE state = 'partial') AS partly,
                     json_group_array(operator) FILTER (WHERE state = 'none') AS none
              FROM (SELECT * FROM page_conformance AS c WHERE c.place = page_device.place ORDER BY operator)
              GROUP BY level ORDER BY level)) AS "levels json"
FROM page_device JOIN runs USING (run_id) ORDER BY place;

-- prepare
-- Results that are not plain passes, by device in the order of their worth: failures that are new, then failures that
-- stand for their cause, for each cause the same number, then the other groups, each with as many, then all other
-- failures. `number` takes the devices in turns, so that no device uses up the space of the others.
CREATE TEMP TABLE page_before AS
SELECT place, "case", (
    SELECT failed FROM page_run AS runs CROSS JOIN page_history ON page_history.run = runs.run_id - 1
    WHERE runs.device = page_now.device AND runs.run_id < page_now.run_id AND page_history."case" = page_now."case"
      AND page_history.letter NOT IN ('s', 'u', 'i')
    ORDER BY runs.run_id DESC LIMIT 1) AS failed
FROM page_now WHERE failed;
CREATE INDEX page_before_place ON page_before (place, "case");
CREATE TEMP TABLE page_detail AS
WITH member AS (
    SELECT page_now.*, failed AND (SELECT before.failed FROM page_before AS before WHERE before.place = page_now.place
                                   AND before."case" = page_now."case") = 0 AS turned,
           row_number() OVER (PARTITION BY place, failed, status, expectation, cause, operator, rule, reason,
                              iif(status IN ('unsupported', 'incomplete'), message, '') ORDER BY "case") AS member
    FROM page_now WHERE status NOT IN ('pass', 'skip') OR failed OR flaky OR expectation <> ''),
ranked AS (
    SELECT *, row_number() OVER (PARTITION BY place ORDER BY ifnull(turned, 0) DESC, member <= 20 DESC, failed DESC,
                                 member, "case") AS worth
    FROM member WHERE failed OR member <= 20)
SELECT *, row_number() OVER (ORDER BY worth, place) AS number FROM ranked;
CREATE INDEX page_detail_place ON page_detail (place, "case");
-- The history of failing, known and detailed cases, as view case_trends has it.
CREATE TEMP TABLE page_trend AS
WITH step AS (
    SELECT page_now.place AS device, page_history.*, max(iif(page_history.failed, -1, run)) OVER whole AS good,
           max(iif(page_history.expectation = 'expected', -1, run)) OVER whole AS unexpected
    FROM page_now
    JOIN page_run AS runs ON runs.device = page_now.device
    JOIN page_history ON page_history.run = runs.run_id - 1 AND page_history."case" = page_now."case"
    WHERE page_history.letter NOT IN ('s', 'u', 'i') AND (page_now.failed OR page_now.known OR EXISTS (
              SELECT 1 FROM page_detail AS d
              WHERE d.place = page_now.place AND d."case" = page_now."case" AND d.number <= 20000))
    WINDOW whole AS (PARTITION BY page_now.place, page_now."case"))
SELECT device, "case", count(*) AS runs, sum(failed) AS bad_runs, min(iif(failed AND run > good, run, NULL)) AS first_bad,
       nullif(max(good), -1) AS last_good, avg(flaky) AS flake_rate,
       min(iif(expectation = 'expected' AND run > unexpected, run, NULL)) AS expected_run
FROM step GROUP BY device, "case";
CREATE INDEX page_trend_place ON page_trend (device, "case");

-- rows causes
SELECT CASE WHEN expectation = 'unexpected' AND cause = '' THEN 'unexpected pass'
            WHEN flaky THEN 'flaky' ELSE cause END AS cause,
       place AS device, operator, rule, strength, pages, count(*) AS count, min(message) AS message,
       json_group_array("case") AS "cases json", min(first_bad) AS since,
       max(first_bad) AS newest
FROM (SELECT page_now.*, first_bad FROM page_now LEFT JOIN page_trend ON page_trend.device = place AND
             page_trend."case" = page_now."case" WHERE failed ORDER BY place, page_now."case")
GROUP BY 1, place, operator, rule, strength, pages
ORDER BY count DESC, place, 1, operator, rule;

-- rows known
SELECT place AS device, reason, status, count, cases AS "cases json",
       (SELECT started FROM run WHERE run.id = first + 1) AS since
FROM (SELECT place, reason, status, count(*) AS count, json_group_array("case") AS cases, min(expected_run) AS first
      FROM (SELECT page_now.*, expected_run FROM page_now LEFT JOIN page_trend ON page_trend.device = place AND
                   page_trend."case" = page_now."case" WHERE known ORDER BY place, page_now."case")
      GROUP BY place, reason, status)
ORDER BY count DESC, place, reason, status;

-- prepare
CREATE TEMP TABLE page_unsupported AS
SELECT place, message, operator, data_types, count(*) AS count FROM page_now
WHERE status = 'unsupported' GROUP BY 1, 2, 3, 4;
CREATE INDEX page_unsupported_place ON page_unsupported (place, message);

-- rows errors
-- The largest error of an operator on a device; of equal ones, the first.
SELECT place AS device, operator, "case", share, ulps
FROM (SELECT place, operator, "case", error_share AS share, ifnull(error_ulps, 0) AS ulps,
             row_number() OVER (PARTITION BY place, operator ORDER BY error_share DESC, "case") AS number
      FROM page_now WHERE error_share IS NOT NULL)
WHERE number = 1 ORDER BY place, operator;

-- rows copies
-- The newest speeds of each device that `assay bench` compared with a copy.
SELECT run_id - 1 AS run, page_case.place AS "case", share
FROM copy_share JOIN page_case ON page_case.id = case_id
WHERE run_id IN (SELECT max(run.id) FROM run JOIN device ON device.id = device_id
                 WHERE run.id IN (SELECT run_id FROM copy_share) GROUP BY device)
ORDER BY 1, 2;

-- rows unsupported
SELECT place AS device, message, sum(count) AS count,
       (SELECT json_group_object(operator, count) FROM (
            SELECT operator, sum(count) AS count FROM page_unsupported AS u
            WHERE u.place = page_unsupported.place AND u.message = page_unsupported.message
            GROUP BY operator ORDER BY operator)) AS "operators json",
       (SELECT json_group_array(data_types) FROM (
            SELECT DISTINCT data_types FROM page_unsupported AS u
            WHERE u.place = page_unsupported.place AND u.message = page_unsupported.message ORDER BY data_types))
       AS "types json"
FROM page_unsupported GROUP BY place, message ORDER BY place, count DESC, message;

-- rows matrix
SELECT operator, data_types AS types, feature_level AS level, place AS device, json_group_object(status, count) AS "counts json"
-- Only cases that the device must accept: a correct rejection does not show support.
FROM (SELECT operator, data_types, feature_level, place, ending AS status, count(*) AS count FROM page_now
      WHERE expects IN ('results', 'acceptance') GROUP BY 1, 2, 3, 4, 5)
GROUP BY operator, data_types, feature_level, place
ORDER BY operator, data_types, feature_level, place;

-- prepare
-- Splits the sentences and rulings of a judgement: "bed83-115, A6".
CREATE TEMP TABLE page_sentence AS
WITH RECURSIVE cut (pages, sentence, rest) AS (
    SELECT DISTINCT pages, NULL, pages || ', ' FROM judgement WHERE pages <> ''
    UNION ALL
    SELECT pages, substr(rest, 1, instr(rest, ', ') - 1), substr(rest, instr(rest, ', ') + 2) FROM cut WHERE rest <> '')
SELECT DISTINCT pages, sentence FROM cut WHERE sentence <> '';
CREATE TEMP TABLE page_trace AS
SELECT sentence, operator, rule, place, ending AS status, count(*) AS count
FROM page_now JOIN page_sentence USING (pages) GROUP BY 1, 2, 3, 4, 5;
CREATE INDEX page_trace_sentence ON page_trace (sentence, operator, place, status);
CREATE TEMP TABLE page_trace_cases AS
SELECT sentence, operator, count(DISTINCT "case") AS cases FROM page_now JOIN page_sentence USING (pages) GROUP BY 1, 2;

-- rows trace
SELECT sentence, operator,
       (SELECT json_group_array(rule) FROM (SELECT DISTINCT rule FROM page_trace AS r WHERE r.sentence = t.sentence
            AND r.operator = t.operator ORDER BY rule)) AS "rules json", cases,
       (SELECT json_group_array(json(counts)) FROM (
            SELECT (SELECT json_group_object(status, total) FROM (
                        SELECT status, sum(count) AS total FROM page_trace AS c
                        WHERE c.sentence = t.sentence AND c.operator = t.operator AND c.place = page_device.place
                        GROUP BY status ORDER BY status)) AS counts
            FROM page_device ORDER BY page_device.place)) AS "devices json"
FROM page_trace_cases AS t ORDER BY sentence, operator;

-- prepare
CREATE TEMP TABLE page_choice AS
SELECT operator, rule, strength, outcome, place, count(*) AS count FROM page_now
WHERE outcome <> '' AND status <> 'unsupported' GROUP BY 1, 2, 3, 4, 5; -- a device that lacks an operator chose nothing
-- Devices are compared by the cases in which several of them chose.
CREATE TEMP TABLE page_compared AS
SELECT operator, rule, strength, count(*) AS shared, max(differ) AS differ
FROM (SELECT operator, rule, strength, count(DISTINCT outcome) > 1 AS differ FROM page_now
      WHERE outcome <> '' AND status <> 'unsupported' GROUP BY "case" HAVING count(*) > 1)
GROUP BY 1, 2, 3;

-- rows fingerprint
SELECT operator, rule, strength,
       (SELECT json_group_array(json_object('outcome', outcome, 'counts', json(counts))) FROM (
            SELECT outcome, (SELECT json_group_array(count) FROM (
                    SELECT ifnull((SELECT count FROM page_choice AS c WHERE c.operator = rules.operator
                                   AND c.rule = rules.rule AND c.strength = rules.strength
                                   AND c.outcome = o.outcome AND c.place = page_device.place), 0) AS count
                    FROM page_device ORDER BY page_device.place)) AS counts
            FROM (SELECT DISTINCT outcome FROM page_choice AS d WHERE d.operator = rules.operator
                  AND d.rule = rules.rule AND d.strength = rules.strength ORDER BY outcome) AS o))
       AS "outcomes json", ifnull(shared, 0) AS shared, json(iif(differ, 'true', 'false')) AS "differ json"
FROM (SELECT DISTINCT operator, rule, strength FROM page_choice) AS rules
LEFT JOIN page_compared USING (operator, rule, strength)
ORDER BY operator, rule, strength;

-- prepare
CREATE TEMP TABLE page_search AS
SELECT row_number() OVER (ORDER BY id) - 1 AS place, * FROM fuzz_hunt;

-- rows fuzz.searches
SELECT (SELECT database FROM hunt_source WHERE hunt_source.id = page_search.id) AS database,
       (SELECT original FROM hunt_source WHERE hunt_source.id = page_search.id) AS search, device, name, driver,
       iif(declared = 'none', '', declared) AS declared, feature_level, version, printf('0x%016x', seed) AS seed, shard, state, tried, executed, places, seconds, ended
FROM page_search ORDER BY place;

-- rows fuzz.matrix
SELECT place AS search, operator, rule, broken, verdict, count
FROM fuzz_count JOIN page_search ON page_search.id = hunt_id ORDER BY place, operator, rule, broken, verdict;

-- rows fuzz.findings
SELECT place AS search, kind, operator, rule, strength, also, json(iif(failure, 'true', 'false')) AS "failure json", count,
       original, minimum, steps, json(iif(fuzz_finding.executed, 'true', 'false')) AS "executed json", fill, indices,
       printf('0x%016x', fuzz_finding.seed) AS seed, result, message, reason
FROM fuzz_finding JOIN page_search ON page_search.id = hunt_id ORDER BY place, failure DESC, count DESC, fuzz_finding.id;

-- rows mutation
SELECT mutant, kind AS "group", strength, operator, verdict, kills AS killing, warnings AS warning, seconds,
       first_case AS "case", strategies, reason
FROM mutation ORDER BY verdict IN ('killed', 'warned', 'open', 'excused'), mutant;

-- prepare
-- Times of passes by run and operator ('': all operators), in logarithmic bins, 32 per factor of two: accurate to 2 %. The
-- sums of logarithms give geometric means.
CREATE TEMP TABLE page_bin AS
SELECT run, operator, CAST(log2(host_ns) * 32 AS INTEGER) AS bin, count(*) AS count, sum(ln(host_ns)) AS logs
FROM page_history JOIN page_case ON page_case.place = "case"
WHERE letter = 'p' AND host_ns > 0 AND run IN (SELECT runs.run_id - 1 FROM runs JOIN page_device USING (device)) GROUP BY 1, 2, 3;
INSERT INTO page_bin SELECT run, '', bin, sum(count), sum(logs) FROM page_bin GROUP BY run, bin;
CREATE TEMP TABLE page_time AS
SELECT *, sum(count) OVER (PARTITION BY run, operator ORDER BY bin) AS up_to, sum(count) OVER (PARTITION BY run, operator) AS cases
FROM page_bin;
-- The cases that a run shares with the newest passes of its device: their number and the ratio of times.
CREATE TEMP TABLE page_shared AS
SELECT h.run, page_now.operator, count(*) AS shared, sum(ln(h.host_ns) - ln(page_now.host_ns)) AS logs
FROM page_now
JOIN page_run AS runs ON runs.device = page_now.device
JOIN page_history AS h ON h.run = runs.run_id - 1 AND h."case" = page_now."case"
WHERE page_now.letter = 'p' AND page_now.host_ns > 0 AND h.letter = 'p' AND h.host_ns > 0
GROUP BY 1, 2;
INSERT INTO page_shared SELECT run, '', sum(shared), sum(logs) FROM page_shared GROUP BY run;
CREATE INDEX page_shared_run ON page_shared (run, operator);
-- The cases with times on all devices that have times.
CREATE TEMP TABLE page_common AS
SELECT "case", operator FROM page_now WHERE letter = 'p' AND host_ns > 0 GROUP BY "case"
HAVING count(*) = (SELECT count(DISTINCT place) FROM page_now WHERE letter = 'p' AND host_ns > 0);
CREATE INDEX page_common_case ON page_common ("case");

-- rows timing.operators
SELECT operator, json_group_array(json_object('run', run, 'cases', cases, 'geomean_ns', geomean, 'p10', p10, 'p50', p50,
                                              'p90', p90, 'p99', p99, 'shared', shared, 'ratio', ratio)) AS "runs json"
FROM (SELECT operator, run, cases, round(exp(sum(logs) / cases), 1) AS geomean,
             round(pow(2, (min(iif(up_to * 100 >= cases * 10, bin, NULL)) + 0.5) / 32)) AS p10,
             round(pow(2, (min(iif(up_to * 100 >= cases * 50, bin, NULL)) + 0.5) / 32)) AS p50,
             round(pow(2, (min(iif(up_to * 100 >= cases * 90, bin, NULL)) + 0.5) / 32)) AS p90,
             round(pow(2, (min(iif(up_to * 100 >= cases * 99, bin, NULL)) + 0.5) / 32)) AS p99,
             ifnull((SELECT shared FROM page_shared AS s WHERE s.run = page_time.run AND s.operator = page_time.operator), 0)
             AS shared,
             (SELECT round(exp(logs / shared), 4) FROM page_shared AS s
              WHERE s.run = page_time.run AND s.operator = page_time.operator) AS ratio
      FROM page_time GROUP BY operator, run ORDER BY operator, run)
GROUP BY operator ORDER BY operator;

-- rows timing.histograms
-- Two bins per factor of two, of the newest passes: of the cases that all devices have or, if there are none, of all.
WITH RECURSIVE timed AS (
    SELECT place, operator, CAST(log2(host_ns) * 2 AS INTEGER) AS bin FROM page_now
    WHERE letter = 'p' AND host_ns > 0
      AND (NOT EXISTS (SELECT 1 FROM page_common) OR "case" IN (SELECT "case" FROM page_common))),
bin AS MATERIALIZED (
    SELECT place, operator, bin, count(*) AS count FROM timed GROUP BY 1, 2, 3
    UNION ALL SELECT place, '', bin, count(*) FROM timed GROUP BY 1, 3),
every AS (
    SELECT place, operator, min(bin) AS bin, max(bin) AS last FROM bin GROUP BY place, operator
    UNION ALL SELECT place, operator, bin + 1, last FROM every WHERE bin <= last)
SELECT run_id - 1 AS run, operator, json_group_array(round(pow(2, bin / 2.0), 1)) AS "edges_ns json",
       json_group_array(ifnull((SELECT count FROM bin AS b WHERE b.place = every.place AND b.operator = every.operator
                                AND b.bin = every.bin), 0)) FILTER (WHERE bin <= last) AS "counts json"
FROM (SELECT * FROM every ORDER BY place, operator, bin) AS every JOIN page_device USING (place)
GROUP BY place, operator ORDER BY run_id, operator;

-- object timing.
SELECT (SELECT count(*) FROM page_common) AS common;

-- rows interaction
SELECT operator, ways, percent, combinable, covered, missed, undecided, impossible, measured, version
FROM interaction_coverage
WHERE coverage_id IN (SELECT max(coverage_id) FROM interaction_coverage GROUP BY operator, ways)
ORDER BY operator, ways;

-- prepare
CREATE TEMP TABLE page_operator AS
SELECT row_number() OVER (ORDER BY operator) - 1 AS place, operator FROM (SELECT DISTINCT operator FROM page_case);
CREATE TEMP TABLE page_level AS
SELECT row_number() OVER (ORDER BY feature_level) - 1 AS place, feature_level FROM (SELECT DISTINCT feature_level FROM page_case);
CREATE TEMP TABLE page_types AS
SELECT row_number() OVER (ORDER BY data_types) - 1 AS place, data_types FROM (SELECT DISTINCT data_types FROM page_case);

-- values cases.operators
SELECT operator FROM page_operator ORDER BY place;

-- values cases.levels
SELECT feature_level FROM page_level ORDER BY place;

-- values cases.types_names
SELECT data_types FROM page_types ORDER BY place;

-- prepare
-- The words of the names of cases, which have dots between them.
CREATE TEMP TABLE page_word (part INTEGER, "case" INTEGER, word TEXT, PRIMARY KEY (part, "case")) WITHOUT ROWID;
INSERT INTO page_word SELECT key, place, value
FROM page_case, json_each('[' || replace(json_quote(name), '.', '","') || ']');

-- values cases.parts
-- A name has most words in common with the name before it: for each of these words there is a 0.
SELECT (SELECT json_group_array(json(CASE WHEN word IS before THEN '0' WHEN word IS NULL THEN 'null' ELSE json_quote(word) END))
        FROM (SELECT word, lag(word) OVER (ORDER BY place) AS before FROM page_case
              LEFT JOIN page_word ON page_word.part = parts.part AND "case" = place ORDER BY place)) AS "words json"
FROM (SELECT DISTINCT part FROM page_word) AS parts ORDER BY part;

-- values cases.operator
SELECT page_operator.place FROM page_case JOIN page_operator USING (operator) ORDER BY page_case.place;

-- values cases.level
SELECT page_level.place FROM page_case JOIN page_level USING (feature_level) ORDER BY page_case.place;

-- values cases.types
SELECT page_types.place FROM page_case JOIN page_types USING (data_types) ORDER BY page_case.place;

-- rows cases.devices
SELECT (SELECT group_concat(letter, '') FROM (
            SELECT ifnull(letter, '-') AS letter FROM page_case LEFT JOIN page_now ON page_now.place = page_device.place AND "case" = page_case.place
            ORDER BY page_case.place)) AS status,
       -- Two digits, in steps of 9 %, since the noise of times cannot be compressed.
       (SELECT json_group_array(host_ns) FROM (
            SELECT CAST(CAST(printf('%.1e', iif(host_ns > 99, pow(2, round(8 * log2(host_ns)) / 8), host_ns)) AS REAL) AS INTEGER) AS host_ns FROM page_case
            LEFT JOIN page_now ON page_now.place = page_device.place AND "case" = page_case.place
            ORDER BY page_case.place)) AS "host_ns json",
       iif((SELECT count(*) FROM page_run WHERE page_run.device = page_device.device) > 1,
           (SELECT json_group_array(line) FROM (
                SELECT (SELECT group_concat(letter, '') FROM (
                            SELECT ifnull(letter, '-') AS letter FROM page_case
                            LEFT JOIN page_history ON run = runs.run_id - 1 AND "case" = page_case.place
                            ORDER BY page_case.place)) AS line
                FROM page_run AS runs WHERE runs.device = page_device.device ORDER BY runs.run_id)), NULL) AS "history json"
FROM page_device ORDER BY place;

-- rows largest_errors
SELECT device, operator, data_types, cases, error_ulps, error_share, "case", element
FROM (SELECT place AS device, operator, data_types, count(*) OVER alike AS cases, max(error_ulps) OVER alike AS error_ulps,
             error_share, "case", error_place AS element,
             row_number() OVER (PARTITION BY place, operator, data_types ORDER BY error_share DESC, "case") AS number
      FROM page_now WHERE error_share > 0 WINDOW alike AS (PARTITION BY place, operator, data_types))
WHERE number = 1 ORDER BY device, error_share DESC, operator, data_types;

-- rows details
SELECT page_detail."case", place AS device, run_id - 1 AS run, status, rule, strength, pages, broken,
       cause, explanations, message, expected, outcome, wrong_count, wrong_tensor, wrong_coordinates, wrong_got, wrong_expected,
       wrong_inputs, reproduce, attempt AS attempts,
       json(iif(flaky, 'true', 'false')) AS "flaky json", expectation, reason, first_bad, last_good,
       ifnull(bad_runs, 0) AS bad_runs, ifnull(runs, 0) AS runs, ifnull(flake_rate, 0) AS flake_rate,
       (SELECT started FROM run WHERE run.id = expected_run + 1) AS expected_since
FROM page_detail LEFT JOIN page_trend ON page_trend.device = place AND page_trend."case" = page_detail."case"
WHERE number <= 20000 ORDER BY place, page_detail."case";

-- object
SELECT (SELECT count(*) FROM page_now WHERE status NOT IN ('pass', 'skip') OR failed OR flaky OR expectation <> '')
       - (SELECT count(*) FROM page_detail WHERE number <= 20000) AS details_cut;

-- prepare
-- The keys that report_texts.c searches in the specs: the rules that results name, and the cases with details.
CREATE TEMP TABLE page_rule (operator TEXT, rule TEXT, PRIMARY KEY (operator, rule)) WITHOUT ROWID;
INSERT INTO page_rule SELECT operator, rule FROM page_now WHERE rule <> ''
UNION SELECT operator, broken FROM page_now WHERE broken <> '';
-- seed: of the contents that a device failed with, for the first 2,000 details; for others null.
CREATE TEMP TABLE page_described (name TEXT PRIMARY KEY, "case" INTEGER, seed TEXT) WITHOUT ROWID;
INSERT INTO page_described
SELECT name, page_case.place, min(iif(number <= 2000 AND (failed OR known), seed, NULL))
FROM page_detail JOIN page_case ON page_case.place = page_detail."case"
WHERE number <= 20000 GROUP BY page_case.place;
