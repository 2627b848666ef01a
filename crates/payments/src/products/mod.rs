//! Products: what they cost, and what they give to the user who gets them.

pub mod http;
mod input;
mod store;

use std::collections::BTreeSet;

use db::Conn;
use serde::Serialize;
use serde_json::value::RawValue;

pub use self::input::{NewProduct, Prices, ProductChanges, ProductPage, Referents, Steps};
pub use self::store::{count, find, list, names};

use crate::currencies;
use accounts::roles;
use game_servers::command_template::{CommandTemplate, Profile};
use game_servers::servers;
use kernel::auth::permission::{Right, ServersRcon, Users};
use kernel::input::{Fault, Faults, Partial, Patch, Referent};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::types::money::Money;
use kernel::write::audit::{Entry, Side};
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result, inline_schema};

const IN_USE: Error = Error::Conflict {
    code: ErrorCode::ProductInUse,
    message: "Invoices or grants name this product. Deactivate it instead.",
};

#[derive(Clone, Debug, Serialize)]
pub struct Product {
    pub id: i64,
    pub name: String,
    pub description: String,
    pub active: bool,
    pub prices: Vec<Price>,
    pub steps: Vec<Step>,
    pub choose_server: bool,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ProductPrice")]
pub struct Price {
    pub currency_id: i64,
    #[schemars(with = "kernel::types::money::Plain")]
    pub amount: Money,
}

/// One thing that a product does for the user who gets it.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Step {
    /// Gives or extends a role.
    Role {
        /// Null if the role was deleted.
        role_id: Option<i64>,
        /// How long the role is given for; null is no end.
        seconds: Option<i64>,
    },
    /// Runs a command on the consoles of servers.
    Rcon {
        /// Without servers that were deleted.
        server_ids: Vec<i64>,
        /// With placeholders such as `{steam_id64}`.
        command: String,
        /// Sent when the product is taken back.
        undo_command: Option<String>,
        /// Whether the command may run twice.
        repeatable: bool,
    },
    /// Waits for a plugin on each server to fetch it.
    Plugin {
        /// Without servers that were deleted.
        server_ids: Vec<i64>,
        payload: Box<RawValue>,
    },
}

// One object with the fields of all kinds: generated clients have a type for each alternative
// otherwise.
inline_schema!(Step, {
    "description": "One thing that a product does. Which fields it has depends on its kind.",
    "type": "object",
    "properties": {
        "kind": {
            "description": "`role` gives or extends a role, `rcon` runs a command on servers, `plugin` waits for a plugin on each server.",
            "type": "string", "enum": ["role", "rcon", "plugin"],
        },
        "role_id": {
            "description": "Of `role`. Null if the role was deleted.",
            "type": ["integer", "null"], "format": "int64", "minimum": 1,
        },
        "seconds": {
            "description": "Of `role`: how long it is given for; null is no end.",
            "type": ["integer", "null"], "format": "int64", "minimum": 60, "maximum": 315_360_000,
        },
        "server_ids": {
            "description": "Of `rcon` and `plugin`: 1 to 50 servers; without those that were deleted.",
            "type": "array",
            "items": { "type": "integer", "format": "int64", "minimum": 1 },
            "maxItems": 50,
        },
        "command": {
            "description": "Of `rcon`: one line, with placeholders such as `{steam_id64}`.",
            "type": "string", "minLength": 1, "maxLength": 500,
        },
        "undo_command": {
            "description": "Of `rcon`: sent when the product is taken back.",
            "type": ["string", "null"], "minLength": 1, "maxLength": 500,
        },
        "repeatable": {
            "description": "Of `rcon`: whether the command may run twice.",
            "type": "boolean",
        },
        "payload": {
            "description": "Of `plugin`: at most 4 KiB.",
            "type": "object",
            "additionalProperties": true,
        },
    },
    "required": ["kind"],
});

impl Step {
    pub fn server_ids(&self) -> &[i64] {
        match self {
            Self::Role { .. } => &[],
            Self::Rcon { server_ids, .. } | Self::Plugin { server_ids, .. } => server_ids,
        }
    }

    /// The profiles that the user must have linked.
    fn profiles(&self) -> Vec<Profile> {
        match self {
            Self::Role { .. } => Vec::new(),
            Self::Rcon {
                command,
                undo_command,
                ..
            } => {
                let templates = [Some(command), undo_command.as_ref()].into_iter().flatten();
                let parsed = templates.filter_map(|text| CommandTemplate::parse(text).ok());
                parsed
                    .flat_map(|template| template.profiles().collect::<Vec<_>>())
                    .collect()
            }
            Self::Plugin { .. } => vec![Profile::Steam],
        }
    }
}

impl Resource for Product {
    const PLURAL: &'static str = "products";
    const SINGULAR: &'static str = "product";

    fn id(&self) -> i64 {
        self.id
    }
}

impl Product {
    pub fn price_in(&self, currency_id: i64) -> Option<Money> {
        let price = self.prices.iter().find(|p| p.currency_id == currency_id);
        price.map(|price| price.amount)
    }

    /// The profiles that the user who gets it must have linked.
    pub fn profiles(&self) -> BTreeSet<Profile> {
        self.steps.iter().flat_map(Step::profiles).collect()
    }

    /// Checks the server that a buyer chose.
    pub fn check_server(&self, server_id: Option<i64>) -> Option<Fault> {
        let offers = |id: &i64| self.steps.iter().any(|step| step.server_ids().contains(id));
        match (self.choose_server, server_id) {
            (true, None) => Some(Fault::Required {}),
            (true, Some(id)) if !offers(&id) => Some(Fault::NotForServer {}),
            (false, Some(_)) => Some(Fault::OnlyWith {
                other: "choose_server of the product",
            }),
            _ => None,
        }
    }
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Product> {
    let product = find(conn, id).await?;
    product.ok_or(Error::NotFound(Product::SINGULAR))
}

/// The product to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Product>> {
    store::lock(edit, id).await?;
    let product = find(edit, id).await?;
    edit.target(product)
}

/// A product that cannot be changed or deleted until the end of the transaction.
pub async fn hold(edit: &mut Edit, id: i64) -> Result<Option<Product>> {
    Ok(store::find_and_lock(edit, id).await?)
}

pub async fn create(edit: &mut Edit, new: NewProduct) -> Result<Change<Product>> {
    let NewProduct {
        name,
        description,
        active,
        prices,
        steps,
        choose_server,
    } = new;
    if let Some(steps) = &steps {
        require_rights(edit, steps)?;
    }
    require_referents(edit, Some(&prices), steps.as_ref()).await?;
    let mut product = Product {
        id: 0,
        name: name.into_string(),
        description: description.unwrap_or_default().into_string(),
        active: active.unwrap_or(true),
        prices: prices.prices,
        steps: steps.map_or_else(Vec::new, |steps| steps.steps),
        choose_server: choose_server.unwrap_or(false),
        created_at: edit.now(),
        updated_at: edit.now(),
    };
    product.id = store::insert(edit, &product).await?;
    store::replace_prices(edit, &product).await?;
    store::replace_steps(edit, &product).await?;
    let product = get(edit, product.id).await?;
    Ok(Change::created(product))
}

pub async fn update(
    edit: &mut Edit,
    before: Target<Product>,
    changes: ProductChanges,
) -> Result<Change<Product>> {
    let ProductChanges {
        name,
        description,
        active,
        prices,
        steps,
        choose_server,
    } = changes;
    let (prices, steps) = (prices.given(), steps.given());
    if let Some(steps) = &steps {
        require_rights(edit, steps)?;
    }
    require_referents(edit, prices.as_ref(), steps.as_ref()).await?;
    let (has_prices, has_steps) = (prices.is_some(), steps.is_some());
    let mut product = Product {
        name: name.or(&before.name).into_string(),
        description: description.or(&before.description).into_string(),
        active: active.or(before.active),
        prices: prices.map_or_else(|| before.prices.clone(), |prices| prices.prices),
        steps: steps.map_or_else(|| before.steps.clone(), |steps| steps.steps),
        choose_server: choose_server.or(before.choose_server),
        ..before.clone()
    };
    if has_prices {
        store::replace_prices(edit, &product).await?;
        product
            .prices
            .sort_unstable_by_key(|price| price.currency_id);
    }
    if has_steps {
        store::replace_steps(edit, &product).await?;
    }
    product.updated_at = edit.updated_at(&*before, &product, before.updated_at);
    store::update(edit, &product).await?;
    Ok(Change::updated("update", &before, product))
}

/// Commands need the right to run commands, roles the right to give them: otherwise a product would
/// be a way around both.
fn require_rights(edit: &Edit, Steps { steps, .. }: &Steps) -> Result<()> {
    let permissions = edit.actor().permissions;
    for step in steps {
        match step {
            Step::Role { .. } => Users::check(permissions)?,
            Step::Rcon { .. } => ServersRcon::check(permissions)?,
            Step::Plugin { .. } => {}
        }
    }
    Ok(())
}

/// Locks currencies, roles and servers against deletion, and requires all of them.
async fn require_referents(
    edit: &mut Edit,
    prices: Option<&Prices>,
    steps: Option<&Steps>,
) -> Result<()> {
    if let Some(prices) = prices {
        let mut ids: Vec<i64> = prices.currency_ids.iter().copied().flatten().collect();
        ids.sort_unstable();
        for id in ids {
            currencies::find_and_lock(edit, id).await?;
        }
    }
    if let Some(Steps { referents, .. }) = steps {
        roles::lock_shared(edit, &role_ids(referents)).await?;
        servers::lock_shared(edit, &server_ids(referents)).await?;
    }
    check_referents(edit, prices, steps).await?.check()
}

fn role_ids(referents: &[Referents]) -> Vec<i64> {
    let ids: BTreeSet<i64> = referents.iter().filter_map(|step| step.role_id).collect();
    ids.into_iter().collect()
}

fn server_ids(referents: &[Referents]) -> Vec<i64> {
    let ids = referents.iter().flat_map(|step| &step.server_ids).copied();
    let ids: BTreeSet<i64> = ids.collect();
    ids.into_iter().collect()
}

async fn check_referents(
    conn: &mut Conn,
    prices: Option<&Prices>,
    steps: Option<&Steps>,
) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(Prices { currency_ids, .. }) = prices {
        let ids: Vec<i64> = currency_ids.iter().copied().flatten().collect();
        let known = currencies::by_ids(conn, &ids).await?;
        let is_known = |id: i64| known.iter().any(|currency| currency.id == id);
        for (i, id) in currency_ids.iter().enumerate() {
            if id.is_some_and(|id| !is_known(id)) {
                let mut prices = faults.at("prices");
                let fault = Fault::unknown_id(Referent::Currency);
                prices.inside(i).inside("currency_id").add(fault);
            }
        }
    }
    if let Some(Steps { referents, .. }) = steps {
        let roles = roles::existing_ids(conn, &role_ids(referents)).await?;
        let servers = servers::existing_ids(conn, &server_ids(referents)).await?;
        for (i, step) in referents.iter().enumerate() {
            let mut steps = faults.at("steps");
            if step.role_id.is_some_and(|id| !roles.contains(&id)) {
                let fault = Fault::unknown_id(Referent::Role);
                steps.inside(i).inside("role_id").add(fault);
            }
            if step.server_ids.iter().any(|id| !servers.contains(id)) {
                let fault = Fault::unknown_id(Referent::GameServer);
                steps.inside(i).inside("server_ids").add(fault);
            }
        }
    }
    Ok(faults)
}

/// Checks a product to create against the database.
pub async fn check_new(conn: &mut Conn, new: Partial<NewProduct>) -> Result<Faults> {
    let steps = new.steps.flatten();
    check_referents(conn, new.prices.as_ref(), steps.as_ref()).await
}

/// Checks changes to a product against the database.
pub async fn check_changes(conn: &mut Conn, changes: Partial<ProductChanges>) -> Result<Faults> {
    let prices = changes.prices.and_then(Patch::given);
    let steps = changes.steps.and_then(Patch::given);
    check_referents(conn, prices.as_ref(), steps.as_ref()).await
}

pub async fn delete(edit: &mut Edit, product: Target<Product>) -> Result<Change<Product>> {
    if store::is_used(edit, product.id).await? {
        return Err(IN_USE);
    }
    store::delete(edit, product.id)
        .await
        .map_err(|error| match error {
            db::Error::ForeignKey(_) => IN_USE,
            other => other.into(),
        })?;
    Ok(Change::deleted(product))
}

/// The role or server that a product has lost.
#[derive(Clone, Copy, Debug)]
pub enum Lost {
    Role(i64),
    Server(i64),
}

/// Disables the products that give a role or a server that is about to be deleted: without it they
/// would give less than they promise.
pub async fn disable_those_with(edit: &mut Edit, lost: Lost) -> Result<()> {
    #[derive(Serialize)]
    struct Activity {
        active: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        deleted_role_id: Option<i64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        deleted_server_id: Option<i64>,
    }
    let (role_id, server_id) = match lost {
        Lost::Role(id) => (Some(id), None),
        Lost::Server(id) => (None, Some(id)),
    };
    let now = edit.now();
    let before = Activity {
        active: true,
        deleted_role_id: None,
        deleted_server_id: None,
    };
    let after = Activity {
        active: false,
        deleted_role_id: role_id,
        deleted_server_id: server_id,
    };
    let disabled = store::disable_those_with(edit, lost, now).await?;
    let entries: Vec<Entry> = disabled
        .into_iter()
        .map(|id| Entry {
            action: "products.disable".to_owned(),
            resource: Product::PLURAL,
            resource_id: id,
            about_user_id: None,
            before: Side::of(&before),
            after: Side::of(&after),
        })
        .collect();
    edit.record_as_system(&entries).await
}
