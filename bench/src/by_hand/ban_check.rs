//! How a player is found among the bans.

use std::net::IpAddr;

use axum::http::StatusCode;

use crate::store::{Failure, Player, Result};

/// The SteamID64 of the account 0.
const FIRST_STEAM_ID: i64 = 76_561_197_960_265_728;

/// Parses the query string: a SteamID64, an address, or both.
pub fn player(query: &str) -> Result<Player> {
    let mut player = Player {
        account: None,
        network: None,
        bits: None,
    };
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "steam_id64" => {
                let id: i64 = value.parse().map_err(|_| INVALID)?;
                player.account = Some(id - FIRST_STEAM_ID);
            }
            "ip" => {
                let (bits, shortest) = bits(value.parse().map_err(|_| INVALID)?);
                player.network = Some(bits[..=shortest].to_owned());
                player.bits = Some(bits);
            }
            _ => return Err(INVALID),
        }
    }
    match player.account.is_some() || player.bits.is_some() {
        true => Ok(player),
        false => Err(INVALID),
    }
}

const INVALID: Failure = Failure(StatusCode::UNPROCESSABLE_ENTITY);

/// The version of IP and the bits of an address, and the shortest prefix that can be banned.
fn bits(address: IpAddr) -> (String, usize) {
    match address.to_canonical() {
        IpAddr::V4(address) => (format!("4{:032b}", address.to_bits()), 16),
        IpAddr::V6(address) => (format!("6{:0128b}", address.to_bits()), 32),
    }
}
