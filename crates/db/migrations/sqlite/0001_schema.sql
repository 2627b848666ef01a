-- The schema. Moments are Unix seconds in UTC unless a comment says otherwise, and money is an
-- integer of ten-thousandths.

-- ==== The service itself ====

-- The version of each topic, so that caches know when they are out of date.
CREATE TABLE changes (
    topic TEXT NOT NULL PRIMARY KEY,
    counter BIGINT NOT NULL,
    -- A random number that each announcement writes. The counter alone can have an earlier value
    -- again, after a failover or a restore, and then reach a later one a second time.
    generation BIGINT NOT NULL
);

-- The instances that share a PostgreSQL server, and how many announcements each has seen. A
-- transaction that announces a change is answered when all of them have seen it. Empty on SQLite.
CREATE TABLE instances (
    id BIGINT NOT NULL PRIMARY KEY,
    seen BIGINT NOT NULL
);

-- Values that the service stores about itself, such as the check value of the secret key.
CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
);

-- What must happen outside the database, and when. Each kind of work has its own tables; an item
-- that is finished has no row here.
CREATE TABLE queue (
    kind TEXT NOT NULL,
    -- What the item is for, such as a webhook: a slow line delays no other.
    line BIGINT NOT NULL,
    item BIGINT NOT NULL,
    -- In milliseconds; while the item is leased, the end of the lease.
    next_attempt_at BIGINT NOT NULL,
    -- In milliseconds: until then, an instance works on it. 0 if none does.
    leased_until BIGINT NOT NULL,
    PRIMARY KEY (kind, line, item)
);

CREATE INDEX queue_due ON queue (kind, line, next_attempt_at, item);

-- ==== Permissions and API keys ====

-- Every start fills it from the program's catalogue.
CREATE TABLE permissions (
    id INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL
);

CREATE TABLE api_keys (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    -- SHA-256 of the value; the value itself is not stored.
    hash BLOB NOT NULL UNIQUE,
    -- The first 8 characters of the value, for the mask.
    prefix TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    -- Also those that later versions add.
    all_permissions BOOLEAN NOT NULL,
    -- The key that the first start creates.
    first BOOLEAN NOT NULL DEFAULT FALSE,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    -- Networks and addresses separated by commas; null allows any.
    allowed_ips TEXT,
    requests_per_second BIGINT,
    -- The value before a rotation, and when it expires.
    previous_hash BLOB,
    previous_valid_until BIGINT,
    -- Written every few seconds, not at every request.
    last_used_at BIGINT,
    last_used_ip TEXT
);

CREATE UNIQUE INDEX api_keys_previous_hash_key ON api_keys (previous_hash);

CREATE TABLE api_key_permissions (
    api_key_id BIGINT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
    permission_id BIGINT NOT NULL REFERENCES permissions (id),
    PRIMARY KEY (api_key_id, permission_id)
);

-- Replies to requests with an Idempotency-Key.
CREATE TABLE idempotent_replies (
    key_id BIGINT NOT NULL,
    value TEXT NOT NULL,
    -- A fingerprint of the request and the reply to it, sealed; empty until the write is done.
    reply BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    -- The reply instead, if it reveals a secret: sealed under a key that only the client can
    -- derive, and then like every reply.
    secret_reply BLOB,
    PRIMARY KEY (key_id, value)
);

CREATE INDEX idempotent_replies_created_at ON idempotent_replies (created_at);

-- ==== Audit log ====

-- Entries outlive the resources they are about, so no column refers to another table.
CREATE TABLE audit_log (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at BIGINT NOT NULL,
    key_id BIGINT,
    key_name TEXT NOT NULL,
    -- The id that the service gave the request.
    request_id TEXT NOT NULL,
    ip TEXT,
    action TEXT NOT NULL,
    resource TEXT NOT NULL,
    resource_id BIGINT NOT NULL,
    -- JSON objects of the fields that changed.
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    -- The id that the client gave the request.
    client_request_id TEXT,
    -- The operator who made the change; null if it was not made in the console.
    user_id BIGINT,
    user_name TEXT,
    -- The user that the resource is or belongs to. Null also for changes of many users at once.
    about_user_id BIGINT
);

-- Entries are listed by time. Each filter has an index in that order, so that a page is read
-- without sorting and without skipping other entries.
CREATE INDEX audit_log_at ON audit_log (at, id);
CREATE INDEX audit_log_key_at ON audit_log (key_id, at, id);
CREATE INDEX audit_log_resource_at ON audit_log (resource, at, id);
CREATE INDEX audit_log_resource_id_at ON audit_log (resource_id, at, id);
CREATE INDEX audit_log_action_at ON audit_log (action, at, id);
CREATE INDEX audit_log_user_id_at ON audit_log (user_id, at, id) WHERE user_id IS NOT NULL;
CREATE INDEX audit_log_about_user_id_at ON audit_log (about_user_id, at, id)
    WHERE about_user_id IS NOT NULL;

-- ==== Roles ====

CREATE TABLE roles (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    color TEXT NOT NULL
);

CREATE TABLE role_permissions (
    role_id BIGINT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    permission_id BIGINT NOT NULL REFERENCES permissions (id),
    PRIMARY KEY (role_id, permission_id)
);

-- ==== Users ====

CREATE TABLE users (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    username TEXT NOT NULL,
    email TEXT NOT NULL,
    -- In lower case by Unicode's rules, which neither engine follows by itself.
    username_folded TEXT NOT NULL UNIQUE,
    email_folded TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    -- 'blocked' exactly while blocked_until is set, so that totals and lists by status need no
    -- other table.
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- Counts changes of links and devices, so that the entity tag follows them without reading
    -- them.
    part_changes BIGINT NOT NULL DEFAULT 0,
    -- Alone decides whether a user is blocked: they are until this second, exclusive. Null is no
    -- block, and 9223372036854775807 a block without an end. An expired block stays until the user
    -- is next saved or maintenance clears it; readers compare it with the clock.
    blocked_until BIGINT,
    CONSTRAINT users_blocked_until_check
        CHECK ((status = 'blocked') = (blocked_until IS NOT NULL))
);

CREATE INDEX users_created ON users (created_at, id);
CREATE INDEX users_status ON users (status, id);
-- Finds and counts expired blocks without reading the table.
CREATE INDEX users_blocked_until ON users (blocked_until, id) WHERE blocked_until IS NOT NULL;
-- The costs of hashes of bcrypt, which begin with $2y$10 or the like. Only an import writes such
-- hashes, and each is replaced when its user first signs in.
CREATE INDEX users_bcrypt ON users (substr(password_hash, 5, 2), id)
    WHERE substr(password_hash, 2, 1) = '2';

-- Trigrams of names and addresses. The search finds any part of them.
CREATE VIRTUAL TABLE user_search USING fts5 (
    username_folded,
    email_folded,
    content = 'users',
    content_rowid = 'id',
    tokenize = 'trigram case_sensitive 1',
    detail = 'none'
);

CREATE TRIGGER users_search_insert AFTER INSERT ON users BEGIN
    INSERT INTO user_search (rowid, username_folded, email_folded)
    VALUES (new.id, new.username_folded, new.email_folded);
END;

-- Most updates change neither name nor address, and need no change of the index.
CREATE TRIGGER users_search_update AFTER UPDATE OF username_folded, email_folded ON users
WHEN old.username_folded <> new.username_folded OR old.email_folded <> new.email_folded BEGIN
    INSERT INTO user_search (user_search, rowid, username_folded, email_folded)
    VALUES ('delete', old.id, old.username_folded, old.email_folded);
    INSERT INTO user_search (rowid, username_folded, email_folded)
    VALUES (new.id, new.username_folded, new.email_folded);
END;

CREATE TRIGGER users_search_delete AFTER DELETE ON users BEGIN
    INSERT INTO user_search (user_search, rowid, username_folded, email_folded)
    VALUES ('delete', old.id, old.username_folded, old.email_folded);
END;

CREATE TABLE user_roles (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role_id BIGINT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    -- Alone decides whether the user holds the role: they do until this second, exclusive.
    -- 9223372036854775807 is no end. An expired role stays until a background job or the next change
    -- of the user ends it; readers compare it with the clock.
    expires_at BIGINT NOT NULL DEFAULT 9223372036854775807,
    PRIMARY KEY (user_id, role_id)
) WITHOUT ROWID;

CREATE INDEX user_roles_role ON user_roles (role_id, user_id, expires_at);
-- Finds and counts expired roles. Few roles have an end.
CREATE INDEX user_roles_expiry ON user_roles (expires_at, role_id, user_id)
    WHERE expires_at < 9223372036854775807;

-- One row for each time that a user was given a role. It has no ended_at while there is a row in
-- user_roles, which has the same expires_at.
CREATE TABLE user_role_history (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- The history outlives a deleted role, with the name that the role had when it was given.
    role_id BIGINT NOT NULL,
    role_name TEXT NOT NULL,
    granted_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT,
    -- 'removed', 'expired' or 'role_deleted'.
    ended_by TEXT,
    -- 'api', 'grant' or 'import'; the id is that of the grant.
    source_kind TEXT NOT NULL,
    source_id BIGINT
);

CREATE INDEX user_role_history_user ON user_role_history (user_id, id);
CREATE UNIQUE INDEX user_role_history_role_id_user_id_key ON user_role_history (role_id, user_id)
    WHERE ended_at IS NULL;

-- The history of blocks. The row that is not lifted has the reason of the current block.
CREATE TABLE user_blocks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    until BIGINT,
    blocked_at BIGINT NOT NULL,
    lifted_at BIGINT,
    -- The API key or the operator that blocked the user.
    by_key BIGINT,
    by_user BIGINT,
    by_name TEXT NOT NULL
);

CREATE INDEX user_blocks_user ON user_blocks (user_id, id);
CREATE UNIQUE INDEX user_blocks_user_id_key ON user_blocks (user_id) WHERE lifted_at IS NULL;
-- Finds the blocks of an operator whose name is to be erased.
CREATE INDEX user_blocks_by_user ON user_blocks (by_user) WHERE by_user IS NOT NULL;

CREATE TABLE social_networks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    -- The address of a profile, with {handle} for the handle; empty if handles have no address.
    url_template TEXT NOT NULL
);

INSERT INTO social_networks (id, name, title, url_template) VALUES
    (1, 'steam', 'Steam', 'https://steamcommunity.com/id/{handle}'),
    (2, 'discord', 'Discord', ''),
    (3, 'vk', 'VK', 'https://vk.com/{handle}'),
    (4, 'telegram', 'Telegram', 'https://t.me/{handle}'),
    (5, 'youtube', 'YouTube', 'https://www.youtube.com/@{handle}'),
    (6, 'twitch', 'Twitch', 'https://www.twitch.tv/{handle}'),
    (7, 'x', 'X', 'https://x.com/{handle}'),
    (8, 'facebook', 'Facebook', 'https://www.facebook.com/{handle}'),
    (9, 'instagram', 'Instagram', 'https://www.instagram.com/{handle}'),
    (10, 'tiktok', 'TikTok', 'https://www.tiktok.com/@{handle}'),
    (11, 'github', 'GitHub', 'https://github.com/{handle}'),
    (12, 'website', 'Website', '');

CREATE TABLE user_social_links (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    network_id BIGINT NOT NULL REFERENCES social_networks (id),
    profile_url TEXT NOT NULL,
    UNIQUE (user_id, network_id)
);

-- Finds the users who have linked a profile, oldest link first. PostgreSQL limits the size of an
-- index entry, so it has only the beginning of the value. It also serves the foreign key.
CREATE INDEX user_social_links_value
    ON user_social_links (network_id, substr(profile_url, 1, 255), id);

-- Profiles at Steam and Discord that a user signs in with. A row is written only after the provider
-- has verified it, or by an import; a social link is what somebody typed.
CREATE TABLE user_identities (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- 'steam' or 'discord'.
    provider TEXT NOT NULL,
    -- A SteamID64, or the id of a Discord user.
    subject TEXT NOT NULL,
    linked_at BIGINT NOT NULL,
    last_used_at BIGINT,
    UNIQUE (provider, subject)
);

CREATE INDEX user_identities_user ON user_identities (user_id, id);

CREATE TABLE user_devices (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    last_active BIGINT NOT NULL
);

CREATE INDEX user_devices_user ON user_devices (user_id, id);

-- A device has at most one session, which is deleted with it.
CREATE TABLE user_sessions (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    device_id BIGINT NOT NULL UNIQUE REFERENCES user_devices (id) ON DELETE CASCADE,
    -- SHA-256 of the token; the token itself is not stored.
    token_hash BLOB NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    -- The same as the device's. An index here finds expired sessions without reading all devices.
    last_active BIGINT NOT NULL,
    -- The profile that the user signed in with; NULL for a password. Unlinking it ends the session.
    identity_id BIGINT REFERENCES user_identities (id) ON DELETE CASCADE
);

CREATE INDEX user_sessions_last_active ON user_sessions (last_active);
CREATE INDEX user_sessions_identity ON user_sessions (identity_id)
    WHERE identity_id IS NOT NULL;

-- Sign-ins at Steam and Discord that were begun. A row is deleted when its sign-in is finished.
CREATE TABLE sign_in_states (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- SHA-256 of the value that the provider sends back; the value itself is not stored.
    state_hash BLOB NOT NULL UNIQUE,
    -- SHA-256 of the value that the browser keeps.
    browser_hash BLOB NOT NULL,
    -- 'steam' or 'discord'.
    provider TEXT NOT NULL,
    return_to TEXT NOT NULL,
    -- The PKCE verifier, sealed under the secret key; NULL at Steam, which has none.
    verifier BLOB,
    -- The session of the user to link the profile to; NULL to sign in.
    session_id BIGINT REFERENCES user_sessions (id) ON DELETE CASCADE,
    expires_at BIGINT NOT NULL
);

CREATE INDEX sign_in_states_expires_at ON sign_in_states (expires_at);
CREATE INDEX sign_in_states_session ON sign_in_states (session_id) WHERE session_id IS NOT NULL;

-- Answers of Steam that were used. Each works once.
CREATE TABLE sign_in_nonces (
    -- SHA-256 of the nonce in the answer.
    nonce_hash BLOB NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
);

CREATE INDEX sign_in_nonces_expires_at ON sign_in_nonces (expires_at);

-- Attempts to sign in that count against a limit.
CREATE TABLE sign_in_attempts (
    -- SHA-256 of what the attempts are counted by: a user or a login, a network, or both.
    subject BLOB NOT NULL PRIMARY KEY,
    -- The last attempt, for the removal of old rows.
    latest BIGINT NOT NULL,
    -- The seconds in which the attempts were made, 8 bytes for each.
    attempts BLOB NOT NULL
);

CREATE INDEX sign_in_attempts_latest ON sign_in_attempts (latest);

-- Users whose personal values were erased. The audit log is long, so it is masked afterwards, in
-- parts. A row outlives its user, who may be deleted before all of the log is masked.
CREATE TABLE user_erasures (
    user_id BIGINT NOT NULL PRIMARY KEY,
    erased_at BIGINT NOT NULL,
    -- The audit log is masked up to the entry with this id.
    position BIGINT NOT NULL,
    -- Whether all entries are masked that can still have a personal value.
    done BOOLEAN NOT NULL
);

CREATE INDEX user_erasures_pending ON user_erasures (user_id) WHERE NOT done;

-- ==== Totals of users ====

-- Triggers maintain these, so that lists need not count. A total is the sum of its slots.
-- PostgreSQL has a slot for each concurrent transaction; SQLite has one writer, so the only slot is
-- 0.

-- Users by role and stored status; the role 0 is all users. An expired block counts as blocked
-- until it is cleared, and an expired role counts until it is ended.
CREATE TABLE user_totals (
    role_id BIGINT NOT NULL,
    status TEXT NOT NULL,
    slot BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (role_id, status, slot)
);

-- Users among every 4,096 ids. A deep page of users by id adds up buckets instead of skipping
-- users.
CREATE TABLE user_buckets (
    bucket BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (bucket, slot)
);

-- Counts deleted users and changes of names and addresses, so that cached searches know when they
-- are out of date.
CREATE TABLE user_changes (
    slot BIGINT NOT NULL PRIMARY KEY,
    count BIGINT NOT NULL
);

-- A new user has no roles yet.
CREATE TRIGGER users_count_insert AFTER INSERT ON users BEGIN
    INSERT INTO user_buckets (bucket, slot, count) VALUES (new.id >> 12, 0, 1)
    ON CONFLICT (bucket, slot) DO UPDATE SET count = count + 1;
    INSERT INTO user_totals (role_id, status, slot, count) VALUES (0, new.status, 0, 1)
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER users_count_update AFTER UPDATE OF status ON users
WHEN old.status <> new.status BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT role_id, status, 0, change
    FROM (SELECT 0 AS role_id UNION ALL SELECT role_id FROM user_roles WHERE user_id = new.id)
    CROSS JOIN (SELECT old.status AS status, -1 AS change UNION ALL SELECT new.status, 1)
    WHERE TRUE
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count + excluded.count;
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

CREATE TRIGGER user_roles_count_insert AFTER INSERT ON user_roles BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT new.role_id, status, 0, 1 FROM users WHERE id = new.user_id
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER user_roles_count_delete AFTER DELETE ON user_roles BEGIN
    INSERT INTO user_totals (role_id, status, slot, count)
    SELECT old.role_id, status, 0, -1 FROM users WHERE id = old.user_id
    ON CONFLICT (role_id, status, slot) DO UPDATE SET count = count - 1;
END;

CREATE TRIGGER users_changes_update AFTER UPDATE OF username_folded, email_folded ON users
WHEN old.username_folded <> new.username_folded OR old.email_folded <> new.email_folded BEGIN
    INSERT INTO user_changes (slot, count) VALUES (0, 1)
    ON CONFLICT (slot) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER users_changes_delete AFTER DELETE ON users BEGIN
    INSERT INTO user_changes (slot, count) VALUES (0, 1)
    ON CONFLICT (slot) DO UPDATE SET count = count + 1;
END;

-- ==== Operators of the console ====

-- Users who may use the console.
CREATE TABLE operators (
    user_id BIGINT NOT NULL PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    active BOOLEAN NOT NULL,
    -- One bit for each permission, at the position of its id.
    permissions BIGINT NOT NULL,
    -- Also those that later versions add.
    all_permissions BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    last_sign_in_at BIGINT,
    has_two_factor BOOLEAN NOT NULL,
    -- Sealed. Without has_two_factor it is not confirmed yet.
    totp_secret BLOB,
    -- The last time step whose code was used.
    totp_step BIGINT NOT NULL,
    -- Wrong passwords and codes since the last sign-in.
    failed_passwords BIGINT NOT NULL,
    failed_codes BIGINT NOT NULL
);

CREATE TABLE operator_recovery_codes (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- SHA-256 of the code.
    hash BLOB NOT NULL,
    PRIMARY KEY (user_id, hash)
);

-- Wrong codes of second factors, in a row.
CREATE TABLE wrong_codes (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- The browser or the session that has a count of its own. Empty for all others together.
    source BLOB NOT NULL,
    codes BIGINT NOT NULL,
    latest BIGINT NOT NULL,
    PRIMARY KEY (user_id, source)
);

CREATE TABLE console_sessions (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- SHA-256 of the token; the token itself is not stored.
    token_hash BLOB NOT NULL UNIQUE,
    -- The operator who signed in, or the hash of the API key that was used to sign in.
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    key_hash BLOB,
    created_at BIGINT NOT NULL,
    last_used_at BIGINT NOT NULL,
    ip TEXT,
    user_agent TEXT NOT NULL,
    -- When a password or a code was last given in it.
    confirmed_at BIGINT NOT NULL,
    -- Wrong passwords and codes between the sign-in before and this one.
    failed_passwords BIGINT NOT NULL,
    failed_codes BIGINT NOT NULL
);

CREATE INDEX console_sessions_user ON console_sessions (user_id, id);
CREATE INDEX console_sessions_key ON console_sessions (key_hash, id);
CREATE INDEX console_sessions_last_used_at ON console_sessions (last_used_at);

-- Links that create the first operator.
CREATE TABLE setup_tokens (
    -- SHA-256 of the token.
    hash BLOB NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
);

-- Links that create an operator with these permissions. A link is deleted when it is used.
CREATE TABLE operator_invitations (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- SHA-256 of the token.
    hash BLOB NOT NULL UNIQUE,
    note TEXT NOT NULL,
    -- One bit for each permission, at the position of its id.
    permissions BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    -- The operator or the API key that invited. The link is void without their permissions.
    by_user BIGINT REFERENCES users (id) ON DELETE CASCADE,
    by_key BIGINT REFERENCES api_keys (id) ON DELETE CASCADE
);

CREATE INDEX operator_invitations_by_user ON operator_invitations (by_user);
CREATE INDEX operator_invitations_by_key ON operator_invitations (by_key);

-- ==== Pages and navigation ====

CREATE TABLE pages (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    slug TEXT NOT NULL,
    -- In lower case, so that uniqueness does not depend on case.
    slug_folded TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL,
    meta_title TEXT NOT NULL,
    meta_description TEXT NOT NULL,
    is_active BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- Counts changes of blocks, so that the entity tag follows them without reading them.
    block_changes BIGINT NOT NULL DEFAULT 0
);

CREATE TABLE page_blocks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    page_id BIGINT NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    -- Any JSON value.
    content TEXT NOT NULL,
    sort_order BIGINT NOT NULL
);

CREATE INDEX page_blocks_page ON page_blocks (page_id, sort_order, id);

CREATE TABLE navigation_items (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    url TEXT,
    new_tab BOOLEAN NOT NULL,
    icon TEXT,
    position BIGINT NOT NULL,
    visible_only_for_guests BOOLEAN NOT NULL,
    visible_only_for_logged_in BOOLEAN NOT NULL,
    visibility TEXT NOT NULL,
    parent_id BIGINT REFERENCES navigation_items (id)
);

CREATE INDEX navigation_items_position ON navigation_items (position, id);
CREATE INDEX navigation_items_parent ON navigation_items (parent_id, position, id);

CREATE TABLE navigation_item_roles (
    item_id BIGINT NOT NULL REFERENCES navigation_items (id) ON DELETE CASCADE,
    role_id BIGINT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    PRIMARY KEY (item_id, role_id)
);

CREATE INDEX navigation_item_roles_role ON navigation_item_roles (role_id, item_id);

-- ==== Game servers ====

CREATE TABLE servers (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    ip TEXT NOT NULL,
    port BIGINT NOT NULL,
    enabled BOOLEAN NOT NULL,
    game TEXT NOT NULL,
    -- Sealed; empty if there is none.
    rcon_password BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- The port for queries, if it is not the port that players connect to.
    query_port BIGINT
);

-- The last answer of each server, and when the next query is due.
CREATE TABLE server_live (
    server_id BIGINT NOT NULL PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
    -- Grows with every change of the server, so that an answer from before it is dropped.
    epoch BIGINT NOT NULL,
    -- In milliseconds; null while the server is disabled.
    next_query_at BIGINT,
    -- In milliseconds: until then, an instance is querying it.
    leased_until BIGINT NOT NULL,
    -- Since the last answer.
    failures BIGINT NOT NULL,
    checked_at BIGINT,
    error TEXT,
    latency_ms BIGINT,
    players_online BIGINT NOT NULL,
    max_players BIGINT NOT NULL,
    map TEXT NOT NULL,
    name TEXT,
    version TEXT,
    -- A list in JSON.
    players TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX server_live_next ON server_live (next_query_at);

-- All samples of a server within one hour, encoded. The hour is first in the key, so that rows
-- which are written at the same time are stored together.
CREATE TABLE server_samples (
    -- Hours since 1970.
    hour BIGINT NOT NULL,
    server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    samples BLOB NOT NULL,
    PRIMARY KEY (hour, server_id)
) WITHOUT ROWID;

CREATE INDEX server_samples_server ON server_samples (server_id, hour);

-- The sums of an hour whose samples have expired.
CREATE TABLE server_hours (
    hour BIGINT NOT NULL,
    server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    samples BIGINT NOT NULL,
    -- How many of the samples are answers.
    reachable BIGINT NOT NULL,
    players_sum BIGINT NOT NULL,
    players_max BIGINT NOT NULL,
    max_players BIGINT NOT NULL,
    PRIMARY KEY (hour, server_id)
) WITHOUT ROWID;

CREATE INDEX server_hours_server ON server_hours (server_id, hour);

-- ==== Payments ====

CREATE TABLE currencies (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    code TEXT NOT NULL,
    -- In lower case, so that uniqueness does not depend on case.
    code_folded TEXT NOT NULL UNIQUE,
    minimum_value BIGINT NOT NULL,
    -- A plain decimal number; the database does not compute with it.
    exchange_rate TEXT NOT NULL,
    is_default BOOLEAN NOT NULL
);

CREATE UNIQUE INDEX currencies_is_default_key ON currencies (is_default) WHERE is_default;

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
    -- Whether it is for some roles only. Stays true if all these roles are deleted.
    for_roles_only BOOLEAN NOT NULL,
    active BOOLEAN NOT NULL,
    -- The number of invoices that use it. The transactions that write invoices maintain it.
    usages_count BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);

CREATE TABLE promo_code_roles (
    promo_code_id BIGINT NOT NULL REFERENCES promo_codes (id) ON DELETE CASCADE,
    role_id BIGINT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    PRIMARY KEY (promo_code_id, role_id)
);

CREATE INDEX promo_code_roles_role ON promo_code_roles (role_id, promo_code_id);

-- ==== Products ====

CREATE TABLE products (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    choose_server BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE INDEX products_active ON products (active, id);

CREATE TABLE product_prices (
    product_id BIGINT NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    currency_id BIGINT NOT NULL REFERENCES currencies (id),
    amount BIGINT NOT NULL,
    PRIMARY KEY (product_id, currency_id)
);

CREATE INDEX product_prices_currency ON product_prices (currency_id, product_id);

CREATE TABLE product_steps (
    product_id BIGINT NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    -- role, rcon or plugin.
    kind TEXT NOT NULL,
    -- Of a role step; null if the role was deleted.
    role_id BIGINT REFERENCES roles (id) ON DELETE SET NULL,
    -- Of a role step; null is no end.
    seconds BIGINT,
    -- Of an rcon step, with placeholders.
    command TEXT,
    undo_command TEXT,
    repeatable BOOLEAN NOT NULL,
    -- Of a plugin step: a JSON object.
    payload TEXT,
    PRIMARY KEY (product_id, position)
);

CREATE INDEX product_steps_role ON product_steps (role_id, product_id);

-- The servers that a step runs on.
CREATE TABLE product_step_servers (
    product_id BIGINT NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    server_id BIGINT NOT NULL REFERENCES servers (id) ON DELETE CASCADE,
    PRIMARY KEY (product_id, position, server_id)
);

CREATE INDEX product_step_servers_server ON product_step_servers (server_id, product_id);

-- ==== Invoices ====

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
    created_at BIGINT NOT NULL,
    -- What is bought, for whom and for which server, if it is a product.
    product_id BIGINT REFERENCES products (id),
    recipient_id BIGINT REFERENCES users (id),
    server_id BIGINT,
    -- refund or chargeback; null unless it was refunded since it was last paid.
    refund_kind TEXT,
    refunded_at BIGINT
);

-- Invoices are listed by time or amount. Each filter has an index by time.
CREATE INDEX payment_invoices_created ON payment_invoices (created_at, id);
CREATE INDEX payment_invoices_user ON payment_invoices (user_id, created_at, id);
CREATE INDEX payment_invoices_paid ON payment_invoices (is_paid, created_at, id);
CREATE INDEX payment_invoices_gateway ON payment_invoices (gateway_id, created_at, id);
CREATE INDEX payment_invoices_currency ON payment_invoices (currency_id, created_at, id);
-- Counts the uses of a promo code by a user. Few invoices have a code.
CREATE INDEX payment_invoices_promo_code ON payment_invoices (promo_code_id, user_id)
    WHERE promo_code_id IS NOT NULL;
-- Prevent the deletion of products and users.
CREATE INDEX payment_invoices_product ON payment_invoices (product_id) WHERE product_id IS NOT NULL;
CREATE INDEX payment_invoices_recipient ON payment_invoices (recipient_id)
    WHERE recipient_id IS NOT NULL;
CREATE INDEX payment_invoices_amount ON payment_invoices (amount, id);
CREATE INDEX payment_invoices_pending ON payment_invoices (created_at, id)
    WHERE failed_at IS NULL AND NOT is_paid;
CREATE INDEX payment_invoices_failed ON payment_invoices (created_at, id)
    WHERE failed_at IS NOT NULL AND NOT is_paid;
CREATE INDEX payment_invoices_promo_code_created
    ON payment_invoices (promo_code_id, created_at, id) WHERE promo_code_id IS NOT NULL;

-- ==== Grants ====

-- A product that is given to a user.
CREATE TABLE grants (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    product_id BIGINT NOT NULL REFERENCES products (id),
    product_name TEXT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id),
    invoice_id BIGINT REFERENCES payment_invoices (id) ON DELETE SET NULL,
    -- The server that the buyer chose.
    server_id BIGINT,
    -- pending, done, attention, cancelled or revoked; follows from the steps.
    state TEXT NOT NULL,
    -- Why it was given without an invoice.
    reason TEXT NOT NULL,
    -- Copies of the user's name and links, for the commands. The name is empty once it is erased.
    username TEXT NOT NULL,
    steam_account BIGINT,
    discord_id TEXT,
    created_at BIGINT NOT NULL,
    finished_at BIGINT,
    revoked_at BIGINT
);

-- An invoice has one grant that is not revoked.
CREATE UNIQUE INDEX grants_invoice_id_key ON grants (invoice_id) WHERE revoked_at IS NULL;
CREATE INDEX grants_invoice ON grants (invoice_id, id) WHERE invoice_id IS NOT NULL;
CREATE INDEX grants_user ON grants (user_id, id);
CREATE INDEX grants_product ON grants (product_id, id);
CREATE INDEX grants_server ON grants (server_id, id) WHERE server_id IS NOT NULL;
CREATE INDEX grants_state ON grants (state, id);
-- Find the few grants of a product or a server that are not done among many that are.
CREATE INDEX grants_product_not_done ON grants (product_id, state, id) WHERE state <> 'done';
CREATE INDEX grants_server_not_done ON grants (server_id, state, id)
    WHERE server_id IS NOT NULL AND state <> 'done';

-- One step of a grant, for one server if it is for servers. Roles and servers may be deleted later.
CREATE TABLE grant_steps (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    grant_id BIGINT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,
    -- role, rcon or plugin.
    kind TEXT NOT NULL,
    role_id BIGINT,
    seconds BIGINT,
    server_id BIGINT,
    command TEXT,
    undo_command TEXT,
    repeatable BOOLEAN NOT NULL,
    payload TEXT,
    -- pending, sending, done, failed, uncertain, cancelled, undone or kept. A pending command is in
    -- the queue.
    state TEXT NOT NULL,
    -- Whether the state is that of taking it back.
    undoing BOOLEAN NOT NULL,
    -- Whether it is to be cancelled if the command that is being sent surely did not run.
    cancelling BOOLEAN NOT NULL,
    attempts BIGINT NOT NULL,
    -- When it became pending: it fails some days after.
    queued_at BIGINT NOT NULL,
    error TEXT,
    -- The beginning of the console's answer.
    reply TEXT,
    done_at BIGINT,
    -- Of a role step: the period that it added to the role. Null if it added nothing, because the
    -- role had no end. 9223372036854775807 is no end.
    period_from BIGINT,
    period_until BIGINT,
    -- Of a role step without an end: the end that the role had before, null if it was not held.
    previous_end BIGINT,
    -- Of a role step: whether the role has ended since.
    role_ended BOOLEAN NOT NULL
);

CREATE INDEX grant_steps_grant ON grant_steps (grant_id, id);
CREATE INDEX grant_steps_state ON grant_steps (state, queued_at);
CREATE INDEX grant_steps_server ON grant_steps (server_id, state, id) WHERE server_id IS NOT NULL;
CREATE INDEX grant_steps_role ON grant_steps (role_id, grant_id) WHERE role_id IS NOT NULL;

-- ==== Bans ====

-- Bans of players from game servers, and mutes. None is deleted.
CREATE TABLE bans (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- ban, mute, gag or silence.
    kind TEXT NOT NULL,
    -- Who is banned. At least one is not null until the user is deleted; any that matches counts.
    steam_account BIGINT,
    -- The range as it was given, and its bits: 4 or 6 for the version, then one digit for each bit
    -- of the prefix. An address is in the range if its bits begin with these.
    ip_range TEXT,
    ip_bits TEXT,
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    player_name TEXT NOT NULL,
    -- Ids between commas, such as ,3,7, and empty for all servers. The ids of deleted servers stay,
    -- so that no ban becomes one for all servers.
    server_ids TEXT NOT NULL,
    reason TEXT NOT NULL,
    note TEXT NOT NULL,
    -- A JSON list of URLs.
    evidence TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- 9223372036854775807 is no end.
    expires_at BIGINT NOT NULL,
    by_key BIGINT,
    by_user BIGINT,
    by_name TEXT NOT NULL,
    lifted_at BIGINT,
    lift_reason TEXT,
    lifted_by_key BIGINT,
    lifted_by_user BIGINT,
    lifted_by_name TEXT,
    -- Of an imported ban: the program that it comes from, and its id there.
    source_system TEXT,
    source_id TEXT,
    UNIQUE (source_system, source_id)
);

CREATE INDEX bans_steam_account ON bans (steam_account, id) WHERE steam_account IS NOT NULL;
CREATE INDEX bans_ip_bits ON bans (ip_bits, id) WHERE ip_bits IS NOT NULL;
CREATE INDEX bans_user ON bans (user_id, id) WHERE user_id IS NOT NULL;
CREATE INDEX bans_created ON bans (created_at, id);
CREATE INDEX bans_kind ON bans (kind, id);
CREATE INDEX bans_lifted ON bans (id) WHERE lifted_at IS NOT NULL;
CREATE INDEX bans_lifted_kind ON bans (kind, id) WHERE lifted_at IS NOT NULL;
-- Finds and counts active and expired bans if they are few.
CREATE INDEX bans_expiry ON bans (kind, expires_at, id) WHERE lifted_at IS NULL;
CREATE INDEX bans_by_key ON bans (by_key, id) WHERE by_key IS NOT NULL;
CREATE INDEX bans_by_user ON bans (by_user, id) WHERE by_user IS NOT NULL;

-- The lengths that ip_bits have or had in a network, which is their beginning for the shortest
-- prefix that can be banned. A check looks for one beginning of each length.
CREATE TABLE ban_ip_lengths (
    network TEXT NOT NULL,
    length BIGINT NOT NULL,
    PRIMARY KEY (network, length)
) WITHOUT ROWID;

-- What a server's console does with a banned player; null is nothing.
CREATE TABLE server_commands (
    server_id BIGINT NOT NULL PRIMARY KEY REFERENCES servers (id) ON DELETE CASCADE,
    kick_command TEXT,
    mute_command TEXT,
    unmute_command TEXT
);

-- The last command of each kind for a ban on a server. A pending one is in the queue.
CREATE TABLE ban_commands (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    ban_id BIGINT NOT NULL REFERENCES bans (id) ON DELETE CASCADE,
    server_id BIGINT NOT NULL,
    -- kick, mute or unmute.
    kind TEXT NOT NULL,
    -- pending, sent or failed.
    state TEXT NOT NULL,
    error TEXT,
    queued_at BIGINT NOT NULL,
    UNIQUE (ban_id, server_id, kind)
);

-- ==== Discord ====

-- The connection to a server at Discord, which has the id 1. Times are in milliseconds, but for
-- checked_at.
CREATE TABLE discord (
    id BIGINT NOT NULL PRIMARY KEY,
    guild_id BIGINT NOT NULL,
    -- Sealed; empty if it was lost.
    bot_token BLOB NOT NULL,
    active BOOLEAN NOT NULL,
    trust_links BOOLEAN NOT NULL,
    -- Why it was disabled, or what the last check found.
    problem TEXT,
    checked_at BIGINT,
    -- Discord asked for no requests until then.
    paused_until BIGINT NOT NULL,
    -- The instance that sends requests, and until when no other does.
    sender TEXT NOT NULL,
    leased_until BIGINT NOT NULL,
    -- What a repair does next, and the last id that it has dealt with; NULL if there is none.
    repair_step TEXT,
    repair_after BIGINT NOT NULL
);

-- The roles at Discord that follow a role. NULL unless Discord refuses to give it, until the next
-- check.
CREATE TABLE discord_roles (
    role_id BIGINT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    discord_role_id BIGINT NOT NULL,
    problem TEXT,
    PRIMARY KEY (role_id, discord_role_id)
) WITHOUT ROWID;

-- People at Discord who belong to a user, or did until a moment ago. One who is due is in the queue.
CREATE TABLE discord_members (
    discord_id BIGINT NOT NULL PRIMARY KEY,
    -- Whom they belonged to at the last visit. Without a foreign key, which would lock the user after
    -- the member.
    user_id BIGINT,
    -- pending, ok, not_a_member or failed.
    state TEXT NOT NULL,
    error TEXT,
    -- Failed since the last success.
    attempts BIGINT NOT NULL,
    -- Counts what made them due: a visit that was overtaken is repeated.
    changes BIGINT NOT NULL,
    synced_at BIGINT
) WITHOUT ROWID;

CREATE INDEX discord_members_state ON discord_members (state, discord_id);
CREATE INDEX discord_members_user ON discord_members (user_id);

-- ==== Payment statistics ====

-- Sums of invoices, maintained in the transactions that write invoices, in slots like the totals of
-- users. The sum of many large amounts exceeds 64 bits, so it is split into whole units and
-- ten-thousandths, and in larger tables also into millions. A row whose sum is 0 stays. It must not
-- prevent the deletion of its gateway or currency, so there are no foreign keys.

-- By day. A bucket is the sum of the slots of one day, gateway, currency and state.
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

-- By day, without gateway and state.
CREATE TABLE payment_days (
    day BIGINT NOT NULL,
    currency_id BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    millions BIGINT NOT NULL,
    whole BIGINT NOT NULL,
    fraction BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (day, currency_id, slot)
);

-- Paid invoices by the day of the payment.
CREATE TABLE payment_paid_days (
    day BIGINT NOT NULL,
    currency_id BIGINT NOT NULL,
    slot BIGINT NOT NULL,
    millions BIGINT NOT NULL,
    whole BIGINT NOT NULL,
    fraction BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (day, currency_id, slot)
);

-- By month and for all time.
CREATE TABLE payment_spans (
    -- Twelve times the year, plus the month from 0; -1 for all time.
    span BIGINT NOT NULL,
    gateway_id BIGINT NOT NULL,
    currency_id BIGINT NOT NULL,
    state TEXT NOT NULL,
    slot BIGINT NOT NULL,
    millions BIGINT NOT NULL,
    whole BIGINT NOT NULL,
    fraction BIGINT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (span, gateway_id, currency_id, state, slot)
);

-- An insert here adds to a bucket, and to the longer periods that it is part of.
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

-- An insert here adds to a day of payments.
CREATE VIEW payment_paid_buckets AS
    SELECT day, currency_id, whole, fraction, count FROM payment_paid_days;

CREATE TRIGGER payment_paid_buckets_add INSTEAD OF INSERT ON payment_paid_buckets BEGIN
    INSERT INTO payment_paid_days (day, currency_id, slot, millions, whole, fraction, count)
    VALUES (new.day, new.currency_id, 0, new.whole / 1000000, new.whole % 1000000, new.fraction,
            new.count)
    ON CONFLICT (day, currency_id, slot) DO UPDATE
    SET millions = millions + excluded.millions, whole = whole + excluded.whole,
        fraction = fraction + excluded.fraction, count = count + excluded.count;
END;

-- ==== Webhooks ====

-- Receivers of events.
CREATE TABLE webhooks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    -- A list in JSON.
    events TEXT NOT NULL,
    format TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    -- Sealed; empty if the secret key was lost or the webhook is deleted.
    secret BLOB NOT NULL,
    -- The secret before a rotation, sealed. Deliveries are also signed with it until
    -- previous_until.
    previous_secret BLOB,
    previous_until BIGINT,
    -- The audit entries up to this id have been queued.
    position BIGINT NOT NULL,
    -- Of an inactive webhook: the last audit entry that is still to be queued.
    last_event BIGINT,
    -- When the first attempt failed since the last one that succeeded.
    failing_since BIGINT,
    -- In milliseconds: the receiver asked for no requests until then.
    paused_until BIGINT,
    -- The API key or the operator that saved it last, and the permissions of that time. Only
    -- events that they cover are sent.
    saved_by_key BIGINT,
    saved_by_user BIGINT,
    saved_by_name TEXT NOT NULL,
    permissions BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- A deleted webhook stays until maintenance has deleted its deliveries.
    deleted_at BIGINT
);

-- One event for one webhook. The body is made from the audit entry when it is sent.
CREATE TABLE webhook_deliveries (
    webhook_id BIGINT NOT NULL REFERENCES webhooks (id),
    -- The id of the audit entry.
    event_id BIGINT NOT NULL,
    -- pending, delivered or failed. A pending one is in the queue.
    state TEXT NOT NULL,
    -- Since it was last queued.
    attempts_made BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    finished_at BIGINT,
    -- The latest attempts: a list in JSON.
    attempts TEXT NOT NULL,
    PRIMARY KEY (webhook_id, event_id)
) WITHOUT ROWID;

CREATE INDEX webhook_deliveries_state ON webhook_deliveries (webhook_id, state, event_id);
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at)
    WHERE finished_at IS NOT NULL;
