-- The tables that `assay fuzz --db` adds to a results database when it first uses the database. A search is called a hunt
-- here. Descriptions have the form that `assay fuzz` prints and accepts.

-- One row per search. A search that continues another one has the same device, seed and shard.
CREATE TABLE IF NOT EXISTS fuzz_hunt (
    id            INTEGER PRIMARY KEY,
    state         TEXT NOT NULL, -- 'done'; 'interrupted'; 'running': still running, or the harness died
    device        TEXT NOT NULL, -- as given with -d
    name          TEXT NOT NULL, -- what the device calls itself
    driver        TEXT NOT NULL,
    declared      TEXT NOT NULL, -- the highest level that the device declares: "6_4"; "none"
    feature_level TEXT NOT NULL, -- the level whose rules decide what is legal
    version       TEXT NOT NULL, -- of assay
    seed          INTEGER NOT NULL,
    shard         TEXT NOT NULL, -- "1/1"
    first         INTEGER NOT NULL, -- number of the first chunk
    next          INTEGER NOT NULL, -- number of the first chunk that a later search must try
    tried         INTEGER NOT NULL, -- number of descriptions tried
    executed      INTEGER NOT NULL, -- number of descriptions dispatched
    places        INTEGER NOT NULL, -- places of the device's code that were reached; 0: the device does not count them
    seconds       REAL NOT NULL,
    ended         TEXT NOT NULL -- time of the last save, UTC
) STRICT;

-- One row per operator, rule and kind of deviation, with the minimal description that shows it.
CREATE TABLE IF NOT EXISTS fuzz_finding (
    id       INTEGER PRIMARY KEY,
    hunt_id  INTEGER NOT NULL REFERENCES fuzz_hunt (id) ON DELETE CASCADE,
    kind     TEXT NOT NULL, -- 'wrong accept', 'wrong reject', 'crash', 'hang', 'corrupt memory', 'harmed
                            -- process', 'wrong result'
    operator TEXT NOT NULL,
    rule     TEXT NOT NULL, -- the rule that explains the finding; '': the description is legal and no rule explains it
    strength TEXT NOT NULL,
    also     TEXT NOT NULL, -- other rules that explain it, separated by commas
    failure  INTEGER NOT NULL, -- 0: a warning
    count    INTEGER NOT NULL, -- number of descriptions with this finding
    position INTEGER NOT NULL, -- number of the original description in the search
    original TEXT NOT NULL,    -- the description as found
    minimum  TEXT NOT NULL,    -- the minimal description
    steps    INTEGER NOT NULL, -- shrinking steps from the original to the minimum
    executed INTEGER NOT NULL, -- 1: the minimum was dispatched, with inputs made from the next three columns
    fill     TEXT NOT NULL,    -- kind of contents: --fill
    indices  TEXT NOT NULL,    -- kind of indices: --indices
    seed     INTEGER NOT NULL, -- of the contents
    result   TEXT NOT NULL,    -- returned by the device: "E_INVALIDARG"
    message  TEXT NOT NULL,
    reason   TEXT NOT NULL -- from the expectation file that lists the finding of a search at the end of a run: it is known;
                           -- '': none lists it
) STRICT;

-- Descriptions that were the first to reach something. Later searches vary them.
CREATE TABLE IF NOT EXISTS fuzz_corpus (
    id          INTEGER PRIMARY KEY,
    hunt_id     INTEGER NOT NULL REFERENCES fuzz_hunt (id) ON DELETE CASCADE,
    operator    TEXT NOT NULL,
    reached     TEXT NOT NULL, -- 'rules': the first to break its set of rules; 'code': the first to reach a place in the device
    description TEXT NOT NULL
) STRICT;

-- The confusion matrix. A description that breaks several rules counts for each of them.
CREATE TABLE IF NOT EXISTS fuzz_count (
    hunt_id  INTEGER NOT NULL REFERENCES fuzz_hunt (id) ON DELETE CASCADE,
    operator TEXT NOT NULL,
    rule     TEXT NOT NULL,    -- '': all descriptions, each once
    broken   INTEGER NOT NULL, -- number of rules broken at once; 4: four or more
    verdict  TEXT NOT NULL,    -- 'right accept', 'right reject', 'wrong accept', …
    count    INTEGER NOT NULL,
    PRIMARY KEY (hunt_id, operator, rule, broken, verdict)
) STRICT, WITHOUT ROWID;

-- Findings with their devices, newest first.
CREATE VIEW IF NOT EXISTS fuzz_findings AS
SELECT fuzz_finding.id, device, kind, operator, rule, strength, count, minimum, result, message, failure, also, ended,
       reason
FROM fuzz_finding
JOIN fuzz_hunt ON fuzz_hunt.id = fuzz_finding.hunt_id
ORDER BY fuzz_finding.id DESC;
