//! The program as its users meet it: started, called, killed, asked for help.

mod admin_key;
mod check;
mod help;
mod keys;
mod options;
mod refused_starts;
mod start;
mod stop;
mod support;
