use db::{Conn, Result, Row, params};

use super::user;
use crate::timestamp::Timestamp;
use crate::users::devices::Device;
use crate::users::social::SocialLink;
use crate::users::{HeldRole, User};

/// A user and what hangs on them, in one statement, since each has its price. The last column
/// says what a row is about.
const SELECT: &str = "
    SELECT u.id, u.username, u.email, u.password_hash, u.status, u.created_at, u.updated_at,
           b.reason, b.until, 0
    FROM users u LEFT JOIN user_blocks b ON b.user_id = u.id AND b.lifted_at IS NULL
    WHERE u.id = $1
    UNION ALL
    SELECT r.id, r.name, r.description, NULL, NULL, NULL, NULL, NULL, NULL, 1
    FROM user_roles h JOIN roles r ON r.id = h.role_id WHERE h.user_id = $1
    UNION ALL
    SELECT l.id, n.name, l.profile_url, NULL, NULL, n.id, NULL, NULL, NULL, 2
    FROM user_social_links l JOIN social_networks n ON n.id = l.network_id WHERE l.user_id = $1
    UNION ALL
    SELECT d.id, d.name, d.user_agent, NULL, NULL, d.last_active, NULL, NULL, NULL, 3
    FROM user_devices d WHERE d.user_id = $1";

enum Part {
    User(Box<User>),
    Role(HeldRole),
    Link(SocialLink),
    Device(Device),
}

pub async fn find(conn: &mut Conn, now: Timestamp, id: i64) -> Result<Option<User>> {
    let mut found = None;
    let (mut roles, mut links, mut devices) = (Vec::new(), Vec::new(), Vec::new());
    for part in conn
        .query(SELECT, params![id], |row| part(row, now))
        .await?
    {
        match part {
            Part::User(user) => found = Some(user),
            Part::Role(role) => roles.push(role),
            Part::Link(link) => links.push(link),
            Part::Device(device) => devices.push(device),
        }
    }
    roles.sort_unstable_by_key(|role| role.id);
    links.sort_unstable_by_key(|link| link.id);
    devices.sort_unstable_by_key(|device| device.id);
    Ok(found.map(|user| User {
        roles,
        social_networks: links,
        devices,
        ..*user
    }))
}

fn part(row: &Row<'_>, now: Timestamp) -> Result<Part> {
    Ok(match row.get::<i32>(9)? {
        0 => Part::User(Box::new(user(row, now)?)),
        1 => Part::Role(HeldRole {
            id: row.get(0)?,
            name: row.get(1)?,
            description: row.get(2)?,
        }),
        2 => Part::Link(SocialLink {
            id: row.get(0)?,
            network: row.get(1)?,
            profile_url: row.get(2)?,
            network_id: row.get(5)?,
        }),
        _ => Part::Device(Device {
            id: row.get(0)?,
            name: row.get(1)?,
            user_agent: row.get(2)?,
            last_active: Timestamp::from_unix(row.get(5)?),
        }),
    })
}
