-- title: Cases that ended differently in the last two runs of a device
WITH latest AS (
    SELECT device, run_id, lag(run_id) OVER (PARTITION BY device ORDER BY run_id) AS previous_id,
           row_number() OVER (PARTITION BY device ORDER BY run_id DESC) AS age
    FROM runs
)
SELECT latest.device, new.case_name, old.status AS before, new.status AS now, new.message
FROM latest
JOIN results AS new ON new.run_id = latest.run_id
JOIN results AS old ON old.run_id = latest.previous_id AND old.case_name = new.case_name
WHERE age = 1 AND old.status <> new.status
ORDER BY latest.device, new.case_name;
