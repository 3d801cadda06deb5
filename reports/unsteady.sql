-- title: Unsteady cases: flaky within a run, or failing in some runs only
SELECT device, case_name, runs, bad_runs, turns, flaky_runs, round(flake_rate, 3) AS flake_rate
FROM case_trends
WHERE flaky_runs > 0 OR turns > 0
ORDER BY flake_rate DESC, turns DESC, device, case_name;
