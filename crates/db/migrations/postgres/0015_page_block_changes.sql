-- Counts the changes of a page's blocks, so that the page's entity tag follows them without
-- reading them.
ALTER TABLE pages ADD COLUMN block_changes BIGINT NOT NULL DEFAULT 0;
