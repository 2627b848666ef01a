-- request_id is the id that the service gave the request; this is the one the client gave it. Entries
-- from before this column have whichever there was in request_id.
ALTER TABLE audit_log ADD COLUMN client_request_id TEXT;
