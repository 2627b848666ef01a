-- How many users there are in every 32 stretches, which is among 32,768 ids: of a million users
-- there would be a thousand stretches to pass over without them.
CREATE TABLE user_wide_stretches (
    stretch BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (stretch, slot)
);

INSERT INTO user_wide_stretches (stretch, slot, count)
SELECT stretch >> 5, slot, SUM(count) FROM user_stretches GROUP BY stretch >> 5, slot;

CREATE TRIGGER user_stretches_count_insert AFTER INSERT ON user_stretches BEGIN
    INSERT INTO user_wide_stretches (stretch, slot, count)
    VALUES (new.stretch >> 5, new.slot, new.count)
    ON CONFLICT (stretch, slot) DO UPDATE SET count = count + excluded.count;
END;

CREATE TRIGGER user_stretches_count_update AFTER UPDATE OF count ON user_stretches BEGIN
    UPDATE user_wide_stretches SET count = count + new.count - old.count
    WHERE stretch = new.stretch >> 5 AND slot = new.slot;
END;
