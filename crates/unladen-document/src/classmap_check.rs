//! The principal type is [`ClassmapCheckDocument`], `unladen.classmap-check/1`.

use serde::{Deserialize, Serialize};

use crate::about::About;

/// Output of `unladen classmap --check --json`. Paths below `root` are relative to it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ClassmapCheckDocument {
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    pub root: String,
    pub map: String,
    pub class_count: u64,
    pub current: bool,
    pub strict: bool,
    pub loaders: Vec<String>,
    pub differences: Option<ClassDifferences>,
    pub duplicates: Vec<DuplicateClass>,
    pub violations: Vec<MisplacedClass>,
    pub problems: Vec<ClassmapProblem>,
}

/// Differences of the file from an up-to-date one.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ClassDifferences {
    /// In the map, but their files are gone.
    pub gone: Vec<ClassPlace>,
    /// In the map, but not in their files.
    pub undeclared: Vec<ClassPlace>,
    /// In the map, but the application does not find them.
    pub unfound: Vec<ClassPlace>,
    /// Not in the map.
    pub lacking: Vec<ClassPlace>,
    /// In the map, but now found in other files.
    pub moved: Vec<ClassPlace>,
}

/// A class in a file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ClassPlace {
    pub class: String,
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    pub line: Option<u32>,
}

/// A class that several files declare.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct DuplicateClass {
    pub class: String,
    /// The file that the loaders find; null if none, or undecided.
    pub wins: Option<String>,
    pub why: String,
    pub others: Vec<String>,
    pub other_lines: Vec<Option<u32>>,
}

/// A class in another place than its name implies.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct MisplacedClass {
    pub class: String,
    pub path: String,
    pub line: Option<u32>,
    pub expected: String,
}

/// A fault of a file or a folder.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct ClassmapProblem {
    pub path: String,
    pub line: Option<u32>,
    pub what: String,
    /// Whether it may hide classes.
    pub hides: bool,
}

impl ClassmapCheckDocument {
    /// Whether the check fails: the map is out of date, or something else is wrong and `strict` is set.
    pub fn is_broken(&self) -> bool {
        let is_sound = self.duplicates.is_empty() && self.violations.is_empty() && self.problems.is_empty();
        !self.current || (self.strict && !is_sound)
    }
}

impl ClassDifferences {
    /// Each kind of difference present, in words, with its classes.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, &[ClassPlace])> {
        let all = [
            ("in the map, but their files are gone", &self.gone),
            ("in the map, but not in their files", &self.undeclared),
            ("in the map, but now found in other files", &self.moved),
            ("in the map, but the application does not find them", &self.unfound),
            ("not in the map", &self.lacking),
        ];
        all.into_iter().map(|(kind, places)| (kind, places.as_slice())).filter(|(_, places)| !places.is_empty())
    }

    /// Number of classes that differ.
    pub fn count(&self) -> usize {
        self.kinds().map(|(_, places)| places.len()).sum()
    }
}
