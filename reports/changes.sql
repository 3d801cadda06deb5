-- title: Cases of the last run of each device whose status differs from the state before it
WITH before AS ( -- the newest verdict on each case before the last run
    SELECT current_runs.run_id, result.case_id, max(run.run_id) AS before_run_id
    FROM current_runs
    JOIN conformance_runs AS run ON run.device = current_runs.device AND run.run_id < current_runs.run_id
    CROSS JOIN result ON result.run_id = run.run_id -- CROSS: the runs are chosen before their many results are read
    WHERE result.status <> 'incomplete'
    GROUP BY current_runs.run_id, result.case_id)
SELECT new.device, new.case_name, old.status AS before, new.status AS now, new.message
FROM before
JOIN results AS new ON new.run_id = before.run_id AND new.case_id = before.case_id
JOIN results AS old ON old.run_id = before.before_run_id AND old.case_id = before.case_id
WHERE old.status <> new.status
ORDER BY new.device, new.case_name;
