-- The statistics of single days in slots, like those of longer times. In one row for each bucket,
-- every writer of an invoice would wait until the commit of the one before had reached the disk.
--
-- payment_statistics keeps what was counted before. Instances of the version before this one go on
-- counting there, so a bucket is the sum of both tables.
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

-- Those instances delete a bucket whose count is 0. Its sum may belong to a bucket of the other table.
CREATE FUNCTION payment_statistics_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.whole <> 0 OR OLD.fraction <> 0 THEN
        RETURN NULL;
    END IF;
    RETURN OLD;
END
$$;

CREATE TRIGGER payment_statistics_keep BEFORE DELETE ON payment_statistics
    FOR EACH ROW EXECUTE FUNCTION payment_statistics_keep();

-- Rows whose sum is 0 are left behind. They must not prevent the deletion of a currency or gateway.
ALTER TABLE payment_statistics
    DROP CONSTRAINT payment_statistics_currency_id_fkey,
    DROP CONSTRAINT payment_statistics_gateway_id_fkey;

-- Inserting here adds to a bucket, and to the longer times that it is part of.
CREATE VIEW payment_buckets AS
    SELECT day, gateway_id, currency_id, state, whole, fraction, count FROM payment_statistics
    UNION ALL
    SELECT day, gateway_id, currency_id, state, whole, fraction, count FROM payment_slots;

CREATE FUNCTION payment_buckets_add() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    own BIGINT := own_slot();
BEGIN
    INSERT INTO payment_slots AS b (day, gateway_id, currency_id, state, slot, whole, fraction,
                                    count)
    VALUES (NEW.day, NEW.gateway_id, NEW.currency_id, NEW.state, own, NEW.whole, NEW.fraction,
            NEW.count)
    ON CONFLICT (day, gateway_id, currency_id, state, slot) DO UPDATE
    SET whole = b.whole + excluded.whole, fraction = b.fraction + excluded.fraction,
        count = b.count + excluded.count;
    INSERT INTO payment_days AS d (day, currency_id, slot, millions, whole, fraction, count)
    VALUES (NEW.day, NEW.currency_id, own, NEW.whole / 1000000, NEW.whole % 1000000, NEW.fraction,
            NEW.count)
    ON CONFLICT (day, currency_id, slot) DO UPDATE
    SET millions = d.millions + excluded.millions, whole = d.whole + excluded.whole,
        fraction = d.fraction + excluded.fraction, count = d.count + excluded.count;
    INSERT INTO payment_spans AS s (span, gateway_id, currency_id, state, slot, millions, whole,
                                    fraction, count)
    SELECT span, NEW.gateway_id, NEW.currency_id, NEW.state, own, NEW.whole / 1000000,
           NEW.whole % 1000000, NEW.fraction, NEW.count
    FROM (VALUES (-1), (span_of(NEW.day))) spans (span)
    ON CONFLICT (span, gateway_id, currency_id, state, slot) DO UPDATE
    SET millions = s.millions + excluded.millions, whole = s.whole + excluded.whole,
        fraction = s.fraction + excluded.fraction, count = s.count + excluded.count;
    RETURN NEW;
END
$$;

CREATE TRIGGER payment_buckets_add INSTEAD OF INSERT ON payment_buckets
    FOR EACH ROW EXECUTE FUNCTION payment_buckets_add();
