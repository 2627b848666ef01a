-- Attempts to sign in that count against a limit. The table sign_in_tries stays for instances of
-- the version before.
CREATE TABLE sign_in_attempts (
    -- SHA-256 of what the attempts are counted by: a login, a network, or both.
    subject BLOB NOT NULL PRIMARY KEY,
    -- The last attempt, for the removal of old rows.
    latest BIGINT NOT NULL,
    -- The seconds in which the attempts were made, 8 bytes for each.
    attempts BLOB NOT NULL
);

CREATE INDEX sign_in_attempts_latest ON sign_in_attempts (latest);
