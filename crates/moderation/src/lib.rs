//! Moderation: bans and mutes of players on game servers.

pub mod bans;
