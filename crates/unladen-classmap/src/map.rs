//! The result: the principal type is [`Map`].

use std::path::PathBuf;

use bstr::BString;

use crate::Problem;
use crate::php::Kind;

/// How the class of a map that was written as PHP begins: it is none of the application's.
pub(crate) const OWN_CLASS: &str = "UnladenClassmap_";

/// Each class that the loaders would find, and the one file they would find it in.
#[derive(Debug, Default)]
pub struct Map {
    /// In the order of the names' bytes; no two have names that differ in case alone.
    pub entries: Vec<Entry>,
    /// Classes that more than one file declares, in the order of their names.
    pub duplicates: Vec<Duplicate>,
    /// Classes that are not in the file where their namespace's folder promises them, in the order of their names.
    pub violations: Vec<Violation>,
    /// What could not be read, and what leads nowhere.
    pub problems: Vec<Problem>,
}

/// A class and its file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its name, as declared, without a `\` in front.
    pub class: BString,
    /// Its file, absolute.
    pub path: BString,
    pub kind: Kind,
}

/// A class that several files declare.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duplicate {
    /// Its name.
    pub class: BString,
    /// The file that the loaders find; nothing if they find none of them, or if which of them cannot be told from
    /// outside.
    pub wins: Option<BString>,
    pub why: String,
    /// The other files, in the order of their paths.
    pub others: Vec<BString>,
}

/// A class that is not where its namespace's folder promises it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Its name.
    pub class: BString,
    /// The file that declares it.
    pub path: BString,
    /// Where a loader would look.
    pub expected: PathBuf,
}
