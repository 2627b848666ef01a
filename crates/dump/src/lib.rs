//! Reads the rows of a dump of MySQL or MariaDB, as mysqldump, mariadb-dump and phpMyAdmin write it.
//!
//! This crate is independent of the service. It executes nothing, and treats a dump as untrusted
//! input:
//!
//! - Rows are read one at a time. Memory is limited by the largest row, not by the dump.
//! - Every value, name, statement and list has a limit. Nothing is recursive.
//! - Numbers stay the text that the dump has, and strings stay bytes until they are decoded.
//! - What could be misread is an error: an expression, another character set, a missing end.
//!
//! ```
//! # fn main() -> Result<(), dump::Error> {
//! # let file = "CREATE TABLE `sb_bans` (`bid` int NOT NULL, `name` varchar(128));
//! # INSERT INTO `sb_bans` VALUES (1,'it\\'s');\n-- Dump completed".as_bytes();
//! let mut reader = dump::Reader::new(file)?.only(|table| table == "sb_bans");
//! while let Some(item) = reader.next()? {
//!     if let dump::Item::Row(row) = item {
//!         println!("{:?}: {:?}", row.integer("bid")?, row.text("name")?);
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod compression;
mod error;
mod insert;
mod lexer;
mod literal;
mod reader;
mod row;
mod settings;
mod source;
mod table;

pub use error::{Error, Problem};
pub use reader::{Item, Reader};
pub use row::{Row, Value};
pub use table::{Column, Table};

/// Bytes of one value, decoded.
pub const MAX_VALUE: usize = 16 << 20;
/// Bytes of one statement, as written. The buffer of the input may exceed it a little.
pub const MAX_STATEMENT: u64 = 64 << 20;
/// Columns of one table: the limit of MySQL.
pub const MAX_COLUMNS: usize = 4096;
/// Bytes of one name. MySQL allows 64 characters.
pub const MAX_NAME: usize = 256;
/// Tables that are read.
pub const MAX_TABLES: usize = 4096;
/// Bytes of the names and types of all columns of the tables that are read.
pub const MAX_DEFINITIONS: usize = 64 << 20;
