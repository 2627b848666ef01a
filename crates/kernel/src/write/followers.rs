//! Work of other slices that belongs to a change, in the same transaction.
//!
//! A slice cannot call one above it: roles know no products. So it tells the fact, and `server`
//! names the functions that follow it.

use futures_util::future::BoxFuture;

use super::Edit;
use crate::types::Timestamp;
use crate::{Core, Result};

/// Something that a transaction has changed, or is about to.
#[derive(Clone, Copy, Debug)]
pub enum Fact<'a> {
    /// These locked users get roles, or a block of theirs begins or ends, or their profiles at
    /// Discord change: told after one is added, and before one is removed.
    UsersChanged { user_ids: &'a [i64] },
    /// The role is about to be deleted.
    RoleDeleted { role_id: i64 },
    /// Locked users lose roles, if they hold them: pairs of a user and a role.
    RolesEnded { ended: &'a [(i64, i64)] },
    /// A role that a locked user holds has got an end by hand.
    RoleEndSet {
        user_id: i64,
        role_id: i64,
        end: Timestamp,
    },
    /// The server is about to be deleted.
    ServerDeleted { server_id: i64 },
    /// The personal data of a locked user is being erased.
    UserErased { user_id: i64 },
    /// The locked user is about to be deleted.
    UserDeleted { user_id: i64 },
}

/// Follows a fact, or ignores it.
pub type Follower = for<'a> fn(&'a mut Edit, Fact<'a>) -> BoxFuture<'a, Result<()>>;

/// All followers.
type Followers = &'static [Follower];

impl Core {
    /// Sets what follows facts, once.
    pub fn set_followers(&self, followers: Followers) {
        let _ = self.followers.set(Box::new(followers));
    }
}

impl Edit {
    /// Calls all followers.
    pub async fn tell(&mut self, fact: Fact<'_>) -> Result<()> {
        let followers = self.core().followers.get();
        let followers = followers.and_then(|any| any.downcast_ref::<Followers>());
        for follow in followers.copied().unwrap_or_default() {
            follow(self, fact).await?;
        }
        Ok(())
    }
}
