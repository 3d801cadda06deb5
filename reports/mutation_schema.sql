-- What `tools/mutation --db` adds to a results database: what became of each device that is broken on purpose, the last
-- time that it was tried.
CREATE TABLE IF NOT EXISTS mutation (
    mutant        TEXT PRIMARY KEY, -- as in -d mutants:MUTANT
    measured      TEXT NOT NULL,    -- when
    version       TEXT NOT NULL,    -- of assay
    kind          TEXT NOT NULL,    -- 'fault', 'value', 'ignored': a rule that is not checked, 'limit': what it rejects, …
    strength      TEXT NOT NULL,    -- 'hard': a case must fail; 'soft': or warn; 'open': no case may fail
    operator      TEXT NOT NULL,    -- that it was tried with; '': all
    verdict       TEXT NOT NULL,    -- 'killed', 'warned', 'open', 'excused', 'survived'; 'unjust', 'stale', 'odd', 'lost'
    kills         INTEGER NOT NULL, -- cases that fail
    warnings      INTEGER NOT NULL, -- cases that warn
    seconds       REAL NOT NULL,
    first_case    TEXT NOT NULL,    -- the first that fails or warns
    strategies    TEXT NOT NULL,    -- of the cases that do, with blanks between
    reason        TEXT NOT NULL     -- why it may survive
) STRICT, WITHOUT ROWID;
