-- title: Cases of the last run of each device whose status differs from the state before it
SELECT current_runs.device, new.case_name, old.status AS before, new.status AS now, new.message
FROM current_runs
JOIN results AS new ON new.run_id = current_runs.run_id
JOIN results AS old ON old.case_id = new.case_id AND old.run_id = (
    SELECT max(run.run_id) FROM conformance_runs AS run JOIN result USING (run_id)
    WHERE run.device = new.device AND run.run_id < new.run_id AND result.case_id = new.case_id AND result.status <> 'incomplete')
WHERE old.status <> new.status
ORDER BY current_runs.device, new.case_name;
