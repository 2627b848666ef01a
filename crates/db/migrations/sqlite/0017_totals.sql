-- Totals that are kept, so that nobody has to count. Where writers run side by side, each counts
-- in a slot of its own; here a writer is alone, and there is one slot. A total is the sum of all.

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

-- Inserting here counts a user under a status, for everybody and for each of the user's roles.
CREATE VIEW user_count AS SELECT 0 AS user_id, '' AS status, 0 AS change;

CREATE TRIGGER user_count_add INSTEAD OF INSERT ON user_count BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT role_id, new.status, 0, new.change
    FROM (SELECT 0 AS role_id UNION ALL SELECT role_id FROM user_roles WHERE user_id = new.user_id)
    WHERE TRUE
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count + excluded.count;
END;

CREATE TRIGGER users_count_insert AFTER INSERT ON users BEGIN
    INSERT INTO user_stretches (stretch, slot, count) VALUES (new.id >> 10, 0, 1)
    ON CONFLICT (stretch, slot) DO UPDATE SET count = count + 1;
    INSERT INTO user_count (user_id, status, change)
    SELECT id, counted, 1 FROM counted_users WHERE id = new.id;
END;

CREATE TRIGGER users_count_update AFTER UPDATE OF status ON users
WHEN old.status <> new.status BEGIN
    INSERT INTO user_count (user_id, status, change)
    SELECT id, CASE WHEN old.status = 'blocked' AND NOT has_block THEN 'active' ELSE old.status END,
           -1
    FROM counted_users WHERE id = new.id;
    INSERT INTO user_count (user_id, status, change)
    SELECT id, counted, 1 FROM counted_users WHERE id = new.id;
END;

-- Before, while it is still known what hangs on the user. What is deleted along finds nobody left
-- to count.
CREATE TRIGGER users_count_delete BEFORE DELETE ON users BEGIN
    UPDATE user_stretches SET count = count - 1 WHERE stretch = old.id >> 10;
    INSERT INTO user_count (user_id, status, change)
    SELECT id, counted, -1 FROM counted_users WHERE id = old.id;
END;

CREATE TRIGGER user_roles_count_insert AFTER INSERT ON user_roles BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT new.role_id, counted, 0, 1 FROM counted_users WHERE id = new.user_id
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER user_roles_count_delete AFTER DELETE ON user_roles BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT old.role_id, counted, 0, -1 FROM counted_users WHERE id = old.user_id
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count - 1;
END;

CREATE TRIGGER user_blocks_count_insert AFTER INSERT ON user_blocks
WHEN new.lifted_at IS NULL BEGIN
    INSERT INTO user_count (user_id, status, change)
    SELECT id, 'active', -1 FROM users WHERE id = new.user_id AND status = 'blocked'
    UNION ALL
    SELECT id, 'blocked', 1 FROM users WHERE id = new.user_id AND status = 'blocked';
END;

CREATE TRIGGER user_blocks_count_update AFTER UPDATE OF lifted_at ON user_blocks
WHEN (old.lifted_at IS NULL) <> (new.lifted_at IS NULL) BEGIN
    INSERT INTO user_count (user_id, status, change)
    SELECT id, 'active', iif(new.lifted_at IS NULL, -1, 1) FROM users
    WHERE id = new.user_id AND status = 'blocked'
    UNION ALL
    SELECT id, 'blocked', iif(new.lifted_at IS NULL, 1, -1) FROM users
    WHERE id = new.user_id AND status = 'blocked';
END;

CREATE TRIGGER user_blocks_count_delete AFTER DELETE ON user_blocks
WHEN old.lifted_at IS NULL BEGIN
    INSERT INTO user_count (user_id, status, change)
    SELECT id, 'active', 1 FROM users WHERE id = old.user_id AND status = 'blocked'
    UNION ALL
    SELECT id, 'blocked', -1 FROM users WHERE id = old.user_id AND status = 'blocked';
END;

CREATE TRIGGER users_changes_update AFTER UPDATE OF username_folded, email_folded ON users
WHEN old.username_folded <> new.username_folded OR old.email_folded <> new.email_folded BEGIN
    INSERT INTO user_changes (slot, count) VALUES (0, 1)
    ON CONFLICT (slot) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER users_changes_delete AFTER DELETE ON users BEGIN
    INSERT INTO user_changes (slot, count) VALUES (0, 1)
    ON CONFLICT (slot) DO UPDATE SET count = count + 1;
END;

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

-- Inserting here adds to what a bucket of the statistics is part of.
CREATE VIEW payment_count AS
    SELECT day, gateway_id, currency_id, state, whole, fraction, count FROM payment_statistics;

CREATE TRIGGER payment_count_add INSTEAD OF INSERT ON payment_count BEGIN
    INSERT INTO payment_days (day, currency_id, slot, millions, whole, fraction, count)
    VALUES (new.day, new.currency_id, 0, new.whole / 1000000, new.whole % 1000000, new.fraction,
            new.count)
    ON CONFLICT (day, currency_id, slot) DO UPDATE
    SET millions = millions + excluded.millions, whole = whole + excluded.whole,
        fraction = fraction + excluded.fraction, count = count + excluded.count;
    INSERT INTO payment_spans (span, gateway_id, currency_id, state, slot, millions, whole,
                               fraction, count)
    SELECT span, new.gateway_id, new.currency_id, new.state, 0, new.whole / 1000000,
           new.whole % 1000000, new.fraction, new.count
    FROM (SELECT -1 AS span UNION ALL
          SELECT strftime('%Y', new.day * 86400, 'unixepoch') * 12
                 + strftime('%m', new.day * 86400, 'unixepoch') - 1)
    WHERE TRUE
    ON CONFLICT (span, gateway_id, currency_id, state, slot) DO UPDATE
    SET millions = millions + excluded.millions, whole = whole + excluded.whole,
        fraction = fraction + excluded.fraction, count = count + excluded.count;
END;

INSERT INTO payment_count
SELECT day, gateway_id, currency_id, state, whole, fraction, count FROM payment_statistics;

CREATE TRIGGER payment_statistics_insert AFTER INSERT ON payment_statistics BEGIN
    INSERT INTO payment_count
    VALUES (new.day, new.gateway_id, new.currency_id, new.state, new.whole, new.fraction,
            new.count);
END;

CREATE TRIGGER payment_statistics_update AFTER UPDATE ON payment_statistics BEGIN
    INSERT INTO payment_count
    VALUES (new.day, new.gateway_id, new.currency_id, new.state, new.whole - old.whole,
            new.fraction - old.fraction, new.count - old.count);
END;

CREATE TRIGGER payment_statistics_delete AFTER DELETE ON payment_statistics BEGIN
    INSERT INTO payment_count
    VALUES (old.day, old.gateway_id, old.currency_id, old.state, -old.whole, -old.fraction,
            -old.count);
END;
