//! SQL as far as needed to distinguish statements: the principal type is [`Fingerprint`].
//!
//! [`fingerprint`] uses a lexer, not a grammar: truncated and invalid statements have fingerprints too. For literals
//! and comments see section 4.1 "Lexical Structure" of PostgreSQL's documentation, sections 11.1 "Literal Values" and
//! 11.7 "Comments" of MySQL's reference manual, and "SQL Language Expressions" of SQLite's.

mod fingerprint;
mod lexer;
mod normal;

pub use fingerprint::{Fingerprint, MAX_FINGERPRINT, MAX_TEXT, fingerprint, has_placeholder, without_values};

use crate::evidence::QueryProtocol;

/// The database system of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `"name"`, `$tag$text$tag$`, nested comments.
    Postgres,
    /// Also MariaDB: `` `name` ``, `"text"`, backslashes, `# comments`.
    Mysql,
    /// `"name"`, `[name]`, `@parameter`.
    Sqlite,
}

impl From<QueryProtocol> for Dialect {
    fn from(protocol: QueryProtocol) -> Self {
        match protocol {
            QueryProtocol::Postgres => Self::Postgres,
            QueryProtocol::Mysql => Self::Mysql,
            QueryProtocol::Sqlite => Self::Sqlite,
        }
    }
}

#[cfg(test)]
mod tests;
