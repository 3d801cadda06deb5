-- title: Cases whose status differs between the last two runs of a device
SELECT current_runs.device, new.case_name, old.status AS before, new.status AS now, new.message
FROM current_runs
JOIN results AS new ON new.run_id = current_runs.run_id
JOIN results AS old ON old.run_id = current_runs.before_run_id AND old.case_name = new.case_name
WHERE old.status <> new.status
ORDER BY current_runs.device, new.case_name;
