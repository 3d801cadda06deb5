-- title: Cases by operator and status in the last run of each device
SELECT operator, device, sum(count) AS cases,
       sum(CASE WHEN status = 'pass' THEN count ELSE 0 END) AS pass,
       sum(CASE WHEN status = 'warn' THEN count ELSE 0 END) AS warn,
       sum(CASE WHEN status IN ('fail', 'crash', 'timeout', 'device_lost', 'harness_error') THEN count ELSE 0 END) AS failed,
       sum(CASE WHEN status IN ('unsupported', 'skip') THEN count ELSE 0 END) AS skipped,
       sum(CASE WHEN status = 'incomplete' THEN count ELSE 0 END) AS incomplete
FROM summary
JOIN runs USING (run_id)
WHERE run_id IN (SELECT run_id FROM current_runs)
GROUP BY operator, device
ORDER BY operator, device;
