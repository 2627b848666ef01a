-- Networks and addresses between commas; NULL is from anywhere.
ALTER TABLE api_keys ADD COLUMN allowed_ips TEXT;
ALTER TABLE api_keys ADD COLUMN requests_per_second BIGINT;

-- The value before the present one, and when it is worth nothing any more.
ALTER TABLE api_keys ADD COLUMN previous_hash BLOB;
ALTER TABLE api_keys ADD COLUMN previous_valid_until BIGINT;
CREATE UNIQUE INDEX api_keys_previous_hash_key ON api_keys (previous_hash);

-- Written now and then, and not at every request.
ALTER TABLE api_keys ADD COLUMN last_used_at BIGINT;
ALTER TABLE api_keys ADD COLUMN last_used_ip TEXT;
