//! Operations of the operator's own second factor.

use axum::extract::State;
use serde::Serialize;

use super::{NO_PASSWORD, attempting, take_back};
use crate::console::password::check_own;
use crate::console::{operator_id, two_factor};
use crate::passwords::Password;
use crate::sessions;
use kernel::auth::permission::{Confirmed, SignedIn as Signed};
use kernel::http::Writer;
use kernel::http::reply::{Created, Done, Message};
use kernel::http::routing::{ApiRouter, failing, named_failing, post_with};
use kernel::input::Text;
use kernel::schema::JsonSchema;
use kernel::{Result, input};

input! {
    /// A code of the second factor, to confirm it.
    struct TwoFactorCode {
        /// The code that the authenticator app shows.
        code: Text<1, 64>,
    }
}

input! {
    /// The credentials for removing a second factor.
    struct TwoFactorRemoval {
        /// The operator's password.
        password: Password<1>,
        /// A code of the second factor, or a recovery code.
        code: Text<1, 64>,
    }
}

#[derive(Serialize, JsonSchema)]
struct TwoFactorBegun {
    message: &'static str,
    /// The secret for an authenticator app, in base 32. It is shown only here.
    secret: String,
    /// The secret as a URI, for a QR code.
    uri: String,
}

#[derive(Serialize, JsonSchema)]
struct TwoFactorConfirmed {
    message: &'static str,
    /// Each code replaces one code of the app, once. They are shown only here.
    recovery_codes: Vec<String>,
}

async fn begin_two_factor(writer: Writer<Confirmed<Signed>>) -> Result<Created<TwoFactorBegun>> {
    let run = writer.run(async |edit, _| {
        let user_id = operator_id(edit.actor())?;
        let operator = two_factor::own(edit, user_id).await?;
        let begun = two_factor::begin(edit, operator).await?;
        Ok(begun.map(|begun| TwoFactorBegun {
            message: "Add this to your authenticator app, then confirm with a code of it.",
            secret: begun.secret,
            uri: begun.uri,
        }))
    });
    run.await
}

async fn confirm_two_factor(
    writer: Writer<Confirmed<Signed>, TwoFactorCode>,
) -> Result<Done<TwoFactorConfirmed>> {
    let run = writer.run(async |edit, body| {
        let user_id = operator_id(edit.actor())?;
        let operator = two_factor::own(edit, user_id).await?;
        let TwoFactorCode { code } = body.valid()?;
        let confirmed = two_factor::confirm(edit, operator, code.as_str()).await?;
        Ok(confirmed.map(|recovery_codes| TwoFactorConfirmed {
            message: "Two-factor authentication is on. Keep the recovery codes in a safe place.",
            recovery_codes,
        }))
    });
    run.await
}

async fn renew_recovery_codes(
    writer: Writer<Confirmed<Signed>>,
) -> Result<Created<TwoFactorConfirmed>> {
    let run = writer.run(async |edit, _| {
        let user_id = operator_id(edit.actor())?;
        let operator = two_factor::own(edit, user_id).await?;
        let renewed = two_factor::renew_recovery_codes(edit, operator).await?;
        Ok(renewed.map(|recovery_codes| TwoFactorConfirmed {
            message: "Earlier recovery codes are no longer valid. Keep these in a safe place.",
            recovery_codes,
        }))
    });
    run.await
}

async fn remove_two_factor(
    State(state): State<sessions::State>,
    writer: Writer<Signed, TwoFactorRemoval>,
) -> Result<Done<Message>> {
    let actor = writer.actor().clone();
    let mut attempt = None;
    let preparing = writer.prepare(async |removal| {
        let TwoFactorRemoval { password, code } = removal;
        let (_, claimed) = check_own(&state, &actor, &password).await?;
        attempt = Some(claimed);
        two_factor::Attempt::of_session(&state, &actor, code.as_str()).await
    });
    let run = preparing.await.run(async |edit, body| {
        let user_id = operator_id(edit.actor())?;
        let operator = two_factor::own(edit, user_id).await?;
        let removed = two_factor::remove(edit, operator, &body.valid()?).await?;
        Ok(removed.map(|_| Message::new("Two-factor authentication is off.")))
    });
    let reply = run.await?;
    take_back(&state, attempt).await?;
    Ok(reply)
}

const TWO_FACTOR: &str = "There is a second factor already, or there is none; or the request was carried \
                          out before, under this `Idempotency-Key`, in another session.";

pub fn routes() -> ApiRouter<sessions::State> {
    ApiRouter::new()
        .api_route(
            "/api/console/two-factor",
            post_with(
                begin_two_factor,
                named_failing(
                    "beginTwoFactor",
                    "Begin to set up a second factor",
                    409,
                    TWO_FACTOR,
                ),
            )
            .put_with(
                confirm_two_factor,
                named_failing(
                    "confirmTwoFactor",
                    "Confirm a second factor",
                    409,
                    TWO_FACTOR,
                ),
            )
            .delete_with(remove_two_factor, |operation| {
                let named = attempting("removeTwoFactor", "Remove a second factor", NO_PASSWORD);
                failing(named(operation), 409, TWO_FACTOR)
            }),
        )
        .api_route(
            "/api/console/two-factor/recovery-codes",
            post_with(
                renew_recovery_codes,
                named_failing(
                    "renewRecoveryCodes",
                    "Replace your recovery codes",
                    409,
                    TWO_FACTOR,
                ),
            ),
        )
        .with_path_items(|item| item.tag("Console"))
}
