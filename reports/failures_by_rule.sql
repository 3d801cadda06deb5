-- title: Failures by rule in the current state of each device, with the first case of each
SELECT device, operator, rule, status, count(*) AS cases, min(case_name) AS first_case, min(pages) AS pages
FROM current_results
WHERE failed
GROUP BY device, operator, rule, status
ORDER BY cases DESC, device, operator, rule;
