-- One expression, so that the planner puts it into the statement that calls it. With a subquery it was
-- parsed and planned again for every invoice that was created.
CREATE OR REPLACE FUNCTION span_of(day BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT (extract(year FROM DATE '1970-01-01' + day::INTEGER) * 12
            + extract(month FROM DATE '1970-01-01' + day::INTEGER) - 1)::BIGINT
$$;

-- Slot 0 if it is free, so that few writers fill few rows. Many writers then begin at different slots:
-- trying them in order took more time than adding up the statistics.
CREATE OR REPLACE FUNCTION own_slot() RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    slot INTEGER := 0;
BEGIN
    IF pg_try_advisory_xact_lock(7236283, slot) THEN
        RETURN slot;
    END IF;
    slot := 1 + pg_backend_pid() % 16;
    WHILE NOT pg_try_advisory_xact_lock(7236283, slot) LOOP
        slot := slot + 1;
    END LOOP;
    RETURN slot;
END
$$;
