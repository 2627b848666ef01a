-- Receivers of events.
CREATE TABLE webhooks (
    id BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    -- A list in JSON.
    events TEXT NOT NULL,
    format TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    -- Sealed; empty if the secret key was lost or the webhook is deleted.
    secret BYTEA NOT NULL,
    -- Sealed. It signs as well until the time of the next column.
    previous_secret BYTEA,
    previous_until BIGINT,
    -- The audit entries up to this id have been queued.
    position BIGINT NOT NULL,
    -- Of an inactive webhook: the last audit entry that is still to be queued.
    last_event BIGINT,
    -- When the first attempt failed since the last one that succeeded.
    failing_since BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    -- A deleted webhook stays until its deliveries are deleted, which can take long.
    deleted_at BIGINT
);

-- One event for one webhook. What is sent is made from the audit entry.
CREATE TABLE webhook_deliveries (
    webhook_id BIGINT NOT NULL REFERENCES webhooks (id),
    -- The id of the audit entry.
    event_id BIGINT NOT NULL,
    -- pending, delivered or failed.
    state TEXT NOT NULL,
    -- Since it was last queued.
    attempts_made BIGINT NOT NULL,
    -- In milliseconds; null unless it is pending.
    next_attempt_at BIGINT,
    -- In milliseconds: until then, an instance is sending it.
    leased_until BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    finished_at BIGINT,
    -- The latest attempts: a list in JSON.
    attempts TEXT NOT NULL,
    PRIMARY KEY (webhook_id, event_id)
);

CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at, event_id)
WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (webhook_id, state, event_id);
CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at)
WHERE finished_at IS NOT NULL;
