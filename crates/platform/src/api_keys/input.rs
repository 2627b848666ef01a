//! Request bodies of API keys.

use kernel::auth::permission::PermissionSet;
use kernel::input;
use kernel::input::{Int, Line, Moment, Nullable, Patch};
use kernel::types::IpNetworks;
use kernel::types::time::DAY;

type Rate = Int<1, 10_000>;
type Overlap = Int<0, { 7 * DAY }>;
pub type KeyName = Line<1, 100>;

input! {
    /// An API key to create.
    pub struct NewApiKey {
        name: KeyName,
        /// Whether the key can be used; true by default.
        active: Option<bool>,
        /// Ids from the catalogue of permissions; none by default.
        permission_ids: Option<PermissionSet>,
    }
}

input! {
    /// Changes to an API key. Absent fields keep their value.
    pub struct ApiKeyChanges {
        name: Patch<KeyName>,
        active: Patch<bool>,
    }
}

input! {
    /// The new permissions of an API key.
    pub struct ApiKeyPermissions {
        /// Ids from the catalogue of permissions. They replace the previous list.
        permission_ids: PermissionSet,
    }
}

input! {
    /// Changes to the restrictions of an API key. Absent fields keep their value; `null` removes
    /// the restriction.
    pub struct ApiKeyRestrictionChanges {
        /// When the key expires; must be in the future.
        expires_at: Patch<Nullable<Moment>>,
        /// The networks and addresses, IPv4 or IPv6, that the key can be used from.
        allowed_ips: Patch<Nullable<IpNetworks>>,
        /// The most requests in any second, on each instance of the service.
        requests_per_second: Patch<Nullable<Rate>>,
    }
}

input! {
    /// The rotation of an API key.
    pub struct ApiKeyRotation {
        /// How long the old value stays valid, in seconds.
        overlap_seconds: Overlap,
    }
}
