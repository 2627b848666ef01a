-- Money is kept in ten-thousandths, as integers.
CREATE TABLE payment_gateways (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE promo_codes (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    code TEXT NOT NULL,
    -- In lower case, so that uniqueness does not depend on case.
    code_folded TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    value BIGINT NOT NULL,
    max_usages BIGINT,
    max_uses_per_user BIGINT,
    minimum_amount BIGINT,
    starts_at BIGINT,
    expires_at BIGINT,
    -- Whether it is for some roles only, which stays true when those roles are gone.
    for_roles_only BOOLEAN NOT NULL,
    active BOOLEAN NOT NULL,
    -- How many invoices use it, kept in the transactions that make and delete them.
    usages_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE promo_code_roles (
    promo_code_id BIGINT NOT NULL REFERENCES promo_codes (id) ON DELETE CASCADE,
    role_id BIGINT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    PRIMARY KEY (promo_code_id, role_id)
);

CREATE INDEX promo_code_roles_role ON promo_code_roles (role_id, promo_code_id);

CREATE TABLE payment_invoices (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL REFERENCES users (id),
    gateway_id BIGINT NOT NULL REFERENCES payment_gateways (id),
    transaction_id TEXT,
    amount BIGINT NOT NULL,
    original_amount BIGINT NOT NULL,
    promo_code_id BIGINT REFERENCES promo_codes (id),
    currency_id BIGINT NOT NULL REFERENCES currencies (id),
    is_paid BOOLEAN NOT NULL,
    paid_at BIGINT,
    failed_at BIGINT,
    failed_reason TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE INDEX payment_invoices_created ON payment_invoices (created_at, id);
CREATE INDEX payment_invoices_user ON payment_invoices (user_id, created_at, id);
CREATE INDEX payment_invoices_paid ON payment_invoices (is_paid, created_at, id);
CREATE INDEX payment_invoices_gateway ON payment_invoices (gateway_id, created_at, id);
CREATE INDEX payment_invoices_currency ON payment_invoices (currency_id, created_at, id);
CREATE INDEX payment_invoices_promo_code ON payment_invoices (promo_code_id, user_id);

-- What the statistics are read from, kept in the transaction of every invoice. Sums are split
-- into whole units and ten-thousandths, since the sum of many large amounts outgrows 64 bits.
CREATE TABLE payment_statistics (
    -- Days since 1970, in UTC.
    day BIGINT NOT NULL,
    gateway_id BIGINT NOT NULL REFERENCES payment_gateways (id),
    currency_id BIGINT NOT NULL REFERENCES currencies (id),
    -- completed, pending or failed.
    state TEXT NOT NULL,
    whole BIGINT NOT NULL,
    fraction BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (day, gateway_id, currency_id, state)
);
