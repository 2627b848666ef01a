-- The stored reply, if it reveals a secret: encrypted under a key that only the client can derive, and
-- then like every reply.
ALTER TABLE idempotent_replies ADD COLUMN secret_reply BLOB;
