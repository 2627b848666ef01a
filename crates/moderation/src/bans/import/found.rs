//! A row of another program, and the ban that it becomes. The rules here are those of all programs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use dump::{Error, Row};

use super::super::ip_range::IpRange;
use super::super::resource::{Ban, BanKind, Lift, Source, Subject};
use kernel::input::is_blank;
use kernel::types::time::DAY;
use kernel::types::{Expiry, SteamId, Timestamp};
use platform::audit::events::StoredActor;

const MAX_NAME: usize = 100;
const MAX_REASON: usize = 500;
/// How long a ban by address lasts that has no end.
const ADDRESS_SECONDS: i64 = 365 * DAY;
/// In place of a reason that the other program does not require.
const NO_REASON: &str = "No reason given.";

/// A ban as the other program has it.
pub struct Found<'a> {
    pub kind: BanKind,
    /// Whom the ban is about. `None` if it is not by SteamID, or not by address.
    pub steam_id: Option<&'a str>,
    pub ip: Option<&'a str>,
    pub player_name: &'a str,
    pub reason: &'a str,
    /// In Unix seconds; `None` if the time is unknown or impossible.
    pub created: Option<i64>,
    pub end: End,
    /// The server that the ban is bound to.
    pub server: Option<i64>,
    pub issuer: Cow<'a, str>,
    pub removal: Option<Removal<'a>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Never,
    At(i64),
}

/// Why a ban no longer holds.
pub enum Removal<'a> {
    /// Its time is over, whatever its end says.
    Expired,
    Lifted {
        at: Option<i64>,
        reason: Cow<'a, str>,
        by: Cow<'a, str>,
    },
}

/// Choices that hold for all rows.
pub struct Rules<'a> {
    pub now: Timestamp,
    pub system: &'static str,
    /// The servers of Steward by their ids in the other program; `None` if bans hold on all servers.
    pub servers: Option<&'a BTreeMap<i64, i64>>,
}

/// Why a row is left out.
pub type LeftOut = Cow<'static, str>;
/// A row as a ban, or why it is left out; the outer error is one of the dump.
pub type Read<T> = Result<Result<T, LeftOut>, Error>;

/// A ban, and what differs from the row.
pub struct Draft {
    pub ban: Ban,
    pub changes: Vec<&'static str>,
}

/// A text, or nothing in place of `NULL`.
pub fn text<'a>(row: &Row<'a>, column: &str) -> Result<&'a str, Error> {
    Ok(row.text(column)?.unwrap_or_default())
}

/// A text that is not empty.
pub fn some_text<'a>(row: &Row<'a>, column: &str) -> Result<Option<&'a str>, Error> {
    let text = row.text(column)?.map(str::trim);
    Ok(text.filter(|text| !text.is_empty()))
}

impl Rules<'_> {
    /// `source_id` is unique among all bans of the program.
    pub fn apply(&self, found: Found<'_>, source_id: String) -> Result<Draft, LeftOut> {
        let mut changes = Vec::new();
        let subject = subject(found.steam_id, found.ip, &mut changes)?;
        let server_ids = self.server_ids(found.server)?;
        let created_at = match found.created.map(|at| self.past(at)) {
            Some(Some(at)) => at,
            _ => {
                changes.push("the time of creation is missing or impossible, so it is now");
                self.now
            }
        };
        let lifted = match &found.removal {
            Some(Removal::Lifted { at, reason, by }) => {
                let at = at.and_then(|at| self.past(at)).unwrap_or_else(|| {
                    changes.push(
                        "the time of removal is missing or impossible, so it is that of creation",
                    );
                    created_at
                });
                Some(Lift {
                    at,
                    reason: cut(
                        reason,
                        MAX_REASON,
                        "the reason of the removal is cut to 500 characters",
                        &mut changes,
                    ),
                    by: person(by),
                })
            }
            _ => None,
        };
        let is_over = matches!(found.removal, Some(Removal::Expired));
        let expires_at = self.end(found.end, &subject, is_over, &mut changes);
        let mut reason = cut(
            found.reason,
            MAX_REASON,
            "the reason is cut to 500 characters",
            &mut changes,
        );
        if reason.chars().all(is_blank) {
            changes.push("there is no reason, so it says that none was given");
            reason = NO_REASON.to_owned();
        }
        Ok(Draft {
            ban: Ban {
                id: 0,
                kind: found.kind,
                subject,
                player_name: name(found.player_name, &mut changes),
                server_ids,
                reason,
                note: String::new(),
                evidence: Vec::new(),
                created_at,
                expires_at,
                issued_by: person(&found.issuer),
                lifted,
                source: Some(Source {
                    system: self.system.to_owned(),
                    id: source_id,
                }),
            },
            changes,
        })
    }

    fn server_ids(&self, server: Option<i64>) -> Result<Vec<i64>, LeftOut> {
        let (Some(servers), Some(server)) = (self.servers, server) else {
            return Ok(Vec::new());
        };
        match servers.get(&server) {
            Some(id) => Ok(vec![*id]),
            None => Err(format!("--server does not name server {server}").into()),
        }
    }

    /// A time that has been; a clock may have been a little ahead.
    fn past(&self, at: i64) -> Option<Timestamp> {
        let latest = self.now.unix().saturating_add(DAY);
        (1..=latest)
            .contains(&at)
            .then(|| Timestamp::from_unix(at.min(self.now.unix())))
    }

    fn end(
        &self,
        end: End,
        subject: &Subject,
        is_over: bool,
        changes: &mut Vec<&'static str>,
    ) -> Expiry {
        let mut end = match end {
            End::Never => Expiry::NEVER,
            End::At(at) => Expiry::at(Some(Timestamp::from_unix(at.max(0)))),
        };
        if end.is_too_far(self.now) {
            changes.push("the end is more than 100 years ahead, so there is none");
            end = Expiry::NEVER;
        }
        if is_over && !end.has_passed(self.now) {
            changes.push("it had expired before its end, so it ends now");
            return Expiry::at(Some(self.now));
        }
        if end == Expiry::NEVER && subject.is_address_alone() {
            changes.push("a ban by address must end, so it ends a year after the import");
            let end = self.now.unix().saturating_add(ADDRESS_SECONDS);
            return Expiry::at(Some(Timestamp::from_unix(end)));
        }
        end
    }
}

fn subject(
    steam_id: Option<&str>,
    ip: Option<&str>,
    changes: &mut Vec<&'static str>,
) -> Result<Subject, LeftOut> {
    let steam_id = match steam_id {
        Some(text) => Some(parse_steam_id(text).ok_or("the SteamID is invalid")?),
        None => None,
    };
    let ip_range = match ip.map(|text| IpRange::parse(text.trim())) {
        Some(None) if steam_id.is_none() => return Err("the address is invalid".into()),
        Some(None) => {
            changes.push("the address is invalid, so only the SteamID is banned");
            None
        }
        range => range.flatten(),
    };
    let subject = Subject {
        steam_id,
        ip_range,
        user_id: None,
    };
    match subject.is_empty() {
        true => Err("it has neither a SteamID nor an address".into()),
        false => Ok(subject),
    }
}

fn parse_steam_id(text: &str) -> Option<SteamId> {
    let text = text.trim();
    SteamId::parse(text).or_else(|| SteamId::parse(&text.to_ascii_uppercase()))
}

/// A person of the other program, who is unknown here.
fn person(name: &str) -> StoredActor {
    StoredActor {
        key_id: None,
        user_id: None,
        name: name
            .chars()
            .filter(|c| !c.is_control())
            .take(MAX_NAME)
            .collect(),
    }
}

fn name(text: &str, changes: &mut Vec<&'static str>) -> String {
    let name = match text.contains(char::is_control) {
        true => {
            changes.push("the name had control characters");
            Cow::Owned(text.replace(char::is_control, ""))
        }
        false => Cow::Borrowed(text),
    };
    cut(
        &name,
        MAX_NAME,
        "the name is cut to 100 characters",
        changes,
    )
}

/// A text of at most `limit` characters, none of which is NUL.
fn cut(text: &str, limit: usize, change: &'static str, changes: &mut Vec<&'static str>) -> String {
    let text = match text.contains('\0') {
        true => Cow::Owned(text.replace('\0', "")),
        false => Cow::Borrowed(text),
    };
    match text.char_indices().nth(limit) {
        Some((end, _)) => {
            changes.push(change);
            text[..end].to_owned()
        }
        None => text.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn rules() -> Rules<'static> {
        Rules {
            now: Timestamp::from_unix(NOW),
            system: "sourcebans",
            servers: None,
        }
    }

    fn found() -> Found<'static> {
        Found {
            kind: BanKind::Ban,
            steam_id: Some("STEAM_0:0:1"),
            ip: None,
            player_name: "Eli",
            reason: "Cheating",
            created: Some(NOW - 100),
            end: End::Never,
            server: None,
            issuer: "gordon".into(),
            removal: None,
        }
    }

    fn applied(found: Found<'_>) -> Draft {
        rules().apply(found, "bans:1".to_owned()).expect("a ban")
    }

    #[test]
    fn a_time_is_that_of_the_row_unless_it_is_impossible() {
        for (created, stored) in [
            (Some(NOW - 100), NOW - 100),
            (Some(1), 1),
            // A clock that is a little ahead.
            (Some(NOW + 60), NOW),
            (Some(NOW + 2 * DAY), NOW),
            (Some(0), NOW),
            (Some(i64::MIN), NOW),
            (Some(i64::MAX), NOW),
            (None, NOW),
        ] {
            let draft = applied(Found { created, ..found() });
            assert_eq!(draft.ban.created_at.unix(), stored, "{created:?}");
        }
    }

    #[test]
    fn an_end_is_kept_unless_it_cannot_be() {
        let by_address = |end| Found {
            steam_id: None,
            ip: Some("192.0.2.1"),
            end,
            ..found()
        };
        let year = NOW + ADDRESS_SECONDS;
        let expired = Some(Removal::Expired);
        for (found, end) in [
            (found(), i64::MAX),
            (
                Found {
                    end: End::At(NOW + 9),
                    ..found()
                },
                NOW + 9,
            ),
            (
                Found {
                    end: End::At(-9),
                    ..found()
                },
                0,
            ),
            (
                Found {
                    end: End::At(i64::MAX - 1),
                    ..found()
                },
                i64::MAX,
            ),
            (by_address(End::Never), year),
            (by_address(End::At(i64::MAX - 1)), year),
            (by_address(End::At(2 * year - NOW)), 2 * year - NOW),
            (
                Found {
                    removal: expired,
                    ..found()
                },
                NOW,
            ),
            (
                Found {
                    removal: Some(Removal::Expired),
                    end: End::At(NOW - 9),
                    ..found()
                },
                NOW - 9,
            ),
        ] {
            assert_eq!(applied(found).ban.expires_at.unix(), end);
        }
    }

    #[test]
    fn texts_are_cut_to_their_limits_and_lose_what_cannot_be_stored() {
        let (long, name) = ("ж".repeat(501), "\u{1b}[31m".repeat(30));
        let draft = applied(Found {
            reason: &long,
            player_name: &name,
            issuer: "g\0o\n".into(),
            ..found()
        });
        assert_eq!(draft.ban.reason.chars().count(), 500);
        assert_eq!(draft.ban.player_name.chars().count(), 100);
        assert!(!draft.ban.player_name.contains(char::is_control));
        assert_eq!(draft.ban.issued_by.name, "go");
        assert_eq!(draft.changes.len(), 3);
        let draft = applied(Found {
            reason: " \u{a0}\n",
            ..found()
        });
        assert_eq!(draft.ban.reason, NO_REASON);
    }
}
