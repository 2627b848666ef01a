//! The operator's settings: where visitors may come back to, and the providers.

use std::str::FromStr;
use std::time::Duration;

use http_client::Url;

use crate::users::identities::Provider;
use kernel::secret::Secret;

#[derive(Clone, Debug)]
pub struct Settings {
    pub return_to: Vec<ReturnTo>,
    pub steam: Option<Steam>,
    pub discord: Option<Discord>,
    /// For one request to a provider, from resolving its name to the end of the answer.
    pub time_limit: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            return_to: Vec::new(),
            steam: None,
            discord: None,
            time_limit: Duration::from_secs(5),
        }
    }
}

impl Settings {
    pub fn may_return_to(&self, url: &str) -> bool {
        self.return_to.iter().any(|allowed| allowed.0 == url)
    }

    pub fn has(&self, provider: Provider) -> bool {
        match provider {
            Provider::Steam => self.steam.is_some(),
            Provider::Discord => self.discord.is_some(),
        }
    }
}

/// The endpoint of Steam's OpenID.
#[derive(Clone, Debug)]
pub struct Steam {
    pub endpoint: Address,
}

/// The application at Discord, and Discord's API.
#[derive(Clone, Debug)]
pub struct Discord {
    pub client_id: String,
    pub client_secret: Secret<String>,
    pub api: Address,
}

/// A page of the site to which visitors come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReturnTo(String);

impl ReturnTo {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ReturnTo {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = web_address(text)?;
        if url.as_str() != text {
            // Providers compare the text, browsers normalise it.
            return Err(format!("write it as {url}"));
        }
        let is_ours =
            |name: &str| ["state", "code", "error"].contains(&name) || name.starts_with("openid.");
        if url.query_pairs().any(|(name, _)| is_ours(&name)) {
            return Err("it must not have a parameter that an answer has".into());
        }
        Ok(Self(text.to_owned()))
    }
}

/// The address of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(Url);

impl Address {
    /// An address of this program.
    pub(super) fn constant(text: &str) -> Self {
        Self(text.parse().expect("it is a URL"))
    }

    pub fn url(&self) -> &Url {
        &self.0
    }

    /// The address with this path appended.
    pub fn below(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}{path}", self.0.path().trim_end_matches('/')));
        url
    }

    /// This path of the same host.
    pub(super) fn beside(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(path);
        url
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = web_address(text)?;
        match url.query() {
            Some(_) => Err("it must end with its path".into()),
            None => Ok(Self(url)),
        }
    }
}

fn web_address(text: &str) -> Result<Url, String> {
    let url: Url = text.parse().map_err(|error| format!("{error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("it must begin with https:// or http://".into());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it must not contain a user name or a password".into());
    }
    if url.fragment().is_some() {
        return Err("it must not contain a #".into());
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_to_return_to_is_a_web_address_in_normal_form() {
        for good in [
            "https://site.example/",
            "https://site.example/signed-in?lang=en",
            "http://localhost:3000/back",
        ] {
            let read: ReturnTo = good.parse().expect(good);
            assert_eq!(read.as_str(), good);
        }
        for (bad, reason) in [
            ("", "relative"),
            ("/back", "relative"),
            ("javascript:alert(1)", "begin with"),
            ("https://site.example", "write it as https://site.example/"),
            ("https://Site.example/", "write it as https://site.example/"),
            ("https://site.example:443/", "write it as"),
            ("https://site.example/a/../b", "write it as"),
            ("https://a@site.example/", "user name"),
            ("https://site.example/#a", "#"),
            ("https://site.example/?state=a", "parameter"),
            ("https://site.example/?a=b&code=c", "parameter"),
            ("https://site.example/?error=c", "parameter"),
            ("https://site.example/?openid.mode=c", "parameter"),
        ] {
            let refused = bad.parse::<ReturnTo>().expect_err(bad);
            assert!(refused.contains(reason), "{bad}: {refused}");
        }
    }

    #[test]
    fn paths_are_appended_to_the_api_and_replaced_on_its_host() {
        let api: Address = "https://discord.test/api/v10".parse().expect("an address");
        let below = api.below("/oauth2/token");
        assert_eq!(below.as_str(), "https://discord.test/api/v10/oauth2/token");
        let beside = api.beside("/oauth2/authorize");
        assert_eq!(beside.as_str(), "https://discord.test/oauth2/authorize");
        assert!("https://discord.test/api?a=b".parse::<Address>().is_err());
        assert!("ftp://discord.test/".parse::<Address>().is_err());
    }
}
