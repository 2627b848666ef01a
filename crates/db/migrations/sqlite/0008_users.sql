CREATE TABLE users (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    username TEXT NOT NULL,
    email TEXT NOT NULL,
    -- In lower case by Unicode's rules, which neither engine follows by itself.
    username_folded TEXT NOT NULL UNIQUE,
    email_folded TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    -- A block that has run out still reads 'blocked' here; reading it decides.
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- What users are searched by: every three characters in a row.
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

-- Most updates leave the names as they are, and then the index, too.
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
    PRIMARY KEY (user_id, role_id)
);

CREATE INDEX user_roles_role ON user_roles (role_id, user_id);

-- Every block there was. The one that nobody has lifted is in force, until it runs out.
CREATE TABLE user_blocks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    reason TEXT NOT NULL,
    until BIGINT,
    blocked_at BIGINT NOT NULL,
    lifted_at BIGINT,
    key_id BIGINT,
    key_name TEXT NOT NULL
);

CREATE INDEX user_blocks_user ON user_blocks (user_id, id);

CREATE UNIQUE INDEX user_blocks_open ON user_blocks (user_id) WHERE lifted_at IS NULL;

CREATE TABLE social_networks (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    -- Where a handle leads, with {handle} in its place; empty where there is no such rule.
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

CREATE INDEX user_social_links_network ON user_social_links (network_id);

CREATE TABLE user_devices (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    user_agent TEXT NOT NULL,
    last_active BIGINT NOT NULL
);

CREATE INDEX user_devices_user ON user_devices (user_id, id);

-- A device has a session or none; it ends with its device.
CREATE TABLE user_sessions (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    device_id BIGINT NOT NULL UNIQUE REFERENCES user_devices (id) ON DELETE CASCADE,
    -- SHA-256 of the token; the token itself is nowhere.
    token_hash BLOB NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);
