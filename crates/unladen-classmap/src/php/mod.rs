//! PHP's syntax, as far as it matters here: a file's declarations and constant expressions.

pub mod constant;
mod effects;
mod scan;
pub(crate) mod skip;
pub(crate) mod string;
pub(crate) mod token;

pub use effects::only_declares;
pub use scan::{Scan, scan};

use bstr::BString;

/// A class, or anything else that PHP autoloads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// Qualified name without a leading `\`, as written: PHP ignores ASCII case in names.
    pub name: BString,
    pub kind: Kind,
    /// The keyword's line, from 1.
    pub line: u32,
}

/// The kind of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Kind {
    Class,
    Interface,
    Trait,
    Enum,
    /// `class_alias('A', 'B')` gives A the further name B.
    #[strum(serialize = "class_alias")]
    Alias,
}
