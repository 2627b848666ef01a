//! The commands of the program.

mod backup;
mod check;
mod closed_pipe;
mod copies;
mod demo;
mod help;
mod key;
mod operator;
mod secret_reset;
mod secret_rotate;
mod server;
