//! Sentences about classes of a class map, for all formats: [`Complaint`].

use unladen_document::{ClassmapCheckDocument, MisplacedClass};

use crate::place::Place;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    OutOfDate,
    Duplicate,
    Violation,
    Problem,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Complaint {
    pub(crate) kind: Kind,
    /// Empty if it is not about a class.
    pub(crate) class: String,
    /// A sentence, without the class.
    pub(crate) what: String,
    pub(crate) place: Place,
    /// Other places of the same class.
    pub(crate) others: Vec<Place>,
    pub(crate) fails: bool,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::OutOfDate, Self::Duplicate, Self::Violation, Self::Problem];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::OutOfDate => "classmap-out-of-date",
            Self::Duplicate => "class-declared-twice",
            Self::Violation => "class-misplaced",
            Self::Problem => "classmap-problem",
        }
    }

    pub(crate) fn about(self) -> &'static str {
        match self {
            Self::OutOfDate => "the class map is out of date",
            Self::Duplicate => "several files declare the class",
            Self::Violation => "the class is not where PSR-4 or PSR-0 expects it",
            Self::Problem => "a file could not be read, or a list names a missing file",
        }
    }

    /// The state without such a complaint.
    pub(crate) fn wish(self) -> &'static str {
        match self {
            Self::OutOfDate => "the map is up to date",
            Self::Duplicate => "each class is declared in one file",
            Self::Violation => "each class is where PSR-4 or PSR-0 expects it",
            Self::Problem => "all files can be read, and all lists name existing files",
        }
    }

    pub(crate) fn advice(self) -> &'static str {
        match self {
            Self::OutOfDate => "write it again with `unladen classmap`",
            Self::Duplicate => "keep one of the files, or remove the others from the application's loaders",
            Self::Violation => "move the class to the file that its name implies, or add its folder to a loader",
            Self::Problem => "each problem says what to do",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

pub(crate) fn complaints(document: &ClassmapCheckDocument) -> Vec<Complaint> {
    let mut all = out_of_date(document);
    let fails = document.strict;
    let absolute = |path: &str| absolute(document, path);
    all.extend(document.duplicates.iter().map(|one| {
        let line = |index: usize| one.other_lines.get(index).copied().flatten();
        let mut others: Vec<Place> = one
            .others
            .iter()
            .enumerate()
            .map(|(index, path)| Place { file: absolute(path), line: line(index) })
            .collect();
        // The file in use is no mistake: the remark goes to the first of the others.
        let place = if others.is_empty() { map_of(document) } else { others.remove(0) };
        others.extend(one.wins.iter().map(|wins| Place { file: absolute(wins), line: None }));
        let taken = one.wins.as_ref().map_or_else(|| "none is used".to_owned(), |wins| format!("{wins} wins"));
        let what = format!("declared in {} files: {taken} ({})", one.others.len() + one.wins.iter().len(), one.why);
        Complaint { kind: Kind::Duplicate, class: one.class.clone(), what, place, others, fails }
    }));
    all.extend(document.violations.iter().map(|one: &MisplacedClass| Complaint {
        kind: Kind::Violation,
        class: one.class.clone(),
        what: format!("expected in {}", one.expected),
        place: Place { file: absolute(&one.path), line: one.line },
        others: Vec::new(),
        fails,
    }));
    all.extend(document.problems.iter().map(|one| Complaint {
        kind: Kind::Problem,
        class: String::new(),
        what: one.what.clone(),
        place: Place { file: absolute(&one.path), line: one.line },
        others: Vec::new(),
        fails,
    }));
    all
}

fn out_of_date(document: &ClassmapCheckDocument) -> Vec<Complaint> {
    let of_map = |what: &str| Complaint {
        kind: Kind::OutOfDate,
        class: String::new(),
        what: what.to_owned(),
        place: map_of(document),
        others: Vec::new(),
        fails: true,
    };
    let Some(differences) = &document.differences else { return vec![of_map("there is no map yet")] };
    if differences.count() == 0 {
        let by_hand = "it has the right classes, but was written by another version of Unladen, or edited";
        return if document.current { Vec::new() } else { vec![of_map(by_hand)] };
    }
    let of_kind = |(kind, places): (&'static str, &[unladen_document::ClassPlace])| {
        places
            .iter()
            .map(|place| {
                let file = place.now.as_ref().unwrap_or(&place.path);
                // A class without a declaration has no place but the map.
                let at = match place.line {
                    Some(_) => Place { file: absolute(document, file), line: place.line },
                    None => map_of(document),
                };
                let moved = place.now.as_ref().map_or(String::new(), |now| format!(" → {now}"));
                let what = format!("{kind}: {}{moved}", place.path);
                Complaint { place: at, class: place.class.clone(), ..of_map(&what) }
            })
            .collect::<Vec<_>>()
    };
    differences.kinds().flat_map(of_kind).collect()
}

fn map_of(document: &ClassmapCheckDocument) -> Place {
    Place { file: absolute(document, &document.map), line: None }
}

fn absolute(document: &ClassmapCheckDocument, path: &str) -> String {
    let root = document.root.trim_matches('/');
    match (path.starts_with('/'), root) {
        (true, _) => path.to_owned(),
        (false, "") => format!("/{path}"),
        (false, root) => format!("/{root}/{path}"),
    }
}
