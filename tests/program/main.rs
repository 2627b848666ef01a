//! The program as its users run it: started, called, killed, asked for help.

mod admin_key;
mod commands;
mod durability;
mod exports;
mod key_secrecy;
mod logs;
mod mixed_load;
mod options;
mod readme_example;
mod refused_starts;
mod slow_clients;
mod stalled_log;
mod start;
mod stop;
mod support;
