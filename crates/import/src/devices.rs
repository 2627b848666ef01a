//! Devices of users: the newest of each.

use std::collections::HashSet;

use accounts::users::devices::Device;
use accounts::users::imported;
use futures_util::future::LocalBoxFuture;
use kernel::Result;
use kernel::input::is_blank;
use kernel::types::Timestamp;
use kernel::write::Edit;

use crate::parts::{user_is_absent, users_by_id};
use crate::pass::Stage;
use crate::record::{Kept, Moment, Record};
use crate::report::Output;
use crate::text::{cut, line};

const TABLE: &str = "user_devices";
/// How many devices of a user are taken over.
const MOST_DEVICES: i64 = 100;
const MOST_NAME: usize = 100;
const MOST_USER_AGENT: usize = 512;
const UNKNOWN: &str = "unknown";

pub struct Devices {
    now: Timestamp,
    batch: Vec<(Kept, i64, Device, Vec<String>)>,
}

impl Devices {
    pub fn new(now: Timestamp) -> Self {
        Self {
            now,
            batch: Vec::new(),
        }
    }

    async fn write_batch(&mut self, edit: &mut Edit, output: &mut Output<'_>) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        let users = users_by_id(edit, batch.iter().map(|(_, user_id, ..)| *user_id)).await?;
        let mut devices = Vec::with_capacity(batch.len());
        for (kept, user_id, device, changes) in batch {
            match users.contains_key(&user_id) {
                false => output.leave_out(TABLE, &kept, &user_is_absent(user_id))?,
                true => {
                    output.write(TABLE, kept.id, &changes)?;
                    devices.push((user_id, device));
                }
            }
        }
        imported::load_devices(edit, &devices).await?;
        Ok(())
    }
}

impl Stage for Devices {
    fn table(&self) -> &'static str {
        TABLE
    }

    fn take(&mut self, record: Record<'_>, _: &mut Output<'_>) -> Result<usize> {
        let kept = record.keep()?;
        let mut changes = Vec::new();
        let created_at = record.moment("created_at")?;
        let created_at = created_at.or("created_at", self.now, &mut changes);
        let last_active = match record.moment("last_used_at")? {
            Moment::Null => created_at,
            other => other.or("last_used_at", created_at, &mut changes),
        };
        let details = record.string("device_details")?;
        let mut user_agent = cut(details, MOST_USER_AGENT, "the user agent", &mut changes);
        if user_agent.chars().all(is_blank) {
            changes.push(format!("the user agent is empty, so it is {UNKNOWN}"));
            user_agent = UNKNOWN.to_owned();
        }
        // A name that a person chose does not exist there.
        let name = line(
            &user_agent,
            MOST_NAME,
            || UNKNOWN.to_owned(),
            "",
            &mut Vec::new(),
        );
        let device = Device {
            id: kept.id,
            name,
            user_agent,
            last_active,
        };
        let user_id = record.required("user_id")?;
        self.batch.push((kept, user_id, device, changes));
        Ok(record.size())
    }

    fn write<'a>(
        &'a mut self,
        edit: &'a mut Edit,
        output: &'a mut Output<'_>,
    ) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(self.write_batch(edit, output))
    }
}

/// Deletes the devices beyond the limit. Returns whether there were any.
pub async fn drop_old(edit: &mut Edit, output: &mut Output<'_>) -> Result<bool> {
    let dropped = imported::drop_old_devices(edit, MOST_DEVICES).await?;
    output.counts(TABLE).written -= dropped;
    Ok(dropped > 0)
}

/// Reports the devices that were deleted again: only another pass has their rows.
#[derive(Default)]
pub struct OldDevices {
    batch: Vec<(Kept, i64)>,
}

impl OldDevices {
    async fn write_batch(&mut self, edit: &mut Edit, output: &mut Output<'_>) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        let users = users_by_id(edit, batch.iter().map(|(_, user_id)| *user_id)).await?;
        let ids: Vec<i64> = batch.iter().map(|(kept, _)| kept.id).collect();
        let written = imported::device_ids(edit, &ids).await?;
        let written: HashSet<i64> = written.into_iter().collect();
        for (kept, user_id) in batch {
            if users.contains_key(&user_id) && !written.contains(&kept.id) {
                let reason = format!("it is not one of the {MOST_DEVICES} newest of the user");
                output.leave_out(TABLE, &kept, &reason)?;
            }
        }
        Ok(())
    }
}

impl Stage for OldDevices {
    fn table(&self) -> &'static str {
        TABLE
    }

    fn take(&mut self, record: Record<'_>, _: &mut Output<'_>) -> Result<usize> {
        let kept = record.keep()?;
        let size = kept.size();
        self.batch.push((kept, record.required("user_id")?));
        Ok(size)
    }

    fn write<'a>(
        &'a mut self,
        edit: &'a mut Edit,
        output: &'a mut Output<'_>,
    ) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(self.write_batch(edit, output))
    }
}
