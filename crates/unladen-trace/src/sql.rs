//! SQL as far as it is needed to tell statements apart: the principal type is [`Fingerprint`].
//!
//! [`fingerprint`] is made by a lexer, not by a grammar: whatever is sent, cut off or wrong, has a fingerprint. What
//! counts as a literal and as a comment is told by section 4.1 "Lexical Structure" of PostgreSQL's documentation,
//! section 11.1 "Literal Values" and 11.7 "Comments" of MySQL's reference manual, and "SQL Language Expressions" of
//! SQLite's.

mod fingerprint;
mod keywords;
mod lexer;
mod normal;
mod piece;
mod placeholder;
mod statement;
#[cfg(test)]
mod tests;

pub use fingerprint::{Fingerprint, MAX_FINGERPRINT, MAX_TEXT, fingerprint};
pub use placeholder::{has_placeholder, without_values};
pub use statement::StatementKind;

use crate::evidence::QueryProtocol;

/// Whose SQL it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// PostgreSQL: `"name"`, `$tag$text$tag$`, nested comments.
    Postgres,
    /// MySQL and MariaDB: `` `name` ``, `"text"`, backslashes, `# comments`.
    Mysql,
    /// SQLite: `"name"`, `[name]`, `@parameter`.
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
