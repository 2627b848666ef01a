-- Where to ask, if not at the port that players connect to.
ALTER TABLE servers ADD COLUMN query_port BIGINT;

-- What each server last said, and when it is to be asked again.
CREATE TABLE server_live (
    server_id BIGINT NOT NULL PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
    -- Grows with every change of the server, so that the answer to an old question is noticed.
    epoch BIGINT NOT NULL,
    -- In milliseconds; null while the server is switched off.
    next_query_at BIGINT,
    -- In milliseconds: until then, some instance is asking it.
    leased_until BIGINT NOT NULL,
    -- In a row.
    failures BIGINT NOT NULL,
    checked_at BIGINT,
    error TEXT,
    latency_ms BIGINT,
    players_online BIGINT NOT NULL,
    max_players BIGINT NOT NULL,
    map TEXT NOT NULL,
    name TEXT,
    version TEXT,
    -- A list in JSON.
    players TEXT NOT NULL
);

CREATE INDEX server_live_next ON server_live (next_query_at);

INSERT INTO server_live (server_id, epoch, next_query_at, leased_until, failures, players_online,
                         max_players, map, players)
SELECT id, 1, CASE WHEN enabled THEN 0 END, 0, 0, 0, 0, '', '[]' FROM servers;

-- All samples of a server within one hour, packed. The hour comes first in the key, so that what
-- is written at the same time lies together.
CREATE TABLE server_samples (
    -- Hours since 1970.
    hour BIGINT NOT NULL,
    server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    samples BYTEA NOT NULL,
    PRIMARY KEY (hour, server_id)
);

CREATE INDEX server_samples_server ON server_samples (server_id, hour);

-- What is left of an hour whose samples were too old to be kept.
CREATE TABLE server_hours (
    hour BIGINT NOT NULL,
    server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    samples BIGINT NOT NULL,
    -- How many of them were answers.
    reachable BIGINT NOT NULL,
    players_sum BIGINT NOT NULL,
    players_max BIGINT NOT NULL,
    max_players BIGINT NOT NULL,
    PRIMARY KEY (hour, server_id)
);

CREATE INDEX server_hours_server ON server_hours (server_id, hour);
