CREATE TABLE pages (
    id BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    title TEXT NOT NULL,
    slug TEXT NOT NULL,
    -- In lower case, so that uniqueness does not depend on case.
    slug_folded TEXT NOT NULL UNIQUE,
    content TEXT NOT NULL,
    meta_title TEXT NOT NULL,
    meta_description TEXT NOT NULL,
    is_active BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE page_blocks (
    id BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    page_id BIGINT NOT NULL REFERENCES pages (id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    -- Any JSON value.
    content TEXT NOT NULL,
    sort_order BIGINT NOT NULL
);

CREATE INDEX page_blocks_page ON page_blocks (page_id, sort_order, id);
