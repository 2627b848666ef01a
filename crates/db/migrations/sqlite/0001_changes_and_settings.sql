-- How often each topic was announced, so that caches know when they are out of date.
CREATE TABLE changes (
    topic TEXT NOT NULL PRIMARY KEY,
    counter BIGINT NOT NULL
);

-- What the service remembers about itself.
CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
);
