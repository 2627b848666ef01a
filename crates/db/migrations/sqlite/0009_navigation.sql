CREATE TABLE navigation_items (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    title TEXT NOT NULL,
    url TEXT,
    new_tab BOOLEAN NOT NULL,
    icon TEXT,
    position BIGINT NOT NULL,
    visible_only_for_guests BOOLEAN NOT NULL,
    visible_only_for_logged_in BOOLEAN NOT NULL,
    visibility TEXT NOT NULL,
    parent_id BIGINT REFERENCES navigation_items (id)
);

CREATE INDEX navigation_items_position ON navigation_items (position, id);
CREATE INDEX navigation_items_parent ON navigation_items (parent_id, position, id);

CREATE TABLE navigation_item_roles (
    item_id BIGINT NOT NULL REFERENCES navigation_items (id) ON DELETE CASCADE,
    role_id BIGINT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    PRIMARY KEY (item_id, role_id)
);

CREATE INDEX navigation_item_roles_role ON navigation_item_roles (role_id, item_id);
