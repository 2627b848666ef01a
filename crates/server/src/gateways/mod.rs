//! Payment gateways: through whom invoices are paid. One that is not known yet registers itself
//! by being named.

mod store;

use db::Conn;

use crate::edit::Edit;
use crate::input::{Place, Raw, Rule, text_that};
use crate::{Result, inline_schema};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gateway {
    pub id: i64,
    pub key: String,
    pub name: String,
}

/// The gateway of this key, however many name it for the first time at once.
pub async fn find_or_register(edit: &mut Edit, key: &GatewayKey) -> Result<Gateway> {
    if let Some(known) = store::find(edit, key).await? {
        return Ok(known);
    }
    let now = edit.now();
    store::register(edit, key, now).await?;
    let gateway = store::find(edit, key).await?;
    Ok(gateway.ok_or(db::Error::NoRow)?)
}

/// Those of these ids, by id.
pub async fn some(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Gateway>> {
    Ok(store::some(conn, ids).await?)
}

/// What a gateway is called in requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayKey(String);

impl GatewayKey {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Rule for GatewayKey {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_key = |text: &str| {
            let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
            (1..=64).contains(&text.len()) && text.bytes().all(fits)
        };
        let sentence = "must be 1 to 64 letters, digits, _, - or .";
        text_that(raw, place, is_key, sentence).map(Self)
    }
}

inline_schema!(GatewayKey, { "type": "string", "pattern": "^[A-Za-z0-9_.-]{1,64}$" });
