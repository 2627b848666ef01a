-- A deep page of the users by id adds up user_stretches alone: one row per 1,024 ids, which is
-- about a thousand rows for a million users.
DROP TRIGGER user_stretches_count_insert;
DROP TRIGGER user_stretches_count_update;
DROP TABLE user_wide_stretches;
