use db::{Result, Tx, Value};

use super::Member;
use kernel::types::case_fold::fold;

/// Reserves `count` consecutive ids for users to load, and returns the first.
pub async fn first_id(tx: &mut Tx, count: i64) -> Result<i64> {
    tx.reserve_ids("users", count).await
}

pub async fn users(tx: &mut Tx, members: &[Member]) -> Result<()> {
    let folded: Vec<(String, String)> = members
        .iter()
        .map(|Member { user, .. }| (fold(&user.username), fold(&user.email)))
        .collect();
    let columns = [
        "id",
        "username",
        "email",
        "username_folded",
        "email_folded",
        "password_hash",
        "status",
        "blocked_until",
        "created_at",
        "updated_at",
    ];
    let rows = members.iter().zip(&folded);
    let rows = rows.map(|(member, (username, email))| {
        let user = &member.user;
        [
            user.id.into(),
            Value::from(&user.username),
            Value::from(&user.email),
            username.into(),
            email.into(),
            user.password_hash.reveal().into(),
            Value::from(&user.status),
            member.blocked_until().into(),
            user.created_at.into(),
            user.updated_at.into(),
        ]
    });
    tx.load("users", columns, rows).await
}

pub async fn blocks(tx: &mut Tx, members: &[Member]) -> Result<()> {
    let columns = [
        "user_id",
        "reason",
        "until",
        "blocked_at",
        "lifted_at",
        "by_key",
        "by_user",
        "by_name",
    ];
    let rows = members.iter().flat_map(|Member { user, blocks, .. }| {
        blocks.iter().map(|block| {
            [
                user.id.into(),
                Value::from(&block.terms.reason),
                block.terms.until.into(),
                block.at.into(),
                block.lifted_at.into(),
                block.by.key_id.into(),
                block.by.user_id.into(),
                Value::from(&block.by.name),
            ]
        })
    });
    tx.load("user_blocks", columns, rows).await
}

pub async fn social_links(tx: &mut Tx, members: &[Member]) -> Result<()> {
    let columns = ["user_id", "network_id", "profile_url"];
    let rows = members.iter().flat_map(|member| {
        let user = &member.user;
        member.social_networks.iter().map(|link| {
            [
                user.id.into(),
                link.network_id.into(),
                Value::from(&link.profile_url),
            ]
        })
    });
    tx.load("user_social_links", columns, rows).await
}

pub async fn devices(tx: &mut Tx, members: &[Member]) -> Result<()> {
    let columns = ["user_id", "name", "user_agent", "last_active"];
    let rows = members.iter().flat_map(|member| {
        let user = &member.user;
        member.devices.iter().map(|device| {
            [
                user.id.into(),
                Value::from(&device.name),
                Value::from(&device.user_agent),
                device.last_active.into(),
            ]
        })
    });
    tx.load("user_devices", columns, rows).await
}
