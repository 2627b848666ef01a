CREATE TABLE servers (
    id BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL,
    ip TEXT NOT NULL,
    port BIGINT NOT NULL,
    enabled BOOLEAN NOT NULL,
    game TEXT NOT NULL,
    -- Encrypted under the secret key.
    rcon_password BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
