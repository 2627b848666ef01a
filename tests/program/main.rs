//! The program as its users run it: started, called, killed, asked for help.

mod admin_key;
mod backups;
mod commands;
mod console;
mod database_wait;
mod durability;
mod exports;
mod failover;
mod full_disk;
mod key_secrecy;
mod logs;
mod mixed_load;
mod open_files;
mod options;
mod readme_example;
mod refused_starts;
mod rolling_restart;
mod secret_options;
mod slow_clients;
mod stalled_log;
mod start;
mod stop;
mod support;
mod tls;
mod torture;
mod webhooks;
