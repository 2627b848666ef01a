-- When the session was last used, as its device says; kept here as well, so that those which nobody
-- uses any more are found without a look at every device there ever was.
ALTER TABLE user_sessions ADD COLUMN last_active BIGINT NOT NULL DEFAULT 0;

UPDATE user_sessions SET last_active =
    (SELECT d.last_active FROM user_devices d WHERE d.id = user_sessions.device_id);

CREATE INDEX user_sessions_last_active ON user_sessions (last_active);

-- The moments of the last five tries to sign in, for each user or login that they were about.
CREATE TABLE sign_in_tries (
    -- SHA-256 of the user's id, or of the login where there is no such user.
    subject BLOB NOT NULL PRIMARY KEY,
    latest BIGINT NOT NULL,
    second BIGINT NOT NULL,
    third BIGINT NOT NULL,
    fourth BIGINT NOT NULL,
    fifth BIGINT NOT NULL
);

CREATE INDEX sign_in_tries_latest ON sign_in_tries (latest);
