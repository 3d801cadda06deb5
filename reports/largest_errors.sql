-- title: The largest error of each operator in the current state of each device, in ULP, and the case that has it
-- A formula allows an error of many ULP where the operands cancel, or where a ruling allows another way to compute.
SELECT operator, device, data_types, count(*) AS cases, max(error_ulps) AS error_ulps,
       error_share AS share_of_bound, case_name
FROM current_results
WHERE error_ulps > 0
GROUP BY operator, device, data_types
ORDER BY error_ulps DESC, operator, device, data_types;
