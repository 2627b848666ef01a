//! Links to a user's profiles on social networks.

use db::Conn;
use serde::Serialize;

use super::input::is_blank_or_control;
use super::{TAKEN, User, save, store};
use crate::social_networks;
use kernel::input::{Faults, Partial, Place, Positive, Raw, Rule, Text, is_web_address};
use kernel::write::{Change, Edit, Target};
use kernel::{Error, Result, inline_schema, input};

#[derive(Clone, Debug, Serialize)]
pub struct SocialLink {
    pub id: i64,
    pub network: String,
    pub profile_url: String,
    #[serde(skip)]
    pub network_id: i64,
}

input! {
    /// A profile to link to.
    pub struct NewSocialLink {
        /// The id of a network; a user has one link for each. These are there from the start:
        /// 1 steam, 2 discord, 3 vk, 4 telegram, 5 youtube, 6 twitch, 7 x, 8 facebook,
        /// 9 instagram, 10 tiktok, 11 github, 12 website.
        network_id: NetworkId,
        /// An http or https address, or a handle without spaces.
        profile_url: ProfileUrl,
    }
}

pub async fn list(conn: &mut Conn, user_id: i64) -> Result<Vec<SocialLink>> {
    Ok(store::social::list(conn, user_id).await?)
}

pub async fn add(
    edit: &mut Edit,
    before: Target<User>,
    new: NewSocialLink,
) -> Result<Change<SocialLink>> {
    let NewSocialLink {
        network_id: NetworkId(network_id),
        profile_url: ProfileUrl(profile_url),
    } = new;
    let Some(network) = social_networks::held(edit, network_id).await? else {
        return Err(Faults::one("network_id", UNKNOWN_NETWORK).into());
    };
    let mut user = before.clone();
    // No other link can come in between: the user is held.
    let mut known = user.social_networks.iter();
    if known.any(|link| link.network_id == network_id) {
        return Err(Faults::one("network_id", TAKEN).into());
    }
    let mut link = SocialLink {
        id: 0,
        network: network.name,
        profile_url,
        network_id,
    };
    link.id = store::social::insert(edit, user.id, &link).await?;
    user.social_networks.push(link.clone());
    user.part_changes += 1;
    save(edit, &before, &mut user).await?;
    let change = Change::updated("add_social_network", &before, user);
    Ok(change.map(|_| link))
}

/// The faults of a link to add that need the database.
pub async fn check_new(
    conn: &mut Conn,
    user_id: i64,
    new: Partial<NewSocialLink>,
) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(NetworkId(network_id)) = new.network_id {
        let mut links = list(conn, user_id).await?.into_iter();
        if !social_networks::exists(conn, network_id).await? {
            faults.at("network_id").add(UNKNOWN_NETWORK);
        } else if links.any(|link| link.network_id == network_id) {
            faults.at("network_id").add(TAKEN);
        }
    }
    Ok(faults)
}

pub async fn delete(edit: &mut Edit, before: Target<User>, id: i64) -> Result<Change<User>> {
    let mut user = before.clone();
    user.social_networks.retain(|link| link.id != id);
    if user.social_networks.len() == before.social_networks.len() {
        return Err(Error::NotFound("social network link"));
    }
    user.part_changes += 1;
    store::social::delete(edit, id).await?;
    save(edit, &before, &mut user).await?;
    Ok(Change::updated("remove_social_network", &before, user))
}

const UNKNOWN_NETWORK: &str = "is not the id of a social network";

/// The id of a network, which one only the catalogue can tell.
#[derive(Debug)]
pub struct NetworkId(i64);

impl Rule for NetworkId {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let mut ignored = Faults::default();
        let id = Positive::read(raw, &mut ignored.at("network_id"));
        if id.is_none() {
            place.add(UNKNOWN_NETWORK);
        }
        id.map(|Positive(id)| Self(id))
    }
}

inline_schema!(NetworkId, { "type": "integer", "minimum": 1 });

/// An address on the web or a handle; no other scheme, for it may be shown as a link.
#[derive(Debug)]
pub struct ProfileUrl(String);

impl Rule for ProfileUrl {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = Text::<1, 2048>::read(raw, place)?.into_string();
        if text.contains(is_blank_or_control) || !is_web_or_handle(&text) {
            place.add("must be an http or https address, or a handle without spaces");
            return None;
        }
        Some(Self(text))
    }
}

fn is_web_or_handle(text: &str) -> bool {
    if is_web_address(text) {
        return true;
    }
    let Some((scheme, _)) = text.split_once(':') else {
        return true;
    };
    let in_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-');
    !(scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(in_scheme))
}

inline_schema!(ProfileUrl, {
    "type": "string",
    "minLength": 1,
    "maxLength": 2048,
    "pattern": r"^(?:[hH][tT][tT][pP][sS]?://[^\s/?#:@\u0000-\u001f\u007f-\u009f][^\s\u0000-\u001f\u007f-\u009f]*|(?![A-Za-z][A-Za-z0-9+.\-]*:)[^\s\u0000-\u001f\u007f-\u009f]+)$",
});

#[cfg(test)]
mod tests {
    use super::is_web_or_handle;

    #[test]
    fn only_the_web_and_handles_are_linked_to() {
        for good in [
            "https://example.com/a?b=c#d",
            "HTTP://example.com",
            "https://пример.рф",
            "@handle",
            "name#1234",
            "STEAM_0:1:4491990",
            "[U:1:8983980]",
            "example.com/me",
        ] {
            assert!(is_web_or_handle(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "data:text/html,x",
            "mailto:a@example.com",
            "ftp://example.com",
            "https:",
            "https:/example.com",
            "https://",
            "https:///path",
            "http://:80",
        ] {
            assert!(!is_web_or_handle(bad), "{bad}");
        }
    }
}
