-- title: The 20 cases that slowed down most: last run against the mean of the runs before (untested: see assay compare --time)
SELECT device, case_name, runs, round(last_ns / 1e3, 1) AS last_us, round(mean_ns_before / 1e3, 1) AS before_us,
       round(slowdown, 2) AS slowdown
FROM case_trends
WHERE slowdown IS NOT NULL
ORDER BY case_trends.slowdown DESC, device, case_name
LIMIT 20;
