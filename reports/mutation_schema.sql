-- The table that `tools/mutation --db` adds to a results database: the last verdict on each mutant, a device that is broken
-- on purpose.
CREATE TABLE IF NOT EXISTS mutation (
    mutant        TEXT PRIMARY KEY, -- as in -d mutants:MUTANT
    measured      TEXT NOT NULL,    -- time of the measurement, UTC
    version       TEXT NOT NULL,    -- of assay
    kind          TEXT NOT NULL,    -- 'fault', 'value', 'ignored' (a rule is not checked), 'limit' (legal values at a limit are rejected), …
    strength      TEXT NOT NULL,    -- 'hard': a case must fail; 'soft': fail or warn; 'open': no case may fail
    operator      TEXT NOT NULL,    -- whose cases were run; '': those of all operators
    verdict       TEXT NOT NULL,    -- 'killed', 'warned', 'open', 'excused', 'survived'; 'unjust', 'stale', 'odd', 'lost'
    kills         INTEGER NOT NULL, -- number of cases that fail
    warnings      INTEGER NOT NULL, -- number of cases that warn
    seconds       REAL NOT NULL,
    first_case    TEXT NOT NULL,    -- the first case that fails or warns
    strategies    TEXT NOT NULL,    -- of the cases that fail or warn, separated by blanks
    reason        TEXT NOT NULL     -- why the mutant may survive
) STRICT, WITHOUT ROWID;
