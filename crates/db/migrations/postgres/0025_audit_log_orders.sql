-- Entries are listed by time, newest first: each filter has an index in that order, so that a page
-- is neither sorted nor searched for among all entries, also within a range of time.
CREATE INDEX audit_log_key_at ON audit_log (key_id, at, id);
CREATE INDEX audit_log_resource_at ON audit_log (resource, at, id);
CREATE INDEX audit_log_resource_id_at ON audit_log (resource_id, at, id);
CREATE INDEX audit_log_action_at ON audit_log (action, at, id);
DROP INDEX audit_log_key;
DROP INDEX audit_log_resource;
DROP INDEX audit_log_action;
