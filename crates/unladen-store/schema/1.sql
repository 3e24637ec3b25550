-- What this store is: `schema`, the version of its tables, and `made_by`, the version of Unladen that made them so.
CREATE TABLE store_meta (
    name {text} PRIMARY KEY,
    value {text} NOT NULL
){strict};

-- What lists show and filter by. Documents lie elsewhere: a list reads none of their pages.
CREATE TABLE runs (
    id {id},
    time_ns {integer} NOT NULL,
    verb {text} NOT NULL,
    target {text} NOT NULL,
    host {text} NOT NULL,
    version {text} NOT NULL,
    ended {text} NOT NULL,
    commit_id {text},
    dirty {boolean} NOT NULL,
    document_bytes {integer} NOT NULL,
    evidence_bytes {integer},
    stored_bytes {integer} NOT NULL
){strict};
CREATE INDEX runs_by_time ON runs (time_ns, id);
CREATE INDEX runs_by_verb ON runs (verb, time_ns, id);
CREATE INDEX runs_by_host ON runs (host, time_ns, id);
-- The beginning alone: an entry of PostgreSQL's indexes has at most 2,700 bytes.
CREATE INDEX runs_by_target ON runs (substr(target, 1, 200), time_ns, id);
CREATE INDEX runs_by_commit ON runs (commit_id, time_ns, id);

CREATE TABLE run_labels (
    run_id {integer} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    key {text} NOT NULL,
    value {text} NOT NULL,
    -- That of its run: a list by label is in order without a look at all its runs.
    time_ns {integer} NOT NULL,
    PRIMARY KEY (run_id, key)
){strict};
CREATE INDEX run_labels_by_value ON run_labels (key, value, time_ns, run_id);

-- The whole result, JSON compressed by zstd.
CREATE TABLE documents (
    run_id {integer} PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    content {bytes} NOT NULL
){strict};

-- The recording of the evidence, compressed by zstd.
CREATE TABLE evidence (
    run_id {integer} PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    content {bytes} NOT NULL
){strict};
