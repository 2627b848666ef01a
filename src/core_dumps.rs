//! Disables core dumps, which would contain the secret key and passwords.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

use crate::options::Switch;

/// Also stops other processes of the same user from attaching with ptrace.
pub fn apply(allowed: Switch) -> rustix::io::Result<()> {
    if allowed == Switch::On {
        return Ok(());
    }
    let none = Rlimit {
        current: Some(0),
        maximum: Some(0),
    };
    setrlimit(Resource::Core, none)?;
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
}
