-- title: Expected failures and since when, oldest first
SELECT expected_since, reason, device, count(*) AS cases, min(case_name) AS first_case
FROM case_trends
JOIN results USING (device, case_name)
WHERE run_id IN (SELECT run_id FROM current_runs) AND expectation = 'expected'
GROUP BY expected_since, reason, device
ORDER BY expected_since, reason, device;
