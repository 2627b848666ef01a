-- Entries outlive what they speak of, so nothing here refers to another table.
CREATE TABLE audit_log (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at BIGINT NOT NULL,
    key_id BIGINT,
    key_name TEXT NOT NULL,
    request_id TEXT NOT NULL,
    ip TEXT,
    action TEXT NOT NULL,
    resource TEXT NOT NULL,
    resource_id BIGINT NOT NULL,
    -- JSON objects of the fields that changed.
    before TEXT NOT NULL,
    after TEXT NOT NULL
);

CREATE INDEX audit_log_at ON audit_log (at, id);
CREATE INDEX audit_log_key ON audit_log (key_id, id);
CREATE INDEX audit_log_resource ON audit_log (resource, resource_id, id);
CREATE INDEX audit_log_action ON audit_log (action, id);
