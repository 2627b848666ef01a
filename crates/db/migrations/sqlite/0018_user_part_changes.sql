-- Counts what is added to or taken from a user beside their own fields and roles: links and devices.
-- So the entity tag of a user follows them without a look at them.
ALTER TABLE users ADD COLUMN part_changes BIGINT NOT NULL DEFAULT 0;
