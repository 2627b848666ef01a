-- Money is kept in ten-thousandths, as integers.
CREATE TABLE currencies (
    id BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    code TEXT NOT NULL,
    -- In lower case, so that uniqueness does not depend on case.
    code_folded TEXT NOT NULL UNIQUE,
    minimum_value BIGINT NOT NULL,
    -- A plain decimal number; nothing is ever computed with it in the database.
    exchange_rate TEXT NOT NULL,
    is_default BOOLEAN NOT NULL
);

CREATE UNIQUE INDEX currencies_is_default_key ON currencies (is_default) WHERE is_default;
