//! Game servers: addresses, live status, history and remote console.

pub mod command_template;
pub mod servers;
