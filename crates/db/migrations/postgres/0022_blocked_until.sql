-- An instance of the previous version may still be running. What it writes between the copy and the
-- new triggers would be lost.
LOCK TABLE users, user_roles, user_blocks IN ACCESS EXCLUSIVE MODE;

-- `blocked_until` alone decides whether a user is blocked: they are until that second, exclusive.
-- NULL is no block, and 9223372036854775807 a block without an end. `user_blocks` is the history,
-- and its row that is not lifted has the reason of the present block.
--
-- `status` is 'blocked' exactly while `blocked_until` is set; a constraint ensures it. So totals and
-- lists by status need no other table. An expired block stays in both columns until the user is
-- next saved or maintenance clears it; readers compare it with the clock.

DROP TRIGGER user_blocks_count_insert ON user_blocks;
DROP TRIGGER user_blocks_count_update ON user_blocks;
DROP TRIGGER user_blocks_count_delete ON user_blocks;
DROP TRIGGER users_count_update ON users;
DROP FUNCTION user_blocks_count();
DROP FUNCTION count_user(BIGINT, TEXT, BIGINT);
DROP VIEW counted_users;
DROP INDEX user_blocks_until;

ALTER TABLE users ADD COLUMN blocked_until BIGINT;

UPDATE users SET blocked_until = COALESCE(b.until, 9223372036854775807)
FROM user_blocks b
WHERE b.user_id = users.id AND b.lifted_at IS NULL AND users.status = 'blocked';

-- One without an open block has always been shown and counted as active.
UPDATE users SET status = 'active' WHERE status = 'blocked' AND blocked_until IS NULL;

ALTER TABLE users ADD CONSTRAINT users_blocked_until_check
    CHECK ((status = 'blocked') = (blocked_until IS NOT NULL));

-- Finds and counts expired blocks without reading the table.
CREATE INDEX users_blocked_until ON users (blocked_until, id) WHERE blocked_until IS NOT NULL;

-- `user_totals` counts users by stored status, so an expired block counts as blocked. Its numbers
-- are right already; only the triggers that maintain it change. They require that a transaction
-- which changes the status or the roles of a user has locked the user.

CREATE OR REPLACE FUNCTION users_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A new user has no roles yet.
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT 0, status, s.slot, COUNT(*)
    FROM added CROSS JOIN (SELECT own_slot() AS slot) s GROUP BY status, s.slot
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = user_totals.count + excluded.count;
    INSERT INTO user_stretches (stretch, slot, count)
    SELECT id >> 10, s.slot, COUNT(*)
    FROM added CROSS JOIN (SELECT own_slot() AS slot) s GROUP BY 1, 2
    ON CONFLICT (stretch, slot) DO UPDATE SET count = user_stretches.count + excluded.count;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION users_count_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT r.role_id, c.status, s.slot, c.change
    FROM (SELECT 0 AS role_id UNION ALL
          SELECT role_id FROM user_roles WHERE user_id = NEW.id) r
    CROSS JOIN (VALUES (OLD.status, -1), (NEW.status, 1)) c (status, change)
    CROSS JOIN (SELECT own_slot() AS slot) s
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = user_totals.count + excluded.count;
    RETURN NULL;
END
$$;

CREATE TRIGGER users_count_update AFTER UPDATE OF status ON users
    FOR EACH ROW WHEN (OLD.status <> NEW.status) EXECUTE FUNCTION users_count_update();

-- Runs before the delete, while the roles of the user are still there. The cascaded delete of the
-- roles then finds no user, so nothing is counted twice.
CREATE OR REPLACE FUNCTION users_count_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT r.role_id, OLD.status, s.slot, -1
    FROM (SELECT 0 AS role_id UNION ALL
          SELECT role_id FROM user_roles WHERE user_id = OLD.id) r
    CROSS JOIN (SELECT own_slot() AS slot) s
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = user_totals.count + excluded.count;
    INSERT INTO user_stretches (stretch, slot, count) VALUES (OLD.id >> 10, own_slot(), -1)
    ON CONFLICT (stretch, slot) DO UPDATE SET count = user_stretches.count - 1;
    RETURN OLD;
END
$$;

CREATE OR REPLACE FUNCTION user_roles_count() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT c.role_id, u.status, s.slot, CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END * COUNT(*)
    FROM changed c JOIN users u ON u.id = c.user_id
    CROSS JOIN (SELECT own_slot() AS slot) s GROUP BY c.role_id, u.status, s.slot
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = user_totals.count + excluded.count;
    RETURN NULL;
END
$$;
