//! What a file declares.

use bstr::BString;

/// A class, or what PHP loads in the same way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// Its whole name, with its namespace, without a `\` in front; as it is written: PHP compares names without regard
    /// to ASCII case.
    pub name: BString,
    pub kind: Kind,
    /// The line of the keyword, from 1.
    pub line: u32,
}

/// What is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `class`
    Class,
    /// `interface`
    Interface,
    /// `trait`
    Trait,
    /// `enum`
    Enum,
    /// A further name of a class: `class_alias('A', 'B')` gives A the name B.
    Alias,
}

impl Kind {
    /// The word for it, as in PHP.
    pub fn word(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Enum => "enum",
            Self::Alias => "class_alias",
        }
    }
}
