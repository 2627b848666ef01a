-- One expression, so that the planner puts it into the statement that calls it. With a subquery it was
-- parsed and planned again for every invoice that was created.
CREATE OR REPLACE FUNCTION span_of(day BIGINT) RETURNS BIGINT LANGUAGE sql IMMUTABLE AS $$
    SELECT (extract(year FROM DATE '1970-01-01' + day::INTEGER) * 12
            + extract(month FROM DATE '1970-01-01' + day::INTEGER) - 1)::BIGINT
$$;
