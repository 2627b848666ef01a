CREATE TABLE idempotent_replies (
    key_id BIGINT NOT NULL,
    value TEXT NOT NULL,
    -- A fingerprint of the request and the reply to it, encrypted under the secret key; empty until
    -- the write is done.
    reply BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (key_id, value)
);

CREATE INDEX idempotent_replies_created_at ON idempotent_replies (created_at);
