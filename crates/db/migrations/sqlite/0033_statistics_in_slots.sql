-- The statistics of single days, in a table like those of longer times. SQLite has one writer at a
-- time, so the only slot is 0.
CREATE TABLE payment_slots (
    -- Days since 1970, in UTC.
    day BIGINT NOT NULL,
    gateway_id BIGINT NOT NULL,
    currency_id BIGINT NOT NULL,
    -- completed, pending or failed.
    state TEXT NOT NULL,
    slot BIGINT NOT NULL,
    whole BIGINT NOT NULL,
    fraction BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (day, gateway_id, currency_id, state, slot)
);

INSERT INTO payment_slots (day, gateway_id, currency_id, state, slot, whole, fraction, count)
SELECT day, gateway_id, currency_id, state, 0, whole, fraction, count FROM payment_statistics;

DROP VIEW payment_count;
DROP TRIGGER payment_statistics_insert;
DROP TRIGGER payment_statistics_update;
DROP TRIGGER payment_statistics_delete;

-- Empty from now on; PostgreSQL still needs it. Without references, as there.
DROP TABLE payment_statistics;
CREATE TABLE payment_statistics (
    day BIGINT NOT NULL,
    gateway_id BIGINT NOT NULL,
    currency_id BIGINT NOT NULL,
    state TEXT NOT NULL,
    whole BIGINT NOT NULL,
    fraction BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (day, gateway_id, currency_id, state)
);

-- Inserting here adds to a bucket, and to the longer times that it is part of.
CREATE VIEW payment_buckets AS
    SELECT day, gateway_id, currency_id, state, whole, fraction, count FROM payment_slots;

CREATE TRIGGER payment_buckets_add INSTEAD OF INSERT ON payment_buckets BEGIN
    INSERT INTO payment_slots (day, gateway_id, currency_id, state, slot, whole, fraction, count)
    VALUES (new.day, new.gateway_id, new.currency_id, new.state, 0, new.whole, new.fraction,
            new.count)
    ON CONFLICT (day, gateway_id, currency_id, state, slot) DO UPDATE
    SET whole = whole + excluded.whole, fraction = fraction + excluded.fraction,
        count = count + excluded.count;
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
