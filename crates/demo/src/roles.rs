//! The roles of the community.

use serde_json::json;

use super::catalogue::{ROLES, SUPPORTER, Share};
use super::input::input;
use super::plan::{Part, Plan};
use super::rng::Rng;
use super::words::{ADJECTIVES, NOUNS};
use accounts::roles::{self, Role};
use accounts::users::HeldRole;
use db::Progress;
use kernel::auth::permission::{self, PermissionSet};
use kernel::write::Edit;
use kernel::{Error, Result};

/// The created roles, and the share of users who hold each.
#[derive(Debug)]
pub struct Roles {
    shares: Vec<(HeldRole, Share)>,
    /// A third of the users are in a clan, and none is in two.
    clans: Vec<HeldRole>,
}

impl Roles {
    /// The ids of all roles.
    pub fn ids(&self) -> Vec<i64> {
        let named = self.shares.iter().map(|(role, _)| role);
        named.chain(&self.clans).map(|role| role.id).collect()
    }

    /// The role that products give.
    pub fn supporter(&self) -> Option<i64> {
        let mut named = self.shares.iter().map(|(role, _)| role);
        named
            .find(|role| role.name == SUPPORTER)
            .map(|role| role.id)
    }

    pub fn of_founder(&self) -> Vec<HeldRole> {
        let first = self.shares.first();
        first.map(|(role, _)| role.clone()).into_iter().collect()
    }

    pub fn of_member(&self, rng: &mut Rng) -> Vec<HeldRole> {
        let mut held = Vec::new();
        for (role, Share(per_mille)) in &self.shares {
            if rng.per_mille(*per_mille) {
                held.push(role.clone());
            }
        }
        if !self.clans.is_empty() && rng.chance(33) {
            held.push(rng.pick(&self.clans).clone());
        }
        held
    }
}

pub async fn make(edit: &mut Edit, plan: &Plan, progress: &mut impl Progress) -> Result<Roles> {
    let mut rng = plan.rng(Part::Roles);
    let mut roles = Roles {
        shares: Vec::new(),
        clans: Vec::new(),
    };
    progress.begin("roles", plan.roles.into());
    for number in 0..plan.roles as usize {
        match ROLES.get(number) {
            Some((name, description, color, permissions, share)) => {
                let role = create(edit, name, description, color).await?;
                allow(edit, &role, permissions).await?;
                roles.shares.push((role.into(), *share));
            }
            None => {
                let name = format!("Clan {}{}", rng.pick(ADJECTIVES), rng.pick(NOUNS));
                let color = format!("#{:06x}", rng.below(0x100_0000));
                let role = create(edit, &name, "Plays together, wins together.", &color).await?;
                roles.clans.push(role.into());
            }
        }
        progress.advance(1);
    }
    Ok(roles)
}

async fn create(edit: &mut Edit, name: &str, description: &str, color: &str) -> Result<Role> {
    let new = json!({ "name": name, "description": description, "color": color });
    Ok(roles::create(edit, input(&new)?).await?.into_part())
}

async fn allow(edit: &mut Edit, role: &Role, names: &[&str]) -> Result<()> {
    let mut permissions = PermissionSet::default();
    for name in names {
        let permission = permission::by_name(name);
        let permission =
            permission.ok_or(Error::internal("demo data names an unknown permission"))?;
        permissions.insert(permission.id);
    }
    let role = roles::target(edit, role.id).await?;
    roles::set_permissions(edit, role, permissions)
        .await?
        .into_part();
    Ok(())
}
