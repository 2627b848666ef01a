-- An instance of the version before may still be at work; what it wrote between the first count and the
-- triggers would be missing for ever.
LOCK TABLE users, user_roles, user_blocks, payment_statistics IN SHARE ROW EXCLUSIVE MODE;

-- Totals that are kept, so that nobody has to count. A row that everybody counts in would be held
-- by one transaction at a time until its end, and two that take several such rows would wait for
-- each other; so each transaction counts in slots that are its own until its end. A total is the
-- sum of all slots, of which there are few: a transaction takes the first that is free.
CREATE FUNCTION own_slot() RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    slot INTEGER := 0;
BEGIN
    WHILE NOT pg_try_advisory_xact_lock(7236283, slot) LOOP
        slot := slot + 1;
    END LOOP;
    RETURN slot;
END
$$;

-- How many users have a role and a status; the role 0 is everybody. Whoever is stored as blocked
-- and has no open block counts as active, as reading has it. One whose block has run out still
-- counts as blocked.
CREATE TABLE user_totals (
    role_id BIGINT NOT NULL,
    status TEXT NOT NULL,
    slot BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (role_id, status, slot)
);

-- How many users were deleted or have got another name or address.
CREATE TABLE user_changes (
    slot BIGINT NOT NULL PRIMARY KEY,
    count BIGINT NOT NULL
);

-- How many users there are among every 1,024 ids, so that a place far inside the list is found
-- without passing over all who come before.
CREATE TABLE user_stretches (
    stretch BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (stretch, slot)
);

-- The blocks that have run out and were not lifted are found by their end.
CREATE INDEX user_blocks_until ON user_blocks (until) WHERE lifted_at IS NULL;

CREATE VIEW counted_users AS
    SELECT u.id, u.status,
           CASE WHEN u.status = 'blocked' AND b.id IS NULL THEN 'active' ELSE u.status END AS counted,
           b.id IS NOT NULL AS has_block
    FROM users u LEFT JOIN user_blocks b ON b.user_id = u.id AND b.lifted_at IS NULL;

INSERT INTO user_totals (role_id, status, slot, count)
SELECT 0, counted, 0, COUNT(*) FROM counted_users GROUP BY counted;

INSERT INTO user_totals (role_id, status, slot, count)
SELECT r.role_id, u.counted, 0, COUNT(*)
FROM user_roles r JOIN counted_users u ON u.id = r.user_id GROUP BY r.role_id, u.counted;

INSERT INTO user_stretches (stretch, slot, count)
SELECT id >> 10, 0, COUNT(*) FROM users GROUP BY id >> 10;

-- Counts a user under a status, for everybody and for each of the user's roles. It relies on whoever
-- changes the status or the roles of a user holding the user meanwhile.
CREATE FUNCTION count_user(counted_id BIGINT, counted_as TEXT, change BIGINT)
RETURNS void LANGUAGE sql AS $$
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT role_id, counted_as, s.slot, change
    FROM (SELECT 0 AS role_id UNION ALL
          SELECT role_id FROM user_roles WHERE user_id = counted_id) r
    CROSS JOIN (SELECT own_slot() AS slot) s
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = user_totals.count + excluded.count
$$;

-- Many may be added by one statement, so they are counted by one, too.
CREATE FUNCTION users_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A new user has neither roles nor blocks.
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT 0, CASE status WHEN 'blocked' THEN 'active' ELSE status END, s.slot, COUNT(*)
    FROM added CROSS JOIN (SELECT own_slot() AS slot) s GROUP BY 2, 3
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = user_totals.count + excluded.count;
    INSERT INTO user_stretches (stretch, slot, count)
    SELECT id >> 10, s.slot, COUNT(*)
    FROM added CROSS JOIN (SELECT own_slot() AS slot) s GROUP BY 1, 2
    ON CONFLICT (stretch, slot) DO UPDATE SET count = user_stretches.count + excluded.count;
    RETURN NULL;
END
$$;

CREATE TRIGGER users_count_insert AFTER INSERT ON users
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION users_count_insert();

CREATE FUNCTION users_count_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_user(id, CASE WHEN OLD.status = 'blocked' AND NOT has_block THEN 'active'
                           ELSE OLD.status END, -1),
            count_user(id, counted, 1)
    FROM counted_users WHERE id = NEW.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER users_count_update AFTER UPDATE OF status ON users
    FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION users_count_update();

CREATE FUNCTION users_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM count_user(id, counted, -1) FROM counted_users WHERE id = OLD.id;
    INSERT INTO user_stretches (stretch, slot, count) VALUES (OLD.id >> 10, own_slot(), -1)
    ON CONFLICT (stretch, slot) DO UPDATE SET count = user_stretches.count - 1;
    RETURN OLD;
END
$$;

-- Before, while it is still known what hangs on the user. What is deleted along finds nobody left
-- to count.
CREATE TRIGGER users_count_delete BEFORE DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION users_count_delete();

CREATE FUNCTION user_roles_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT c.role_id, u.counted, s.slot, CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END * COUNT(*)
    FROM changed c JOIN counted_users u ON u.id = c.user_id
    CROSS JOIN (SELECT own_slot() AS slot) s GROUP BY c.role_id, u.counted, s.slot
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = user_totals.count + excluded.count;
    RETURN NULL;
END
$$;

CREATE TRIGGER user_roles_count_insert AFTER INSERT ON user_roles
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION user_roles_count();
CREATE TRIGGER user_roles_count_delete AFTER DELETE ON user_roles
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION user_roles_count();

CREATE FUNCTION user_blocks_count() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    opened BIGINT := CASE WHEN TG_OP <> 'DELETE' AND NEW.lifted_at IS NULL THEN 1 ELSE -1 END;
BEGIN
    PERFORM count_user(id, 'active', -opened), count_user(id, 'blocked', opened)
    FROM users WHERE id = COALESCE(NEW.user_id, OLD.user_id) AND status = 'blocked';
    RETURN NULL;
END
$$;

CREATE TRIGGER user_blocks_count_insert AFTER INSERT ON user_blocks
    FOR EACH ROW WHEN (NEW.lifted_at IS NULL) EXECUTE FUNCTION user_blocks_count();
CREATE TRIGGER user_blocks_count_update AFTER UPDATE OF lifted_at ON user_blocks
    FOR EACH ROW WHEN ((OLD.lifted_at IS NULL) <> (NEW.lifted_at IS NULL))
    EXECUTE FUNCTION user_blocks_count();
CREATE TRIGGER user_blocks_count_delete AFTER DELETE ON user_blocks
    FOR EACH ROW WHEN (OLD.lifted_at IS NULL) EXECUTE FUNCTION user_blocks_count();

CREATE FUNCTION users_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO user_changes (slot, count) VALUES (own_slot(), 1)
    ON CONFLICT (slot) DO UPDATE SET count = user_changes.count + 1;
    RETURN NULL;
END
$$;

CREATE TRIGGER users_changes_update AFTER UPDATE OF username_folded, email_folded ON users
    FOR EACH ROW
    WHEN (OLD.username_folded <> NEW.username_folded OR OLD.email_folded <> NEW.email_folded)
    EXECUTE FUNCTION users_changes();
CREATE TRIGGER users_changes_delete AFTER DELETE ON users
    FOR EACH ROW EXECUTE FUNCTION users_changes();

-- The statistics once more, for whoever asks for longer than a few days: without gateway and state
-- for each day, and without the day for each month and for all time. What is added up here is
-- more, so millions have a column of their own, too.
CREATE TABLE payment_days (
    day BIGINT NOT NULL,
    currency_id BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    millions BIGINT NOT NULL,
    whole BIGINT NOT NULL,
    fraction BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (day, currency_id, slot)
);

CREATE TABLE payment_spans (
    -- Twelve times the year and the month from 0, or -1 for all time.
    span BIGINT NOT NULL,
    gateway_id BIGINT NOT NULL,
    currency_id BIGINT NOT NULL,
    state TEXT NOT NULL,
    slot BIGINT NOT NULL,
    millions BIGINT NOT NULL,
    whole BIGINT NOT NULL,
    fraction BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (span, gateway_id, currency_id, state, slot)
);

CREATE FUNCTION span_of(day BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT (extract(year FROM d) * 12 + extract(month FROM d) - 1)::BIGINT
    FROM (SELECT DATE '1970-01-01' + day::INTEGER AS d) days
$$;

INSERT INTO payment_days (day, currency_id, slot, millions, whole, fraction, count)
SELECT day, currency_id, 0, SUM(whole / 1000000), SUM(whole % 1000000), SUM(fraction), SUM(count)
FROM payment_statistics GROUP BY day, currency_id;

INSERT INTO payment_spans (span, gateway_id, currency_id, state, slot, millions, whole, fraction,
                           count)
SELECT span, gateway_id, currency_id, state, 0, SUM(whole / 1000000), SUM(whole % 1000000),
       SUM(fraction), SUM(count)
FROM payment_statistics CROSS JOIN LATERAL (VALUES (-1), (span_of(day))) spans (span)
GROUP BY span, gateway_id, currency_id, state;

-- Adds to what a bucket of the statistics is part of.
CREATE FUNCTION payment_statistics_count() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    bucket payment_statistics := COALESCE(NEW, OLD);
    own BIGINT := own_slot();
BEGIN
    bucket.whole := COALESCE(NEW.whole, 0) - COALESCE(OLD.whole, 0);
    bucket.fraction := COALESCE(NEW.fraction, 0) - COALESCE(OLD.fraction, 0);
    bucket.count := COALESCE(NEW.count, 0) - COALESCE(OLD.count, 0);
    INSERT INTO payment_days AS d (day, currency_id, slot, millions, whole, fraction, count)
    VALUES (bucket.day, bucket.currency_id, own, bucket.whole / 1000000, bucket.whole % 1000000,
            bucket.fraction, bucket.count)
    ON CONFLICT (day, currency_id, slot) DO UPDATE
    SET millions = d.millions + excluded.millions, whole = d.whole + excluded.whole,
        fraction = d.fraction + excluded.fraction, count = d.count + excluded.count;
    INSERT INTO payment_spans AS s (span, gateway_id, currency_id, state, slot, millions, whole,
                                    fraction, count)
    SELECT span, bucket.gateway_id, bucket.currency_id, bucket.state, own, bucket.whole / 1000000,
           bucket.whole % 1000000, bucket.fraction, bucket.count
    FROM (VALUES (-1), (span_of(bucket.day))) spans (span)
    ON CONFLICT (span, gateway_id, currency_id, state, slot) DO UPDATE
    SET millions = s.millions + excluded.millions, whole = s.whole + excluded.whole,
        fraction = s.fraction + excluded.fraction, count = s.count + excluded.count;
    RETURN NULL;
END
$$;

CREATE TRIGGER payment_statistics_count AFTER INSERT OR UPDATE OR DELETE ON payment_statistics
    FOR EACH ROW EXECUTE FUNCTION payment_statistics_count();
