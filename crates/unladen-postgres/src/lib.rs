//! A PostgreSQL server's address and TLS settings, shared by all clients of one.
//!
//! The principal type is [`PostgresAddress`]: parsed from a libpq URL.
//!
//! ```
//! use unladen_postgres::PostgresAddress;
//!
//! let address = PostgresAddress::parse("postgres://asker:hush@127.0.0.1:6432/wiki")?;
//! assert_eq!(address.shown, "127.0.0.1");
//! # Ok::<(), unladen_postgres::AddressError>(())
//! ```
#![forbid(unsafe_code)]

mod address;

pub use address::{AddressError, Carrier, PostgresAddress, with_one_host};
