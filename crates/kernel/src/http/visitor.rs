//! Requests of people: [`Browser`] describes the browser of such a request, [`Visitor`] is the
//! extractor of an operation that needs neither a key nor a session.

use std::convert::Infallible;

use axum::extract::{FromRef, FromRequest, FromRequestParts, Request};
use axum::http::HeaderValue;
use axum::http::header::{SET_COOKIE, USER_AGENT};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};

use super::body::{Body, Payload, Received};
use super::cookie::Cookie;
use super::request_info::RequestInfo;
use super::same_origin;
use crate::auth::Actor;
use crate::{Error, Kernel, Result};

/// The name of a person who has not signed in, in the audit log.
const VISITOR: &str = "console";
/// The number of characters of a user agent that are stored.
const USER_AGENT_LENGTH: usize = 512;

/// The browser that a request comes from.
#[derive(Clone, Debug)]
pub struct Browser {
    /// Whether the browser's connection is encrypted.
    pub is_secure: bool,
    pub user_agent: String,
    /// The cookie that proves an earlier sign-in.
    pub proof: Option<String>,
    /// The scheme and the host that the request was sent to.
    pub origin: Option<String>,
}

impl Browser {
    fn of(parts: &Parts) -> Self {
        let is_secure = RequestInfo::of(&parts.extensions).is_secure();
        let user_agent = parts.headers.get(USER_AGENT);
        let user_agent = user_agent.map(|agent| String::from_utf8_lossy(agent.as_bytes()));
        let is_shown = |c: &char| !c.is_control();
        Self {
            is_secure,
            user_agent: user_agent
                .map(|agent| {
                    agent
                        .chars()
                        .filter(is_shown)
                        .take(USER_AGENT_LENGTH)
                        .collect()
                })
                .unwrap_or_default(),
            proof: Cookie::Browser
                .read(&parts.headers, is_secure)
                .map(str::to_owned),
            origin: same_origin::own(parts, is_secure),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Browser {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts))
    }
}

/// Anyone who reads something that needs neither a key nor a session.
pub struct Anyone;

impl<S: Sync> FromRequestParts<S> for Anyone {
    type Rejection = Infallible;

    async fn from_request_parts(_: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self)
    }
}

/// A person who has not signed in, with the body that was sent.
pub struct Visitor<B> {
    pub actor: Actor,
    pub browser: Browser,
    pub body: Body<B>,
}

impl<B: Payload, S: Sync> FromRequest<S> for Visitor<B>
where
    Kernel: FromRef<S>,
{
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let kernel = Kernel::from_ref(state);
        let (parts, body) = request.into_parts();
        let info = RequestInfo::of(&parts.extensions);
        let browser = Browser::of(&parts);
        // Another site must not sign a browser in to a session that the site's owner can read.
        same_origin::refuse_others(&parts, browser.is_secure)?;
        let actor = Actor {
            client_request_id: info.client_id().map(str::to_owned),
            ip: info.ip(),
            ..Actor::without_permissions(VISITOR, info.id().to_owned())
        };
        let body = Received::new(&parts, body, &kernel.limits, B::EXPECTED).await?;
        Ok(Self {
            actor,
            browser,
            body: body.parse(),
        })
    }
}

/// A reply that sets or removes cookies.
pub struct WithCookies<T> {
    pub reply: T,
    pub cookies: Vec<Option<HeaderValue>>,
}

impl<T: IntoResponse> IntoResponse for WithCookies<T> {
    fn into_response(self) -> Response {
        let mut response = self.reply.into_response();
        for cookie in self.cookies.into_iter().flatten() {
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        response
    }
}
