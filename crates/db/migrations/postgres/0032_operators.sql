-- Users who may use the console.
CREATE TABLE operators (
    user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    active BOOLEAN NOT NULL,
    -- One bit for each permission, at the place of its id.
    permissions BIGINT NOT NULL,
    -- Also those that later versions add.
    all_permissions BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    last_sign_in_at BIGINT,
    has_two_factor BOOLEAN NOT NULL,
    -- Encrypted under the secret key. Without has_two_factor it is not confirmed yet.
    totp_secret BYTEA,
    -- The last time step whose code was used.
    totp_step BIGINT NOT NULL
);

CREATE TABLE operator_recovery_codes (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- SHA-256 of the code.
    hash BYTEA NOT NULL,
    PRIMARY KEY (user_id, hash)
);

CREATE TABLE console_sessions (
    id BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- SHA-256 of the token; the token itself is not stored.
    token_hash BYTEA NOT NULL UNIQUE,
    -- The operator who signed in, or the hash of the API key that was used to sign in.
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    key_hash BYTEA,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    ip TEXT,
    user_agent TEXT NOT NULL
);

CREATE INDEX console_sessions_user ON console_sessions (user_id, id);
CREATE INDEX console_sessions_key ON console_sessions (key_hash, id);
CREATE INDEX console_sessions_last_used_at ON console_sessions (last_used_at);

-- Links that create the first operator.
CREATE TABLE setup_tokens (
    -- SHA-256 of the token.
    hash BYTEA NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
);

-- The operator who made the change; null if a key did.
ALTER TABLE audit_log ADD COLUMN user_id BIGINT;
ALTER TABLE audit_log ADD COLUMN user_name TEXT;
