-- How often each topic was announced, so that caches know when they are out of date.
CREATE TABLE changes (
    topic TEXT NOT NULL PRIMARY KEY,
    counter BIGINT NOT NULL
);

CREATE FUNCTION notify_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('steward_changes', NEW.topic || ' ' || NEW.counter);
    RETURN NEW;
END
$$;

CREATE TRIGGER changes_notify AFTER INSERT OR UPDATE ON changes
    FOR EACH ROW EXECUTE FUNCTION notify_change();

-- What the service remembers about itself.
CREATE TABLE settings (
    name TEXT NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);
