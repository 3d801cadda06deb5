-- What `assay fuzz --db` adds to a results database, when it is first used on it. Descriptions are in the form that `assay
-- fuzz` prints and takes.

-- A search. One that goes on where another ended has the same device and seed.
CREATE TABLE IF NOT EXISTS fuzz_hunt (
    id            INTEGER PRIMARY KEY,
    state         TEXT NOT NULL, -- 'done'; 'interrupted'; 'running': so it was when last heard of
    device        TEXT NOT NULL, -- as given with -d
    name          TEXT NOT NULL, -- what the device calls itself
    driver        TEXT NOT NULL,
    feature_level TEXT NOT NULL, -- whose rules judged
    version       TEXT NOT NULL, -- of assay
    seed          INTEGER NOT NULL,
    shard         TEXT NOT NULL, -- "1/1"
    first         INTEGER NOT NULL, -- chunk that it began with,
    next          INTEGER NOT NULL, -- and that a later one goes on with
    tried         INTEGER NOT NULL, -- descriptions
    executed      INTEGER NOT NULL,
    places        INTEGER NOT NULL, -- of the device's code that were reached; 0 where it does not count them
    seconds       REAL NOT NULL,
    ended         TEXT NOT NULL -- or last heard of
) STRICT;

-- Findings of one operator, rule and kind, with the smallest description that shows them.
CREATE TABLE IF NOT EXISTS fuzz_finding (
    id       INTEGER PRIMARY KEY,
    hunt_id  INTEGER NOT NULL REFERENCES fuzz_hunt (id) ON DELETE CASCADE,
    kind     TEXT NOT NULL, -- 'wrong accept', 'wrong reject', 'crash', 'hang', 'corrupt memory', 'harmed
                            -- process', 'wrong result'
    operator TEXT NOT NULL,
    rule     TEXT NOT NULL, -- to blame; '': the description is legal, and nothing explains it
    strength TEXT NOT NULL,
    also     TEXT NOT NULL, -- rules that explain it as well
    failure  INTEGER NOT NULL, -- 0: a warning
    count    INTEGER NOT NULL, -- descriptions found so
    position INTEGER NOT NULL, -- of the original in the search
    original TEXT NOT NULL,
    minimum  TEXT NOT NULL,
    steps    INTEGER NOT NULL, -- from the one to the other
    executed INTEGER NOT NULL, -- 1: the smallest was dispatched, its inputs made of
    fill     TEXT NOT NULL,    -- contents, as in cases,
    indices  TEXT NOT NULL,
    seed     INTEGER NOT NULL,
    result   TEXT NOT NULL,    -- of the device: "E_INVALIDARG"
    message  TEXT NOT NULL
) STRICT;

-- What was the first to reach something: later searches vary it.
CREATE TABLE IF NOT EXISTS fuzz_corpus (
    id          INTEGER PRIMARY KEY,
    hunt_id     INTEGER NOT NULL REFERENCES fuzz_hunt (id) ON DELETE CASCADE,
    operator    TEXT NOT NULL,
    reached     TEXT NOT NULL, -- 'rules': it breaks just a set of rules that nothing had; 'code': a place of the device
    description TEXT NOT NULL
) STRICT;

-- The confusion matrix. A description that breaks several rules counts for each of them.
CREATE TABLE IF NOT EXISTS fuzz_count (
    hunt_id  INTEGER NOT NULL REFERENCES fuzz_hunt (id) ON DELETE CASCADE,
    operator TEXT NOT NULL,
    rule     TEXT NOT NULL,    -- '': all descriptions, each once
    broken   INTEGER NOT NULL, -- rules broken at once; 4: or more
    verdict  TEXT NOT NULL,    -- 'right reject', …
    count    INTEGER NOT NULL,
    PRIMARY KEY (hunt_id, operator, rule, broken, verdict)
) STRICT, WITHOUT ROWID;

-- Findings with their devices; the newest first.
CREATE VIEW IF NOT EXISTS fuzz_findings AS
SELECT fuzz_finding.id, device, kind, operator, rule, strength, count, minimum, result, message, failure, also, ended
FROM fuzz_finding
JOIN fuzz_hunt ON fuzz_hunt.id = fuzz_finding.hunt_id
ORDER BY fuzz_finding.id DESC;
