-- One row per 4,096 ids instead of 1,024: a deep page of users by id adds up a quarter of the rows.
-- Skipping up to 4,095 ids inside a bucket costs less than that.
CREATE TABLE user_buckets (
    bucket BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (bucket, slot)
);

INSERT INTO user_buckets (bucket, slot, count)
SELECT stretch >> 2, slot, SUM(count) FROM user_stretches GROUP BY stretch >> 2, slot;

DROP TRIGGER users_count_insert;
DROP TRIGGER users_count_delete;

-- Empty from now on. On PostgreSQL an instance of the version before still reads it.
DELETE FROM user_stretches;

-- A new user has no roles yet.
CREATE TRIGGER users_count_insert AFTER INSERT ON users BEGIN
    INSERT INTO user_buckets (bucket, slot, count) VALUES (new.id >> 12, 0, 1)
    ON CONFLICT (bucket, slot) DO UPDATE SET count = count + 1;
    INSERT INTO user_totals (role_id, status, slot, count) VALUES (0, new.status, 0, 1)
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count + 1;
END;

-- Before the delete, while the roles of the user are still there. The cascaded delete of the roles
-- then finds no user, so nothing is counted twice.
CREATE TRIGGER users_count_delete BEFORE DELETE ON users BEGIN
    UPDATE user_buckets SET count = count - 1 WHERE bucket = old.id >> 12;
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT role_id, old.status, 0, -1
    FROM (SELECT 0 AS role_id UNION ALL SELECT role_id FROM user_roles WHERE user_id = old.id)
    WHERE TRUE
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count + excluded.count;
END;
