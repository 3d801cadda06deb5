-- title: First failing run of each failing case, in the current state of each device
SELECT device, operator, case_name, cause, first_bad_run, run.started AS since, runs, bad_runs, last_good_run, message
FROM case_trends
JOIN current_results USING (device, case_name)
JOIN run ON run.id = first_bad_run
WHERE failed
ORDER BY first_bad_run DESC, device, case_name;
