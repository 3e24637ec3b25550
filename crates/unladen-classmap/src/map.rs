//! The result: the principal type is [`Map`].

use std::path::PathBuf;

use bstr::BString;

use crate::Problem;
use crate::php::Kind;

/// Prefix of the class in a map written as PHP: it does not belong to the application.
pub(crate) const OWN_CLASS: &str = "UnladenClassmap_";

/// Each class that the loaders would find, and its file.
#[derive(Debug, Default)]
pub struct Map {
    /// By name, bytewise; no two names differ in case alone.
    pub entries: Vec<Entry>,
    pub duplicates: Vec<Duplicate>,
    /// Classes not in the file where their namespace's folder promises them, by name.
    pub violations: Vec<Violation>,
    pub problems: Vec<Problem>,
}

/// A class and its file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Name as declared, without a leading `\`.
    pub class: BString,
    pub path: BString,
    pub kind: Kind,
}

/// A class that several files declare.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duplicate {
    pub class: BString,
    /// The file that the loaders find; `None` if they find none, or if it cannot be told which.
    pub wins: Option<BString>,
    pub why: String,
    pub others: Vec<BString>,
}

/// A class that is not where its namespace's folder promises it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    pub class: BString,
    pub path: BString,
    pub expected: PathBuf,
}
