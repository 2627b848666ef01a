//! Who may see events of which resources.

use kernel::auth::permission::{
    ApiKeysRead, AuditRead, Backups, CurrenciesRead, NavigationRead, PagesRead, PaymentsRead,
    PermissionSet, Right, RolesRead, ServersRead, Sessions, UsersRead, WebhooksRead,
};

/// Whether a caller may read this type of resource. Who may read the audit log sees everything.
pub fn may_see(permissions: PermissionSet, resource: &str) -> bool {
    let may_read = match resource {
        "api_keys" | "console_sessions" | "operators" => ApiKeysRead::is_held,
        "backups" => Backups::is_held,
        "currencies" => CurrenciesRead::is_held,
        "navbar_items" => NavigationRead::is_held,
        "pages" => PagesRead::is_held,
        "payment_gateways" | "payment_invoices" | "promo_codes" => PaymentsRead::is_held,
        "roles" => RolesRead::is_held,
        "servers" => ServersRead::is_held,
        "sessions" => Sessions::is_held,
        "social_networks" | "users" => UsersRead::is_held,
        "webhooks" => WebhooksRead::is_held,
        _ => AuditRead::is_held,
    };
    may_read(permissions) || AuditRead::is_held(permissions)
}
