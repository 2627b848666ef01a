//! SourceBans and SourceBans++.

use std::borrow::Cow;
use std::collections::HashMap;

use dump::{Error, Row};

use super::super::resource::BanKind;
use super::found::{End, Found, Read, Removal, text};
use super::system::{BanTable, System};

/// The administrator 0 is the console of a server.
const CONSOLE: &str = "CONSOLE";

pub struct SourceBans {
    admins: [String; 1],
    tables: [BanTable; 2],
    names: HashMap<i64, String>,
}

impl SourceBans {
    pub fn new(prefix: &str) -> Self {
        let table = |name: &str| format!("{prefix}_{name}").to_lowercase();
        Self {
            admins: [table("admins")],
            tables: [
                BanTable::new(table("bans"), "bans", "bid"),
                BanTable::new(table("comms"), "comms", "bid"),
            ],
            names: HashMap::new(),
        }
    }

    fn name(&self, aid: Option<i64>) -> Cow<'_, str> {
        match aid {
            None | Some(0) => CONSOLE.into(),
            Some(aid) => match self.names.get(&aid) {
                Some(name) => name.as_str().into(),
                None => format!("admin {aid}").into(),
            },
        }
    }
}

impl System for SourceBans {
    fn name(&self) -> &'static str {
        "sourcebans"
    }

    fn first(&self) -> &[String] {
        &self.admins
    }

    fn bans(&self) -> &[BanTable] {
        &self.tables
    }

    fn learn(&mut self, _: usize, row: &Row<'_>) -> Result<(), Error> {
        if let Some(aid) = row.integer("aid")? {
            self.names.insert(aid, text(row, "user")?.to_owned());
        }
        Ok(())
    }

    fn read<'a>(&'a self, table: usize, row: &Row<'a>) -> Read<Found<'a>> {
        let kind = row.integer("type")?;
        let (kind, is_by_address) = match (table, kind) {
            (0, Some(0)) => (BanKind::Ban, false),
            (0, Some(1)) => (BanKind::Ban, true),
            (1, Some(1)) => (BanKind::Mute, false),
            (1, Some(2)) => (BanKind::Gag, false),
            _ => return Ok(Err("the type is unknown".into())),
        };
        let (steam_id, ip) = match is_by_address {
            true => (None, Some(text(row, "ip")?)),
            false => (Some(text(row, "authid")?), None),
        };
        let created = row.integer("created")?;
        // Seconds. Those of a session are negative, and their end has passed.
        let end = match (row.integer("length")?, row.integer("ends")?) {
            (None | Some(0), _) => End::Never,
            (Some(length), None | Some(0)) => {
                End::At(created.unwrap_or(0).saturating_add(length.max(0)))
            }
            (Some(_), Some(ends)) => End::At(ends),
        };
        let removal = match text(row, "RemoveType")? {
            "" => None,
            "E" => Some(Removal::Expired),
            // U: by a person. D: deleted.
            _ => Some(Removal::Lifted {
                at: row.integer("RemovedOn")?,
                reason: text(row, "ureason")?.into(),
                by: self.name(row.integer("RemovedBy")?),
            }),
        };
        Ok(Ok(Found {
            kind,
            steam_id,
            ip,
            player_name: text(row, "name")?,
            reason: text(row, "reason")?,
            created,
            end,
            // Where it was issued; the plugin does not ask where it holds.
            server: None,
            issuer: self.name(row.integer("aid")?),
            removal,
        }))
    }
}
