//! The small tables, which are kept in memory: roles, currencies, the menu and the like.

use std::collections::HashMap;

use crate::record::{Kept, Moment, Record};
use kernel::Result;

/// Bytes of memory that all small tables may take.
const MOST_BYTES: usize = 32 << 20;
/// Roles and items of the menu: every item may have every role.
const MOST_ROLES: usize = 1_000;
const MOST_ITEMS: usize = 1_000;
/// The memory that a row takes besides its texts, at least.
const ROW: usize = 128;

/// A row of a small table, with what is needed to report it.
pub type Rows<T> = Vec<(Kept, T)>;

/// A row that joins two others.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub left: i64,
    pub right: i64,
}

#[derive(Debug)]
pub struct Role {
    pub name: String,
    pub color: Option<String>,
    pub priority: i64,
}

#[derive(Debug)]
pub struct Server {
    pub name: String,
    pub ip: String,
    pub port: i64,
    pub game: String,
    pub rcon: String,
    pub additional: String,
    pub enabled: bool,
    pub created_at: Moment,
    pub updated_at: Moment,
}

#[derive(Debug)]
pub struct MenuItem {
    pub title: String,
    pub url: Option<String>,
    pub new_tab: bool,
    pub icon: Option<String>,
    pub position: i64,
    pub for_guests: bool,
    pub for_logged_in: bool,
    pub visibility: String,
    pub parent_id: Option<i64>,
}

#[derive(Debug)]
pub struct Currency {
    pub code: String,
    pub minimum_value: String,
    pub exchange_rate: String,
}

#[derive(Debug)]
pub struct Gateway {
    pub name: String,
    pub adapter: String,
    pub enabled: bool,
    pub created_at: Moment,
}

#[derive(Debug)]
pub struct PromoCode {
    pub code: String,
    pub kind: String,
    pub value: String,
    pub max_usages: Option<i64>,
    pub max_uses_per_user: Option<i64>,
    pub minimum_amount: Option<String>,
    pub expires_at: Moment,
    pub created_at: Moment,
}

#[derive(Debug)]
pub struct ApiKey {
    pub value: String,
    pub name: String,
    pub created_at: Moment,
    pub last_used_at: Moment,
}

/// Where a block is on its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockPlace {
    pub page_id: i64,
    pub y: i64,
    pub x: i64,
    pub id: i64,
}

#[derive(Debug, Default)]
pub struct Small {
    pub permissions: Rows<String>,
    pub roles: Rows<Role>,
    pub role_permissions: Rows<Pair>,
    pub social_networks: Rows<String>,
    pub servers: Rows<Server>,
    pub menu: Rows<MenuItem>,
    pub menu_roles: Rows<Pair>,
    pub currencies: Rows<Currency>,
    pub gateways: Rows<Gateway>,
    pub promo_codes: Rows<PromoCode>,
    pub promo_code_roles: Rows<Pair>,
    pub api_keys: Rows<ApiKey>,
    pub api_key_permissions: Rows<Pair>,
    /// The routes of pages, by id.
    pub routes: Vec<(i64, String)>,
    pub blocks: Vec<BlockPlace>,
    bytes: usize,
}

impl Small {
    /// Keeps a row if its table is small. Returns whether it is.
    pub fn take(&mut self, table: &str, record: Record<'_>) -> Result<bool> {
        let text = |column| -> Result<String> { record.string(column).map(str::to_owned) };
        let optional =
            |column| -> Result<Option<String>> { Ok(record.text(column)?.map(str::to_owned)) };
        let before = self.bytes;
        match table {
            "permissions" => self.permissions.push((record.keep()?, text("name")?)),
            "roles" => {
                let role = Role {
                    name: text("name")?,
                    color: optional("color")?,
                    priority: record.integer("priority")?.unwrap_or(0),
                };
                if self.roles.len() >= MOST_ROLES {
                    return Err(record.refuse(&format!("there are more than {MOST_ROLES} roles")));
                }
                self.roles.push((record.keep()?, role));
            }
            "role_permissions" => {
                self.role_permissions
                    .push(pair(record, "role_id", "permission_id")?)
            }
            "social_networks" => self.social_networks.push((record.keep()?, text("key")?)),
            "servers" => {
                let server = Server {
                    name: text("name")?,
                    ip: text("ip")?,
                    port: record.required("port")?,
                    game: text("mod")?,
                    rcon: text("rcon")?,
                    additional: text("additional")?,
                    enabled: record.is_set("enabled")?,
                    created_at: record.moment("created_at")?,
                    updated_at: record.moment("updated_at")?,
                };
                self.servers.push((record.keep()?, server));
            }
            "navbar_items" => {
                let item = MenuItem {
                    title: text("title")?,
                    url: optional("url")?,
                    new_tab: record.is_set("new_tab")?,
                    icon: optional("icon")?,
                    position: record.integer("position")?.unwrap_or(0),
                    for_guests: record.is_set("visible_only_for_guests")?,
                    for_logged_in: record.is_set("visible_only_for_logged_in")?,
                    visibility: text("visibility")?,
                    parent_id: record.integer("parent_id")?,
                };
                if self.menu.len() >= MOST_ITEMS {
                    let sentence = format!("the menu has more than {MOST_ITEMS} items");
                    return Err(record.refuse(&sentence));
                }
                self.menu.push((record.keep()?, item));
            }
            "navbar_item_roles" => self
                .menu_roles
                .push(pair(record, "navbarItem_id", "role_id")?),
            "currencies" => {
                record.decimal("minimum_value")?;
                record.decimal("exchange_rate")?;
                let currency = Currency {
                    code: text("code")?,
                    minimum_value: text("minimum_value")?,
                    exchange_rate: text("exchange_rate")?,
                };
                self.currencies.push((record.keep()?, currency));
            }
            "payment_gateways" => {
                let gateway = Gateway {
                    name: text("name")?,
                    adapter: text("adapter")?,
                    enabled: record.is_set("enabled")?,
                    created_at: record.moment("created_at")?,
                };
                self.gateways.push((record.keep()?, gateway));
            }
            "promo_codes" => {
                record.decimal("value")?;
                record.decimal("minimum_amount")?;
                let promo = PromoCode {
                    code: text("code")?,
                    kind: text("type")?,
                    value: text("value")?,
                    max_usages: record.integer("max_usages")?,
                    max_uses_per_user: record.integer("max_uses_per_user")?,
                    minimum_amount: optional("minimum_amount")?,
                    expires_at: record.moment("expires_at")?,
                    created_at: record.moment("created_at")?,
                };
                self.promo_codes.push((record.keep()?, promo));
            }
            "promo_code_roles" => {
                self.promo_code_roles
                    .push(pair(record, "promoCode_id", "role_id")?)
            }
            "api_keys" => {
                let key = ApiKey {
                    value: text("key")?,
                    name: text("name")?,
                    created_at: record.moment("created_at")?,
                    last_used_at: record.moment("last_used_at")?,
                };
                self.api_keys.push((record.keep()?, key));
            }
            "api_key_permissions" => {
                self.api_key_permissions
                    .push(pair(record, "apiKey_id", "permission_id")?)
            }
            "pages" => {
                let route = text("route")?;
                self.bytes += ROW + route.len();
                self.routes.push((record.required("id")?, route));
            }
            "page_blocks" => {
                let (x, y) = place(record.string("gridstack")?);
                self.bytes += ROW;
                self.blocks.push(BlockPlace {
                    page_id: record.required("page_id")?,
                    y,
                    x,
                    id: record.required("id")?,
                });
            }
            _ => return Ok(false),
        }
        let is_kept_whole = self.bytes == before;
        if is_kept_whole {
            self.bytes += ROW + record.size();
        }
        if self.bytes > MOST_BYTES {
            let limit = MOST_BYTES >> 20;
            let sentence =
                format!("roles, menu, servers, keys and the like take more than {limit} MiB");
            return Err(record.refuse(&sentence));
        }
        Ok(is_kept_whole)
    }

    /// The rights of each role or key, by name.
    pub fn names_of_permissions(&self) -> HashMap<i64, &str> {
        let permissions = self.permissions.iter();
        permissions
            .map(|(kept, name)| (kept.id, name.as_str()))
            .collect()
    }
}

fn pair(record: Record<'_>, left: &str, right: &str) -> Result<(Kept, Pair)> {
    let pair = Pair {
        left: record.required(left)?,
        right: record.required(right)?,
    };
    Ok((record.keep()?, pair))
}

/// The column and the line of a block, from the JSON of its widget.
fn place(gridstack: &str) -> (i64, i64) {
    let Ok(grid) = serde_json::from_str::<serde_json::Value>(gridstack) else {
        return (0, 0);
    };
    let number = |name: &str| {
        let text = match &grid[name] {
            serde_json::Value::Number(number) => number.to_string(),
            serde_json::Value::String(text) => text.clone(),
            _ => return 0,
        };
        let number = crate::decimal::Decimal::parse(&text).and_then(|number| number.rounded(0));
        number.map_or(0, |(number, _)| i64::try_from(number).unwrap_or(i64::MAX))
    };
    (number("x"), number("y"))
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn the_place_of_a_block_is_read_from_any_form_of_number() {
        for (json, expected) in [
            (r#"{"x":3,"y":4}"#, (3, 4)),
            (r#"{"x":"3","y":"1e1"}"#, (3, 10)),
            (r#"{"x":2.0,"y":-5}"#, (2, -5)),
            (r#"{"x":null}"#, (0, 0)),
            (r#"{"x":1e20,"y":"far"}"#, (i64::MAX, 0)),
            ("[]", (0, 0)),
            ("null", (0, 0)),
            ("", (0, 0)),
        ] {
            assert_eq!(place(json), expected, "{json}");
        }
    }
}
