-- title: Support for operators and data types in the current state of each device, by the cases that must be accepted
SELECT operator, data_types, device,
       CASE WHEN sum(failed) THEN 'fails' WHEN sum(status IN ('pass', 'warn')) = 0 THEN 'unsupported'
            WHEN sum(status = 'unsupported') THEN 'partly' WHEN sum(status = 'warn') THEN 'warns' ELSE 'passes' END AS support,
       count(*) AS cases, sum(status = 'pass') AS pass, sum(failed) AS failed, sum(status = 'unsupported') AS unsupported
FROM current_results
WHERE status <> 'skip' AND expects IN ('results', 'acceptance')
GROUP BY operator, data_types, device
ORDER BY operator, data_types, device;
