use db::{Conn, params};

use super::{Fault, Faults};
use crate::{Error, Result};

/// A value that no two rows share. Its slice declares it once, for the write that violates the
/// constraint and for the check that finds all faults of a request.
#[derive(Clone, Copy, Debug)]
pub struct Unique {
    pub field: &'static str,
    pub constraint: &'static str,
    /// Selects the id of the row with the value `$1`.
    pub select_id: &'static str,
}

impl Unique {
    pub async fn id_of(&self, conn: &mut Conn, value: &str) -> db::Result<Option<i64>> {
        conn.query_opt(self.select_id, params![value], |row| row.get(0))
            .await
    }

    /// A fault if a row other than `id` has this value.
    pub async fn check(&self, conn: &mut Conn, id: i64, value: Option<String>) -> Result<Faults> {
        let mut faults = Faults::default();
        if let Some(value) = value {
            let holder = self.id_of(conn, &value).await?;
            if holder.is_some_and(|holder| holder != id) {
                faults.at(self.field).add(Fault::Taken {});
            }
        }
        Ok(faults)
    }
}

/// Turns a violation of one of these constraints into a fault of its field.
pub fn taken(unique: &'static [Unique]) -> impl Fn(db::Error) -> Error {
    move |error: db::Error| match &error {
        db::Error::Unique(name) => match unique.iter().find(|rule| rule.constraint == name) {
            Some(rule) => Faults::one(rule.field, Fault::Taken {}).into(),
            None => error.into(),
        },
        _ => error.into(),
    }
}
