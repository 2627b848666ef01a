//! Discord: roles of the members of a Discord server follow the roles of users.

pub mod guild;
