-- A deep page of the users by id adds up user_stretches alone: one row per 1,024 ids and slot,
-- which is a few thousand rows for a million users.
DROP TRIGGER user_stretches_count ON user_stretches;
DROP FUNCTION user_stretches_count();
DROP TABLE user_wide_stretches;
