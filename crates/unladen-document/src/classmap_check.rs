//! The principal type is [`ClassmapCheckDocument`], `unladen.classmap-check/1`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::about::About;

/// Output of `unladen classmap --check --json`. Paths below `root` are relative to it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
#[schemars(title = "A class map held against its application")]
pub struct ClassmapCheckDocument {
    /// The name of this schema, with its number.
    #[schemars(extend("const" = "unladen.classmap-check/1"))]
    pub schema: String,
    #[serde(flatten)]
    pub about: About,
    /// The application's folder.
    pub root: String,
    /// The file of the map.
    pub map: String,
    /// Classes that the map would have now.
    pub class_count: u64,
    /// Whether the file is what would be written now, byte for byte.
    pub current: bool,
    /// Whether duplicates, violations and problems fail the check.
    pub strict: bool,
    /// The application's loaders, in the order in which PHP asks them.
    pub loaders: Vec<String>,
    /// How the file differs from what would be written now; null if there is no file.
    pub differences: Option<ClassDifferences>,
    /// Classes that several files declare.
    pub duplicates: Vec<DuplicateClass>,
    /// Classes that are not where PSR-4 or PSR-0 would look.
    pub violations: Vec<MisplacedClass>,
    /// What could not be read, and what leads nowhere.
    pub problems: Vec<ClassmapProblem>,
}

/// Differences of the file from an up-to-date one.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
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
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct ClassPlace {
    /// Its name.
    pub class: String,
    /// The file.
    pub path: String,
    /// Of a class that has moved: the file in which it is found now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// The line on which it is declared, from 1, in the last of these files; null where it is not.
    pub line: Option<u32>,
}

/// A class that several files declare.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct DuplicateClass {
    /// Its name.
    pub class: String,
    /// The file that the loaders find; null: undecided, or none.
    pub wins: Option<String>,
    /// Why.
    pub why: String,
    /// The other files.
    pub others: Vec<String>,
    /// The line in each of the others, from 1; null where it is not known.
    pub other_lines: Vec<Option<u32>>,
}

/// A class in another place than its name implies.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct MisplacedClass {
    /// Its name.
    pub class: String,
    /// Its file.
    pub path: String,
    /// The line on which it is declared, from 1.
    pub line: Option<u32>,
    /// Where PSR-4 or PSR-0 would look.
    pub expected: String,
}

/// A fault of a file or a folder.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct ClassmapProblem {
    /// The file.
    pub path: String,
    /// The line, from 1; null where it is about the whole file.
    pub line: Option<u32>,
    /// What is wrong.
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
