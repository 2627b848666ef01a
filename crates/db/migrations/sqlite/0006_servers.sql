CREATE TABLE servers (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    ip TEXT NOT NULL,
    port BIGINT NOT NULL,
    enabled BOOLEAN NOT NULL,
    game TEXT NOT NULL,
    -- Encrypted under the secret key.
    rcon_password BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
