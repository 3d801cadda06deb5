-- title: Page sentences and rulings, their rules, and the results of their cases in the current state of each device
WITH RECURSIVE cut (pages, sentence, rest) AS (
    SELECT DISTINCT pages, NULL, pages || ', ' FROM judgement WHERE pages <> ''
    UNION ALL
    SELECT pages, substr(rest, 1, instr(rest, ', ') - 1), substr(rest, instr(rest, ', ') + 2) FROM cut WHERE rest <> ''
)
SELECT sentence, operator, group_concat(DISTINCT rule) AS rules, device, count(*) AS cases, sum(status = 'pass') AS pass,
       sum(status = 'warn') AS warn, sum(failed) AS failed
FROM current_results
JOIN cut USING (pages)
WHERE sentence <> ''
GROUP BY sentence, operator, device
ORDER BY sentence, operator, device;
