-- title: Failures by rule in the last run of each device, with the first case of each
SELECT device, operator, rule, status, count(*) AS cases, min(case_name) AS first_case, min(pages) AS pages
FROM failures
WHERE run_id IN (SELECT run_id FROM current_runs)
GROUP BY device, operator, rule, status
ORDER BY cases DESC, device, operator, rule;
