//! The program as its users meet it: started, called, killed, asked for help.

mod admin_key;
mod check;
mod community;
mod demo;
mod durability;
mod exports;
mod help;
mod keys;
mod logs;
mod mixed_load;
mod options;
mod refused_starts;
mod rotate;
mod secrets;
mod servers;
mod slow_clients;
mod stalled_log;
mod start;
mod stop;
mod support;
