//! Permissions to see events.

use kernel::auth::permission::{
    ApiKeysRead, AuditRead, BackupsRead, BansRead, CurrenciesRead, DiscordRead, NavigationRead,
    PagesRead, PaymentsRead, PermissionSet, ProductsRead, Right, RolesRead, ServersRead, Sessions,
    UsersRead, WebhooksRead,
};

/// Whether a caller may see events of this resource. Readers of the audit log see all.
pub fn may_see(permissions: PermissionSet, resource: &str) -> bool {
    let may_read = match resource {
        "api_keys" | "console_sessions" | "operators" | "operator_invitations" => {
            ApiKeysRead::is_held
        }
        "backups" => BackupsRead::is_held,
        "bans" => BansRead::is_held,
        "currencies" => CurrenciesRead::is_held,
        "navbar_items" => NavigationRead::is_held,
        "pages" => PagesRead::is_held,
        "discord" => DiscordRead::is_held,
        "grants" | "products" => ProductsRead::is_held,
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
