-- title: Expected failures and since when, oldest first
SELECT expected_since, reason, device, count(*) AS cases, min(case_name) AS first_case
FROM case_trends
JOIN current_results USING (device, case_name)
WHERE expectation = 'expected'
GROUP BY expected_since, reason, device
ORDER BY expected_since, reason, device;
