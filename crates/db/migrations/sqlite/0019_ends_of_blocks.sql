-- With whose block it is, so that those that have run out are found and counted here alone.
DROP INDEX user_blocks_until;
CREATE INDEX user_blocks_until ON user_blocks (until, user_id) WHERE lifted_at IS NULL;
