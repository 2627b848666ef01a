-- The oldest link to each of these profiles. The index has the beginning of a value and then the
-- id, so that one entry is read for each value, however many users have linked it.
SELECT value.value,
       (SELECT l.user_id FROM user_social_links l
        WHERE l.network_id = $1
          AND substr(l.profile_url, 1, 255) = substr(value.value, 1, 255)
          AND l.profile_url = value.value
        ORDER BY l.id LIMIT 1)
FROM unnest($2::text[]) value
