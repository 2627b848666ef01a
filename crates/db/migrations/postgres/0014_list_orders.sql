-- By code points, as SQLite orders them, whatever the locale of the database.
ALTER TABLE users ALTER COLUMN username_folded TYPE TEXT COLLATE "C";

-- What lists are ordered by, beside the id.
CREATE INDEX payment_invoices_amount ON payment_invoices (amount, id);
CREATE INDEX users_created ON users (created_at, id);

-- What lists are narrowed down to.
CREATE INDEX payment_invoices_pending ON payment_invoices (created_at, id)
    WHERE failed_at IS NULL AND NOT is_paid;
CREATE INDEX payment_invoices_failed ON payment_invoices (created_at, id)
    WHERE failed_at IS NOT NULL AND NOT is_paid;
CREATE INDEX payment_invoices_promo_code_created
    ON payment_invoices (promo_code_id, created_at, id) WHERE promo_code_id IS NOT NULL;
CREATE INDEX users_status ON users (status, id);
