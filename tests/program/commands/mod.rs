//! The commands of the program.

mod check;
mod demo;
mod help;
mod key;
mod secret_rotate;
mod server;
