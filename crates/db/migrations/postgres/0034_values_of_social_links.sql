-- Finds the users who have linked a profile, oldest link first. PostgreSQL limits the size of an
-- index entry, so the index has the beginning of the value only; it also serves the foreign key.
CREATE INDEX user_social_links_value
    ON user_social_links (network_id, substr(profile_url, 1, 255), id);

DROP INDEX user_social_links_network;
