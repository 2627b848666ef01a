//! Request bodies of signing in with a profile.

use crate::sessions::{ClientIp, Token};
use crate::users::Username;
use kernel::input;
use kernel::input::{Line, Text};

input! {
    /// The begin of a sign-in.
    pub struct StartSignIn {
        /// The page to which the visitor comes back, exactly as `--sign-in-return-to` has it.
        return_to: Text<1, 2048>,
        /// The token of a session, to link the profile to its user instead of signing in.
        session_token: Option<Token>,
        /// The address of the visitor, for the rate limit. Without it, all people who sign in
        /// through this client share the limit.
        client_ip: Option<ClientIp>,
    }
}

input! {
    /// The answer of a provider, and the device of the sign-in.
    pub struct FinishSignIn {
        /// The whole query string with which the visitor came back.
        query: Text<1, 8192>,
        /// The token that the browser kept since the sign-in began.
        browser_token: Token,
        /// The name of the device.
        device_name: Line<1, 100>,
        /// The `User-Agent` of the browser or program.
        user_agent: Text<1, 512>,
        /// The address of the person who signs in, for the audit log.
        client_ip: Option<ClientIp>,
        /// The name of a new user. If it is taken, `-` and digits are appended. Without it, the name
        /// is `player-<id>`.
        username: Option<Username>,
        /// Whether to create a user for a profile that nobody signs in with; true by default.
        create: Option<bool>,
    }
}
