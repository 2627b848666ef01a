-- One row per 4,096 ids and slot instead of 1,024: a deep page of users by id adds up a quarter of
-- the rows. Skipping up to 4,095 ids inside a bucket costs less than that. Users are counted in
-- user_stretches as well, as long as an instance of the version before can read it.

-- Transactions that write users wait here, and run the new functions afterwards.
LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE;

CREATE TABLE user_buckets (
    bucket BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (bucket, slot)
);

INSERT INTO user_buckets (bucket, slot, count)
SELECT stretch >> 2, slot, SUM(count) FROM user_stretches GROUP BY stretch >> 2, slot;

CREATE OR REPLACE FUNCTION users_count_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A new user has no roles yet.
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT 0, status, s.slot, COUNT(*)
    FROM added CROSS JOIN (SELECT own_slot() AS slot) s GROUP BY status, s.slot
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = user_totals.count + excluded.count;
    INSERT INTO user_buckets (bucket, slot, count)
    SELECT id >> 12, s.slot, COUNT(*)
    FROM added CROSS JOIN (SELECT own_slot() AS slot) s GROUP BY 1, 2
    ON CONFLICT (bucket, slot) DO UPDATE SET count = user_buckets.count + excluded.count;
    INSERT INTO user_stretches (stretch, slot, count)
    SELECT id >> 10, s.slot, COUNT(*)
    FROM added CROSS JOIN (SELECT own_slot() AS slot) s GROUP BY 1, 2
    ON CONFLICT (stretch, slot) DO UPDATE SET count = user_stretches.count + excluded.count;
    RETURN NULL;
END
$$;

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
    INSERT INTO user_buckets (bucket, slot, count) VALUES (OLD.id >> 12, own_slot(), -1)
    ON CONFLICT (bucket, slot) DO UPDATE SET count = user_buckets.count - 1;
    INSERT INTO user_stretches (stretch, slot, count) VALUES (OLD.id >> 10, own_slot(), -1)
    ON CONFLICT (stretch, slot) DO UPDATE SET count = user_stretches.count - 1;
    RETURN OLD;
END
$$;
