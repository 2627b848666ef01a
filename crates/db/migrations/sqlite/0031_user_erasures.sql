-- Users whose personal values were erased. The audit log is long, so it is masked afterwards, in
-- parts. A row outlives its user, who may be deleted before all of the log is masked.
CREATE TABLE user_erasures (
    user_id BIGINT NOT NULL PRIMARY KEY,
    erased_at BIGINT NOT NULL,
    -- The audit log is masked up to the entry with this id.
    position BIGINT NOT NULL,
    -- Whether all entries are masked that can still hold a value.
    done BOOLEAN NOT NULL
);

CREATE INDEX user_erasures_pending ON user_erasures (user_id) WHERE NOT done;
