-- title: Cases by operator and status in the current state of each device
SELECT operator, device, count(*) AS cases,
       sum(status = 'pass') AS pass,
       sum(status = 'warn') AS warn,
       sum(status IN ('fail', 'crash', 'timeout', 'device_lost', 'harness_error')) AS failed,
       sum(status IN ('unsupported', 'skip')) AS skipped,
       sum(status = 'incomplete') AS incomplete
FROM current_results
GROUP BY operator, device
ORDER BY operator, device;
