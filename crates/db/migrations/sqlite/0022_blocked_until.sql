-- `blocked_until` alone decides whether a user is blocked: they are until that second, exclusive.
-- NULL is no block, and 9223372036854775807 a block without an end. `user_blocks` is the history,
-- and its row that is not lifted has the reason of the present block.
--
-- `status` is 'blocked' exactly while `blocked_until` is set; a constraint ensures it. So totals and
-- lists by status need no other table. An expired block stays in both columns until the user is
-- next saved or maintenance clears it; readers compare it with the clock.

DROP TRIGGER user_blocks_count_insert;
DROP TRIGGER user_blocks_count_update;
DROP TRIGGER user_blocks_count_delete;
DROP TRIGGER users_count_insert;
DROP TRIGGER users_count_update;
DROP TRIGGER users_count_delete;
DROP TRIGGER user_roles_count_insert;
DROP TRIGGER user_roles_count_delete;
DROP TRIGGER user_count_add;
DROP VIEW user_count;
DROP VIEW counted_users;
DROP INDEX user_blocks_until;

-- SQLite validates the constraint against all rows when the column is added, so blocked users are
-- active for a moment. One without an open block has always been shown and counted as active, and
-- stays so.
CREATE TABLE blocked_users AS
    SELECT u.id, COALESCE(b.until, 9223372036854775807) AS blocked_until
    FROM users u JOIN user_blocks b ON b.user_id = u.id AND b.lifted_at IS NULL
    WHERE u.status = 'blocked';

UPDATE users SET status = 'active' WHERE status = 'blocked';

ALTER TABLE users ADD COLUMN blocked_until BIGINT
    CHECK ((status = 'blocked') = (blocked_until IS NOT NULL));

UPDATE users SET status = 'blocked', blocked_until = b.blocked_until
FROM blocked_users b WHERE b.id = users.id;

DROP TABLE blocked_users;

-- Finds and counts expired blocks without reading the table.
CREATE INDEX users_blocked_until ON users (blocked_until, id) WHERE blocked_until IS NOT NULL;

-- `user_totals` counts users by stored status, so an expired block counts as blocked. Its numbers
-- are right already; only the triggers that maintain it change.

-- A new user has no roles yet.
CREATE TRIGGER users_count_insert AFTER INSERT ON users BEGIN
    INSERT INTO user_stretches (stretch, slot, count) VALUES (new.id >> 10, 0, 1)
    ON CONFLICT (stretch, slot) DO UPDATE SET count = count + 1;
    INSERT INTO user_totals (role_id, status, slot, count) VALUES (0, new.status, 0, 1)
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER users_count_update AFTER UPDATE OF status ON users
WHEN old.status <> new.status BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT role_id, status, 0, change
    FROM (SELECT 0 AS role_id UNION ALL SELECT role_id FROM user_roles WHERE user_id = new.id)
    CROSS JOIN (SELECT old.status AS status, -1 AS change UNION ALL SELECT new.status, 1)
    WHERE TRUE
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count + excluded.count;
END;

-- Before the delete, while the roles of the user are still there. The cascaded delete of the roles
-- then finds no user, so nothing is counted twice.
CREATE TRIGGER users_count_delete BEFORE DELETE ON users BEGIN
    UPDATE user_stretches SET count = count - 1 WHERE stretch = old.id >> 10;
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT role_id, old.status, 0, -1
    FROM (SELECT 0 AS role_id UNION ALL SELECT role_id FROM user_roles WHERE user_id = old.id)
    WHERE TRUE
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count + excluded.count;
END;

CREATE TRIGGER user_roles_count_insert AFTER INSERT ON user_roles BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT new.role_id, status, 0, 1 FROM users WHERE id = new.user_id
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER user_roles_count_delete AFTER DELETE ON user_roles BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT old.role_id, status, 0, -1 FROM users WHERE id = old.user_id
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count - 1;
END;
