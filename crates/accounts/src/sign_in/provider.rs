//! Asks the providers.

use std::sync::Arc;

use http_client::{Client, Fetch, Fetched, SystemResolver, Url};
use tokio::sync::Semaphore;

use super::answer::Answer;
use super::refusal::Refusal;
use super::settings::Settings;
use super::state::Open;
use super::{discord, steam};
use crate::users::identities::Provider;
use kernel::types::Timestamp;
use kernel::{Error, Result};

/// How many sign-ins ask a provider at once. A slow one must not take all connections.
pub const MAX_CONCURRENT: usize = 64;

/// The configured providers. Cheap to clone.
#[derive(Clone)]
pub struct Providers(Arc<Inner>);

struct Inner {
    settings: Settings,
    client: Client,
    places: Semaphore,
}

/// A profile that its provider has verified.
pub struct Verified {
    /// The id at the provider.
    pub subject: String,
    /// Makes the answer unique, if the provider sends one.
    pub nonce: Option<Nonce>,
}

/// The nonce of an answer of Steam.
pub struct Nonce(String);

impl Nonce {
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Providers {
    pub fn new(settings: Settings) -> Self {
        Self(Arc::new(Inner {
            settings,
            client: Client::new(Arc::new(SystemResolver::default())),
            places: Semaphore::new(MAX_CONCURRENT),
        }))
    }

    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// The page of the provider to which the visitor goes.
    pub fn page(
        &self,
        provider: Provider,
        return_to: &str,
        state: &str,
        challenge: Option<&str>,
    ) -> Result<Url> {
        let settings = self.settings();
        let page = match provider {
            Provider::Steam => {
                let steam = settings.steam.as_ref();
                steam.map(|steam| steam::page(steam, return_to, state))
            }
            Provider::Discord => {
                let discord = settings.discord.as_ref().zip(challenge);
                discord
                    .map(|(discord, challenge)| discord::page(discord, return_to, state, challenge))
            }
        };
        page.ok_or(NOT_CONFIGURED)
    }

    /// Checks an answer and asks the provider about it.
    pub async fn verify(
        &self,
        provider: Provider,
        answer: &Answer,
        open: &Open,
        now: Timestamp,
    ) -> Result<Verified, Refusal> {
        let place = self.0.places.try_acquire();
        let _place = place.map_err(|_| Refusal::Error(Error::Busy))?;
        let settings = self.settings();
        match (provider, &settings.steam, &settings.discord) {
            (Provider::Steam, Some(steam), _) => {
                steam::verify(self, steam, answer, open, now).await
            }
            (Provider::Discord, _, Some(discord)) => {
                discord::verify(self, discord, answer, open).await
            }
            _ => Err(NOT_CONFIGURED.into()),
        }
    }

    /// Sends a request to a provider. An answer that says that the provider itself failed is no
    /// answer.
    pub(super) async fn fetch(&self, fetch: Fetch<'_>) -> Result<Fetched, Refusal> {
        let time_limit = self.settings().time_limit;
        let fetched = self.0.client.fetch(fetch, time_limit).await?;
        match fetched.status {
            500.. => Err(Refusal::Unavailable(format!(
                "The provider answered with {}.",
                fetched.status
            ))),
            _ => Ok(fetched),
        }
    }
}

pub const NOT_CONFIGURED: Error = Error::NotFound("provider");
