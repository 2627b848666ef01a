//! CS2-SimpleAdmin.

use std::borrow::Cow;
use std::collections::HashMap;

use dump::{Error, Row};

use super::super::resource::BanKind;
use super::found::{End, Found, Read, Removal, some_text, text};
use super::system::{BanTable, System};
use kernel::types::Day;
use kernel::types::time::{HOUR, MINUTE};

pub struct SimpleAdmin {
    first: [String; 3],
    tables: [BanTable; 2],
    admins: HashMap<i64, String>,
    /// Of the bans and of the mutes, by their ids.
    removals: [HashMap<i64, Lifted>; 2],
    /// Most removals have one of few reasons.
    reasons: Vec<Box<str>>,
    places: HashMap<Box<str>, u32>,
}

struct Lifted {
    at: Option<i64>,
    admin: i64,
    reason: u32,
}

impl SimpleAdmin {
    pub fn new() -> Self {
        Self {
            first: ["sa_admins", "sa_unbans", "sa_unmutes"].map(str::to_owned),
            tables: [
                BanTable::new("sa_bans".to_owned(), "bans", "id"),
                BanTable::new("sa_mutes".to_owned(), "mutes", "id"),
            ],
            admins: HashMap::new(),
            removals: [HashMap::new(), HashMap::new()],
            reasons: Vec::new(),
            places: HashMap::new(),
        }
    }

    fn keep_reason(&mut self, reason: &str) -> u32 {
        if let Some(place) = self.places.get(reason) {
            return *place;
        }
        let place = u32::try_from(self.reasons.len()).unwrap_or(u32::MAX);
        self.reasons.push(reason.into());
        self.places.insert(reason.into(), place);
        place
    }

    fn lifted(&self, table: usize, id: Option<i64>) -> Removal<'_> {
        let lifted = id.and_then(|id| self.removals[table].get(&id));
        let reason = lifted.and_then(|lifted| self.reasons.get(lifted.reason as usize));
        let by = match lifted.map(|lifted| (lifted.admin, self.admins.get(&lifted.admin))) {
            Some((_, Some(name))) => Cow::Borrowed(name.as_str()),
            None | Some((0, None)) => Cow::Borrowed("Console"),
            Some((admin, None)) => Cow::Owned(format!("admin {admin}")),
        };
        Removal::Lifted {
            at: lifted.and_then(|lifted| lifted.at),
            reason: reason.map(|reason| &**reason).unwrap_or_default().into(),
            by,
        }
    }
}

impl System for SimpleAdmin {
    fn name(&self) -> &'static str {
        "simpleadmin"
    }

    fn first(&self) -> &[String] {
        &self.first
    }

    fn bans(&self) -> &[BanTable] {
        &self.tables
    }

    fn needs_utc(&self) -> bool {
        true
    }

    fn learn(&mut self, table: usize, row: &Row<'_>) -> Result<(), Error> {
        if table == 0 {
            if let Some(id) = row.integer("id")? {
                self.admins.insert(id, text(row, "player_name")?.to_owned());
            }
            return Ok(());
        }
        let of = row.integer(["ban_id", "mute_id"][table - 1])?;
        let lifted = Lifted {
            at: moment(text(row, "date")?),
            admin: row.integer("admin_id")?.unwrap_or(0),
            reason: self.keep_reason(text(row, "reason")?),
        };
        if let Some(of) = of {
            self.removals[table - 1].insert(of, lifted);
        }
        Ok(())
    }

    fn read<'a>(&'a self, table: usize, row: &Row<'a>) -> Read<Found<'a>> {
        let kind = match table {
            0 => BanKind::Ban,
            _ => match text(row, "type")? {
                "MUTE" => BanKind::Mute,
                "GAG" => BanKind::Gag,
                "SILENCE" => BanKind::Silence,
                _ => return Ok(Err("the type is unknown".into())),
            },
        };
        let ip = match table {
            0 => some_text(row, "player_ip")?,
            _ => None,
        };
        let created = moment(text(row, "created")?);
        // Minutes.
        let duration = row.integer("duration")?.unwrap_or(0);
        let end = match (duration, moment(text(row, "ends")?)) {
            (0, _) => End::Never,
            (_, Some(ends)) => End::At(ends),
            (minutes, None) => {
                let seconds = minutes.max(0).saturating_mul(MINUTE);
                End::At(created.unwrap_or(0).saturating_add(seconds))
            }
        };
        let removal = match text(row, "status")? {
            "UNBANNED" | "UNMUTED" => Some(self.lifted(table, row.integer("id")?)),
            "EXPIRED" => Some(Removal::Expired),
            _ => None,
        };
        Ok(Ok(Found {
            kind,
            // 0 stands for none.
            steam_id: some_text(row, "player_steamid")?.filter(|id| *id != "0"),
            ip,
            player_name: text(row, "player_name")?,
            reason: text(row, "reason")?,
            created,
            end,
            server: row.integer("server_id")?,
            issuer: text(row, "admin_name")?.into(),
            removal,
        }))
    }
}

/// Parses a time such as `2026-03-01 12:00:00`, in UTC. A fraction is dropped; a zero date is none.
fn moment(text: &str) -> Option<i64> {
    let (day, time) = text.split_once(' ')?;
    let day = Day::parse(day)?;
    let time = time.split_once('.').map_or(time, |(time, _)| time);
    let mut parts = time.split(':').map(|part| {
        let is_plain = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<i64>().ok().filter(|_| is_plain)
    });
    let mut next = |limit| parts.next().flatten().filter(|part| *part < limit);
    let (hours, minutes, seconds) = (next(24)?, next(60)?, next(60)?);
    let seconds = hours * HOUR + minutes * MINUTE + seconds;
    parts
        .next()
        .is_none()
        .then(|| day.first_second().unix() + seconds)
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn a_moment_has_a_day_and_a_time_of_day() {
        assert_eq!(moment("1970-01-02 00:00:01"), Some(86_401));
        assert_eq!(moment("2026-03-01 12:34:56.789"), Some(1_772_368_496));
        for text in [
            "",
            "0000-00-00 00:00:00",
            "2026-02-30 00:00:00",
            "2026-03-01",
            "2026-03-01 24:00:00",
            "2026-03-01 00:00",
            "2026-03-01 00:00:00:00",
            "2026-03-01 0:00:00",
            "2026-03-01 +1:00:00",
        ] {
            assert_eq!(moment(text), None, "{text}");
        }
    }
}
