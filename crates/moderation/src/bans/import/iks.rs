//! IksAdmin.

use std::borrow::Cow;
use std::collections::HashMap;

use dump::{Error, Row};

use super::super::resource::BanKind;
use super::found::{End, Found, Read, Removal, some_text, text};
use super::system::{BanTable, System};

pub struct Iks {
    first: [String; 1],
    tables: [BanTable; 2],
    names: HashMap<i64, String>,
}

impl Iks {
    pub fn new() -> Self {
        Self {
            first: ["iks_admins".to_owned()],
            tables: [
                BanTable::new("iks_bans".to_owned(), "bans", "id"),
                BanTable::new("iks_comms".to_owned(), "comms", "id"),
            ],
            names: HashMap::new(),
        }
    }

    fn name(&self, id: i64) -> Cow<'_, str> {
        match self.names.get(&id) {
            Some(name) => name.as_str().into(),
            None => format!("admin {id}").into(),
        }
    }
}

impl System for Iks {
    fn name(&self) -> &'static str {
        "iks"
    }

    fn first(&self) -> &[String] {
        &self.first
    }

    fn bans(&self) -> &[BanTable] {
        &self.tables
    }

    fn learn(&mut self, _: usize, row: &Row<'_>) -> Result<(), Error> {
        if let Some(id) = row.integer("id")? {
            self.names.insert(id, text(row, "name")?.to_owned());
        }
        Ok(())
    }

    fn read<'a>(&'a self, table: usize, row: &Row<'a>) -> Read<Found<'a>> {
        if row.integer("deleted_at")?.is_some() {
            return Ok(Err("it is deleted".into()));
        }
        let (kind, by_steam_id, by_address) = if table == 0 {
            match row.integer("ban_type")? {
                Some(0) => (BanKind::Ban, true, false),
                Some(1) => (BanKind::Ban, false, true),
                Some(2) => (BanKind::Ban, true, true),
                _ => return Ok(Err("the type is unknown".into())),
            }
        } else {
            match row.integer("mute_type")? {
                Some(0) => (BanKind::Mute, true, false),
                Some(1) => (BanKind::Gag, true, false),
                Some(2) => (BanKind::Silence, true, false),
                _ => return Ok(Err("the type is unknown".into())),
            }
        };
        let steam_id = match (by_steam_id, by_address) {
            (false, _) => None,
            (true, false) => Some(text(row, "steam_id")?),
            // One of both is enough.
            (true, true) => some_text(row, "steam_id")?,
        };
        let ip = match (by_address, by_steam_id) {
            (false, _) => None,
            (true, false) => Some(text(row, "ip")?),
            (true, true) => some_text(row, "ip")?,
        };
        let removal = match row.integer("unbanned_by")? {
            Some(by) => Some(Removal::Lifted {
                // Written when it was lifted; a lift has no time of its own.
                at: row.integer("updated_at")?,
                reason: text(row, "unban_reason")?.into(),
                by: self.name(by),
            }),
            None => None,
        };
        let issuer = match row.integer("admin_id")? {
            Some(id) => self.name(id),
            None => "CONSOLE".into(),
        };
        Ok(Ok(Found {
            kind,
            steam_id,
            ip,
            player_name: text(row, "name")?,
            reason: text(row, "reason")?,
            created: row.integer("created_at")?,
            end: match row.integer("end_at")? {
                None | Some(0) => End::Never,
                Some(end) => End::At(end),
            },
            server: row.integer("server_id")?,
            issuer,
            removal,
        }))
    }
}
