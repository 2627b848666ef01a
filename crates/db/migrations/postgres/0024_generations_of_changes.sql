-- A random number that each announcement writes. The counter alone can have an earlier value again,
-- after a failover or a restore, and then reach a later one a second time.
ALTER TABLE changes ADD COLUMN generation BIGINT NOT NULL DEFAULT 0;
