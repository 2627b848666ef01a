//! Request bodies of operators.

use kernel::auth::permission::PermissionSet;
use kernel::input;
use kernel::input::Patch;

input! {
    /// Access to the console. Absent fields keep their value; a new operator has no permissions
    /// and is active.
    pub struct OperatorChanges {
        /// Ids from the catalogue of permissions. They replace the previous list.
        permission_ids: Patch<PermissionSet>,
        /// Whether the operator can sign in.
        active: Patch<bool>,
    }
}
