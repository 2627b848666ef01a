//! The commands of the program.

mod backup;
mod check;
mod closed_pipe;
mod completions;
mod copies;
mod demo;
mod health;
mod help;
mod import_bans;
mod import_flute;
mod key;
mod man;
mod migrate;
mod operator;
mod secret_reset;
mod secret_rotate;
mod server;
mod user;
