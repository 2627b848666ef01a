-- Filled from the program's own catalogue at every start.
CREATE TABLE permissions (
    id BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL
);

CREATE TABLE api_keys (
    id BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL,
    -- SHA-256 of the value; the value itself is nowhere.
    hash BYTEA NOT NULL UNIQUE,
    -- The value's first 8 characters, for the mask.
    prefix TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    -- Gets permissions that later versions add.
    all_permissions BOOLEAN NOT NULL,
    -- The key that the first start makes.
    first BOOLEAN NOT NULL DEFAULT FALSE,
    expires_at BIGINT,
    created_at BIGINT NOT NULL
);

CREATE TABLE api_key_permissions (
    api_key_id BIGINT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    permission_id BIGINT NOT NULL REFERENCES permissions (id),
    PRIMARY KEY (api_key_id, permission_id)
);
