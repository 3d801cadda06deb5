-- title: The 20 slowest cases in the current state of each device, by time in the device's calls
SELECT device, case_name, status, round(host_ns / 1e6, 3) AS host_ms, round(device_ns / 1e6, 3) AS device_ms
FROM current_results
ORDER BY host_ns DESC, case_name
LIMIT 20;
