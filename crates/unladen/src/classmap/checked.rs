//! The check's findings as a document. The principal function is [`document`].

use std::path::Path;

use bstr::{BString, ByteSlice};
use unladen_classmap::{Check, Project, emit};
use unladen_document::{
    About, ClassDifferences, ClassPlace, ClassmapCheckDocument, ClassmapProblem, DuplicateClass, MisplacedClass,
};

/// The schema's name; it changes when its readers would have to.
const SCHEMA: &str = "unladen.classmap-check/1";

pub(super) struct Checked<'a> {
    pub(super) project: &'a Project,
    pub(super) path: &'a Path,
    /// `None` if there is no map.
    pub(super) check: Option<Check>,
    /// Whether the file is what would be written now, byte for byte.
    pub(super) is_same: bool,
    pub(super) strict: bool,
}

impl Checked<'_> {
    pub(super) fn document(&self, about: About) -> ClassmapCheckDocument {
        let map = &self.project.map;
        let duplicates = map.duplicates.iter().map(|one| DuplicateClass {
            class: text(&one.class),
            wins: one.wins.as_ref().map(|wins| self.short(wins)),
            why: one.why.clone(),
            others: one.others.iter().map(|other| self.short(other)).collect(),
            other_lines: one.others.iter().map(|other| self.line(&one.class, other)).collect(),
        });
        let violations = map.violations.iter().map(|one| MisplacedClass {
            class: text(&one.class),
            path: self.short(&one.path),
            line: self.line(&one.class, &one.path),
            expected: self.short(&one.expected.to_string_lossy().into_owned().into()),
        });
        let problems = map.problems.iter().map(|one| ClassmapProblem {
            path: one.path.to_string_lossy().into_owned(),
            line: one.line,
            what: one.what.clone(),
            hides: one.hides,
        });
        ClassmapCheckDocument {
            schema: SCHEMA.to_owned(),
            about,
            root: self.project.root().to_string_lossy().into_owned(),
            map: self.path.to_string_lossy().into_owned(),
            class_count: map.entries.len() as u64,
            current: self.is_same && self.check.as_ref().is_some_and(Check::is_current),
            strict: self.strict,
            loaders: self.project.application.loaders.iter().map(|loader| loader.name.clone()).collect(),
            differences: self.check.as_ref().map(|check| self.differences(check)),
            duplicates: duplicates.collect(),
            violations: violations.collect(),
            problems: problems.collect(),
        }
    }

    fn differences(&self, check: &Check) -> ClassDifferences {
        let of = |pairs: &[(BString, BString)]| -> Vec<ClassPlace> {
            let place = |(class, path): &(BString, BString)| ClassPlace {
                class: text(class),
                path: self.short(path),
                now: None,
                line: self.line(class, path),
            };
            pairs.iter().map(place).collect()
        };
        let moved = |(class, from, to): &(BString, BString, BString)| ClassPlace {
            class: text(class),
            path: self.short(from),
            now: Some(self.short(to)),
            line: self.line(class, to),
        };
        ClassDifferences {
            gone: of(&check.gone),
            undeclared: of(&check.undeclared),
            unfound: of(&check.unfound),
            lacking: of(&check.lacking),
            moved: check.moved.iter().map(moved).collect(),
        }
    }

    /// Relative to the application's folder if below it.
    fn short(&self, path: &BString) -> String {
        text(emit::relative(path.as_bstr(), self.project.root()))
    }

    fn line(&self, class: &BString, path: &BString) -> Option<u32> {
        let declaration = self.project.tree.file(path.as_bstr())?.declaration_of(class.as_bstr())?;
        Some(declaration.line)
    }
}

fn text(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().to_str_lossy().into_owned()
}
