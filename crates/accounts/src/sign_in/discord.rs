//! Discord, by OAuth 2.0 with PKCE. The token is used once and revoked, and never stored.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http_client::{Action, Fetch, Fetched, MAX_ANSWER, Url};
use serde::Deserialize;

use super::answer::Answer;
use super::provider::{Providers, Verified};
use super::refusal::Refusal;
use super::settings::{Address, Discord};
use super::state::Open;
use kernel::secret::Secret;

const API: &str = "https://discord.com/api/v10";
/// Who the visitor is, and nothing else.
const SCOPE: &str = "identify";
/// The digits of an id.
const ID: std::ops::RangeInclusive<usize> = 17..=20;
const LONGEST_TOKEN: usize = 4096;

impl Discord {
    /// Discord itself.
    pub fn api() -> Address {
        Address::constant(API)
    }
}

pub fn page(discord: &Discord, return_to: &str, state: &str, challenge: &str) -> Url {
    let mut url = discord.api.beside("/oauth2/authorize");
    url.query_pairs_mut().extend_pairs([
        ("response_type", "code"),
        ("client_id", discord.client_id.as_str()),
        ("scope", SCOPE),
        ("state", state),
        ("redirect_uri", return_to),
        ("code_challenge", challenge),
        ("code_challenge_method", "S256"),
    ]);
    url
}

#[derive(Deserialize)]
struct TokenReply {
    access_token: String,
    token_type: String,
}

#[derive(Deserialize)]
struct Me {
    id: String,
}

pub async fn verify(
    providers: &Providers,
    discord: &Discord,
    answer: &Answer,
    open: &Open,
) -> Result<Verified, Refusal> {
    match answer.find("error")? {
        None => {}
        Some("access_denied") => return Err(Refusal::Cancelled),
        Some(_) => return Err(Refusal::failed("Discord reports an error")),
    }
    let code = answer.one("code")?;
    let verifier = open.verifier.as_ref();
    let verifier = verifier.ok_or_else(|| Refusal::failed("the state has no verifier"))?;
    let token = exchange(providers, discord, code, &open.return_to, verifier).await?;
    let subject = identify(providers, discord, &token).await;
    // Also if the profile could not be read.
    revoke(providers, discord, &token).await?;
    Ok(Verified {
        subject: subject?,
        nonce: None,
    })
}

/// Exchanges a code for a token.
async fn exchange(
    providers: &Providers,
    discord: &Discord,
    code: &str,
    return_to: &str,
    verifier: &Secret<String>,
) -> Result<Secret<String>, Refusal> {
    let fields = [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", return_to),
        ("code_verifier", verifier.reveal().as_str()),
    ];
    let fetched = post(providers, discord, "/oauth2/token", &fields).await?;
    let fetched = successful(fetched, "the exchange of the code")?;
    let reply = serde_json::from_slice::<TokenReply>(&fetched.body);
    // The error of the parser could quote the token.
    let reply = reply.map_err(|_| Refusal::failed("Discord's reply has no token"))?;
    let token = Secret::new(reply.access_token);
    let is_plain = token.reveal().bytes().all(|byte| byte.is_ascii_graphic());
    let has_length = (1..=LONGEST_TOKEN).contains(&token.reveal().len());
    match is_plain && has_length && reply.token_type.eq_ignore_ascii_case("bearer") {
        true => Ok(token),
        false => Err(Refusal::failed("Discord's token is malformed")),
    }
}

/// The id of the user whose token this is.
async fn identify(
    providers: &Providers,
    discord: &Discord,
    token: &Secret<String>,
) -> Result<String, Refusal> {
    let bearer = Secret::new(format!("Bearer {}", token.reveal()));
    let fetch = Fetch {
        action: Action::Get,
        url: &discord.api.below("/users/@me"),
        headers: &[("authorization", bearer.reveal().as_str())],
        max_answer: MAX_ANSWER,
    };
    let fetched = successful(providers.fetch(fetch).await?, "the look-up of the user")?;
    let me = serde_json::from_slice::<Me>(&fetched.body);
    let Me { id } = me.map_err(|_| Refusal::failed("Discord's reply has no id"))?;
    let is_id = ID.contains(&id.len()) && id.bytes().all(|digit| digit.is_ascii_digit());
    match is_id && !id.starts_with('0') {
        true => Ok(id),
        false => Err(Refusal::failed("Discord's id is malformed")),
    }
}

async fn revoke(
    providers: &Providers,
    discord: &Discord,
    token: &Secret<String>,
) -> Result<(), Refusal> {
    let fields = [
        ("token", token.reveal().as_str()),
        ("token_type_hint", "access_token"),
    ];
    let fetched = post(providers, discord, "/oauth2/token/revoke", &fields).await?;
    successful(fetched, "the revocation of the token").map(|_| ())
}

/// Posts a form as the application.
async fn post(
    providers: &Providers,
    discord: &Discord,
    path: &str,
    fields: &[(&str, &str)],
) -> Result<Fetched, Refusal> {
    let Discord {
        client_id,
        client_secret,
        api,
    } = discord;
    let credentials = Secret::new(format!("{client_id}:{}", client_secret.reveal()));
    let basic = Secret::new(format!("Basic {}", STANDARD.encode(credentials.reveal())));
    let fetch = Fetch {
        action: Action::Post(fields),
        url: &api.below(path),
        headers: &[("authorization", basic.reveal().as_str())],
        max_answer: MAX_ANSWER,
    };
    providers.fetch(fetch).await
}

fn successful(fetched: Fetched, what: &str) -> Result<Fetched, Refusal> {
    match fetched.status {
        200 => Ok(fetched),
        status => Err(Refusal::failed(format!(
            "Discord answered {status} to {what}"
        ))),
    }
}
