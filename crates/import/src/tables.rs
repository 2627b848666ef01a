//! The tables of Flute CMS that have a place here, and their columns.

/// A table that is taken over.
pub struct Table {
    /// Without the prefix.
    pub name: &'static str,
    /// The columns that are read; each must be there.
    pub columns: &'static [&'static str],
    /// Columns that are known and have no place here.
    pub left_out: &'static [&'static str],
}

impl Table {
    pub fn find(name: &str) -> Option<&'static Self> {
        TABLES.iter().find(|table| table.name == name)
    }
}

pub const USERS: &str = "users";

macro_rules! tables {
    ($($name:literal: $($column:literal)* $(; $($left_out:literal)*)?),* $(,)?) => {
        pub const TABLES: &[Table] = &[$(Table {
            name: $name,
            columns: &[$($column),*],
            left_out: &[$($($left_out),*)?],
        }),*];
    };
}

tables! {
    "users": "id" "login" "name" "email" "password" "verified" "is_temporary" "deleted_at"
        "created_at" "updated_at" "balance";
        "uri" "avatar" "banner" "pending_email" "approved" "hidden" "last_logged"
        "password_updated_at" "two_factor_secret" "two_factor_recovery_codes"
        "two_factor_confirmed_at",
    "roles": "id" "name" "color" "priority"; "icon" "show_icon" "created_at" "updated_at",
    "permissions": "id" "name"; "desc" "created_at" "updated_at",
    "role_permissions": "id" "role_id" "permission_id",
    "user_roles": "id" "user_id" "role_id",
    "user_blocks": "id" "user_id" "blockedBy_id" "reason" "blocked_from" "blocked_until"
        "is_active",
    "user_devices": "id" "user_id" "device_details" "created_at" "last_used_at"; "ip",
    "social_networks": "id" "key";
        "settings" "cooldown_time" "allow_to_register" "icon" "enabled" "created_at" "updated_at",
    "user_social_networks": "id" "user_id" "socialNetwork_id" "value" "linked_at";
        "url" "name" "hidden" "additional",
    "servers": "id" "name" "ip" "port" "mod" "rcon" "additional" "enabled" "created_at"
        "updated_at";
        "display_ip" "ranks" "ranks_premier" "ranks_format",
    "pages": "id" "route" "title" "description" "created_at" "updated_at";
        "keywords" "robots" "og_image",
    "page_blocks": "id" "page_id" "widget" "gridstack" "settings" "conditions";
        "created_at" "updated_at",
    "navbar_items": "id" "title" "url" "new_tab" "icon" "position" "visible_only_for_guests"
        "visible_only_for_logged_in" "visibility" "parent_id";
        "description" "created_at" "updated_at",
    "navbar_item_roles": "id" "navbarItem_id" "role_id",
    "currencies": "id" "code" "minimum_value" "exchange_rate";
        "preset_amounts" "auto_rate" "rate_markup" "created_at" "updated_at",
    "payment_gateways": "id" "name" "adapter" "enabled" "created_at";
        "image" "description" "fee" "bonus" "minimum_amount" "additional" "updated_at",
    "payment_invoices": "id" "user_id" "gateway" "transaction_id" "original_amount"
        "promoCode_id" "currency_id" "is_paid" "paid_at" "created_at";
        "amount" "additional" "updated_at",
    "promo_codes": "id" "code" "type" "value" "max_usages" "max_uses_per_user" "minimum_amount"
        "expires_at" "created_at";
        "updated_at",
    "promo_code_roles": "id" "promoCode_id" "role_id",
    "promo_code_usages": "id" "promoCode_id" "user_id" "invoice_id"; "used_at",
    "api_keys": "id" "key" "name" "created_at" "last_used_at"; "updated_at",
    "api_key_permissions": "id" "apiKey_id" "permission_id",
}
