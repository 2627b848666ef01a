//! Social networks: the catalogue of those that users can link their profiles on.

pub mod http;
mod store;

use db::Conn;
use schemars::JsonSchema;
use serde::Serialize;

use kernel::input::{
    Faults, Partial, Patch, Place, Raw, Rule, Text, Word, is_blank, is_web_address,
};
use kernel::list::Window;
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, Result, inline_schema, input};

const IN_USE: Error = Error::Conflict {
    code: "social_network_in_use",
    message: "Users have linked profiles on this social network.",
};

const TAKEN: &str = "has already been taken";

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SocialNetwork {
    pub id: i64,
    /// What programs go by.
    pub name: String,
    /// What people read.
    pub title: String,
    /// Where a handle leads, with `{handle}` in its place; empty where there is no such rule.
    pub url_template: String,
}

impl Resource for SocialNetwork {
    const PLURAL: &'static str = "social_networks";
    const SINGULAR: &'static str = "social network";

    fn id(&self) -> i64 {
        self.id
    }
}

input! {
    /// A social network to create.
    pub struct NewSocialNetwork {
        /// What programs go by; unique.
        name: Word<50>,
        /// What people read.
        title: Text<1, 100>,
        /// Where a handle leads: an http or https address with `{handle}` in it, once.
        url_template: Option<UrlTemplate>,
    }
}

input! {
    /// What to change about a social network. What is absent keeps its value.
    pub struct SocialNetworkChanges {
        /// What programs go by; unique.
        name: Patch<Word<50>>,
        /// What people read.
        title: Patch<Text<1, 100>>,
        /// Where a handle leads: an http or https address with `{handle}` in it, once.
        url_template: Patch<UrlTemplate>,
    }
}

pub async fn list(conn: &mut Conn, window: Window) -> Result<Vec<SocialNetwork>> {
    Ok(store::list(conn, window).await?)
}

pub async fn count(conn: &mut Conn) -> Result<i64> {
    Ok(store::count(conn).await?)
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<SocialNetwork> {
    let network = store::find(conn, id).await?;
    network.ok_or(Error::NotFound(SocialNetwork::SINGULAR))
}

pub async fn exists(conn: &mut Conn, id: i64) -> Result<bool> {
    Ok(store::find(conn, id).await?.is_some())
}

/// The network, which stays until the end of the transaction.
pub async fn held(edit: &mut Edit, id: i64) -> Result<Option<SocialNetwork>> {
    store::hold(edit, id).await?;
    Ok(store::find(edit, id).await?)
}

/// The network to change, held until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<SocialNetwork>> {
    store::lock(edit, id).await?;
    let network = store::find(edit, id).await?;
    edit.target(network)
}

pub async fn create(edit: &mut Edit, new: NewSocialNetwork) -> Result<Change<SocialNetwork>> {
    let NewSocialNetwork {
        name,
        title,
        url_template,
    } = new;
    let mut network = SocialNetwork {
        id: 0,
        name: name.into_string(),
        title: title.into_string(),
        url_template: url_template.unwrap_or_default().0,
    };
    network.id = store::insert(edit, &network).await.map_err(name_taken)?;
    Ok(Change::created(network))
}

pub async fn update(
    edit: &mut Edit,
    before: Target<SocialNetwork>,
    changes: SocialNetworkChanges,
) -> Result<Change<SocialNetwork>> {
    let SocialNetworkChanges {
        name,
        title,
        url_template,
    } = changes;
    let network = SocialNetwork {
        id: before.id,
        name: name.or(&before.name).into_string(),
        title: title.or(&before.title).into_string(),
        url_template: url_template.or(&before.url_template).0,
    };
    store::update(edit, &network).await.map_err(name_taken)?;
    Ok(Change::updated("update", &before, network))
}

pub async fn delete(
    edit: &mut Edit,
    network: Target<SocialNetwork>,
) -> Result<Change<SocialNetwork>> {
    store::delete(edit, network.id)
        .await
        .map_err(|error| match error {
            db::Error::ForeignKey(_) => IN_USE,
            other => other.into(),
        })?;
    Ok(Change::deleted(network))
}

fn name_taken(error: db::Error) -> Error {
    match error {
        db::Error::Unique(name) if name == "social_networks_name_key" => {
            Faults::one("name", TAKEN).into()
        }
        other => other.into(),
    }
}

/// The faults of a network to create that need the database.
pub async fn check_new(conn: &mut Conn, new: Partial<NewSocialNetwork>) -> Result<Faults> {
    check_name(conn, 0, new.name).await
}

/// The faults of changes to a network that need the database.
pub async fn check_changes(
    conn: &mut Conn,
    id: i64,
    changes: Partial<SocialNetworkChanges>,
) -> Result<Faults> {
    check_name(conn, id, changes.name.and_then(Patch::given)).await
}

async fn check_name(conn: &mut Conn, id: i64, name: Option<Word<50>>) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(name) = name {
        let holder = store::id_of(conn, name.as_str()).await?;
        if holder.is_some_and(|holder| holder != id) {
            faults.at("name").add(TAKEN);
        }
    }
    Ok(faults)
}

const HANDLE: &str = "{handle}";

/// An address on the web with a place for a handle, or nothing.
#[derive(Debug, Default)]
pub struct UrlTemplate(String);

/// For a value that was read from the database, where it got by keeping the rule.
impl From<&String> for UrlTemplate {
    fn from(stored: &String) -> Self {
        Self(stored.clone())
    }
}

impl Rule for UrlTemplate {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = Text::<0, 2048>::read(raw, place)?.into_string();
        if text.is_empty() || is_template(&text) {
            return Some(Self(text));
        }
        place.add("must be an http or https address that contains {handle} once");
        None
    }

    fn when_null() -> Option<Self> {
        Some(Self::default())
    }
}

fn is_template(text: &str) -> bool {
    let is_plain = |c: char| !is_blank(c) && !c.is_control();
    is_web_address(text) && text.matches(HANDLE).count() == 1 && text.chars().all(is_plain)
}

inline_schema!(UrlTemplate, {
    "type": "string",
    "maxLength": 2048,
    "pattern": r"^$|^(?=[hH][tT][tT][pP][sS]?://[^\s/?#:@\u0000-\u001f\u007f-\u009f])(?!.*\{handle\}.*\{handle\})[^\s\u0000-\u001f\u007f-\u009f]*\{handle\}[^\s\u0000-\u001f\u007f-\u009f]*$",
});

#[cfg(test)]
mod tests {
    use super::is_template;

    #[test]
    fn a_template_has_one_place_for_a_handle() {
        for good in [
            "https://example.com/{handle}",
            "HTTP://{handle}.example.com/a?b={c}",
            "https://пример.рф/@{handle}#x",
        ] {
            assert!(is_template(good), "{good}");
        }
        for bad in [
            "https://example.com/",
            "https://example.com/{handle}/{handle}",
            "https://example.com/{Handle}",
            "example.com/{handle}",
            "ftp://example.com/{handle}",
            "javascript:alert('{handle}')",
            "https:///{handle}",
            "https://example.com/ {handle}",
            "https://example.com/{handle}\n",
        ] {
            assert!(!is_template(bad), "{bad}");
        }
    }
}
