//! Accounts: users, their roles and sessions, the operators of the console.

pub mod console;
pub mod operators;
pub mod passwords;
pub mod roles;
pub mod sessions;
pub mod sign_in;
pub mod social_networks;
pub mod users;
