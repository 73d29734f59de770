-- A store as version 1 of the schema had it: tables, one run, two results.
CREATE TABLE environment (
    id INTEGER PRIMARY KEY, gpu TEXT NOT NULL, processor TEXT NOT NULL, architecture TEXT NOT NULL,
    sms INTEGER NOT NULL, memory_bytes INTEGER NOT NULL, driver TEXT NOT NULL, toolkit TEXT NOT NULL,
    UNIQUE (gpu, processor, architecture, sms, memory_bytes, driver, toolkit));
CREATE TABLE run (
    id INTEGER PRIMARY KEY, environment INTEGER NOT NULL REFERENCES environment (id),
    task_hash TEXT NOT NULL, source_hash TEXT NOT NULL,
    UNIQUE (environment, task_hash, source_hash));
CREATE TABLE call (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run (id), name TEXT NOT NULL,
    spec_text TEXT NOT NULL, spec_hash TEXT NOT NULL, command TEXT NOT NULL, version TEXT NOT NULL,
    started TEXT NOT NULL, host TEXT NOT NULL, baseline TEXT);
CREATE TABLE result (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run (id),
    parameters TEXT NOT NULL, workload TEXT NOT NULL, weight REAL NOT NULL,
    status TEXT NOT NULL, reason TEXT NOT NULL, samples_ns BLOB NOT NULL, dropped INTEGER NOT NULL,
    stopped_early INTEGER NOT NULL, verified INTEGER NOT NULL, checksum TEXT NOT NULL, device TEXT,
    seconds REAL NOT NULL, resources TEXT, log TEXT NOT NULL, compile_seconds REAL NOT NULL,
    from_cache INTEGER NOT NULL, deaths INTEGER NOT NULL, finished TEXT NOT NULL,
    UNIQUE (run, parameters, workload));
CREATE TABLE attempt (
    run INTEGER NOT NULL REFERENCES run (id), parameters TEXT NOT NULL, workload TEXT NOT NULL,
    deaths INTEGER NOT NULL,
    PRIMARY KEY (run, parameters, workload)) WITHOUT ROWID;
PRAGMA application_id = 1279414867;
PRAGMA user_version = 1;
INSERT INTO environment VALUES (1, 'Example GPU', '', 'sm_90', 132, 150000000000, '13.0', 'NVRTC 13.0');
INSERT INTO run VALUES (1, 1, 'old task', 'old source');
INSERT INTO call VALUES (1, 1, 'old_sort', '[tunable]', 'hash', 'launchbox tune old_sort.toml', '0.1.0',
    '2026-01-02T03:04:05Z', 'node1', '{"threads":256}');
INSERT INTO result VALUES (1, 1, '{"threads":256}', '{"n":5}', 1.0, 'measured', '',
    x'000000000000f03f0000000000000040000000000000f83f', 0, 0, 1, '', NULL, 0.5, '{"registers":32}', '', 1.5, 0, 0,
    '2026-01-02T03:05:00Z');
INSERT INTO result VALUES (2, 1, '{"threads":512}', '{"n":5}', 1.0, 'hang', 'no answer in 2 s',
    x'', 0, 0, 0, '', NULL, 2.0, NULL, '', 1.5, 0, 1, '2026-01-02T03:06:00Z');
