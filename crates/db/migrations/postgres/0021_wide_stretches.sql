-- An instance of the version before may still be at work; what it counted between the first count and
-- the trigger would be missing for ever.
LOCK TABLE user_stretches IN SHARE ROW EXCLUSIVE MODE;

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

-- The slot is the writer's own, as in the stretches.
CREATE FUNCTION user_stretches_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO user_wide_stretches (stretch, slot, count)
    VALUES (NEW.stretch >> 5, NEW.slot, NEW.count - COALESCE(OLD.count, 0))
    ON CONFLICT (stretch, slot) DO UPDATE SET count = user_wide_stretches.count + excluded.count;
    RETURN NULL;
END
$$;

CREATE TRIGGER user_stretches_count AFTER INSERT OR UPDATE OF count ON user_stretches
    FOR EACH ROW EXECUTE FUNCTION user_stretches_count();
