-- For keys that have every permission. Other keys get it when it is assigned to them.
INSERT INTO permissions (id, name, description)
VALUES (22, 'admin.backups', 'Make, download and delete backups of all data')
ON CONFLICT DO NOTHING;
INSERT INTO api_key_permissions (api_key_id, permission_id)
SELECT id, 22 FROM api_keys WHERE all_permissions
ON CONFLICT DO NOTHING;
