//! Checks whether the written map is still right, and what is wrong with the application's classes.

use std::fmt::Write;

use unladen_classmap::{Check, Problem, Written, read_whole};
use unladen_document::{ClassPlace, ClassmapCheckDocument};
use unladen_report::Style;

use super::checked::Checked;
use crate::classmap::make;
use crate::classmap::summary::{count, counted, plain_text};
use crate::classmap::task::{Emit, Task};
use crate::exit::Failure;
use crate::output::{self, Destination};
use crate::terminal;

/// Checks the map of an application. Fails if the application or the map cannot be read, the map is out of date,
/// `strict` is set and there is anything to report, or a file cannot be written.
pub(crate) fn check(task: &Task, strict: bool, files: &[Destination]) -> Result<(), Failure> {
    if task.emit != Emit::Php {
        return Err(Failure::Usage("--check works only with the PHP map: leave out --emit".to_owned()));
    }
    files.iter().try_for_each(|file| file.check_of_document())?;
    let task = &task.remembered()?;
    let project = task.read()?;
    task.tell_otherwise(&project);
    let Some(path) = task.target(&project) else {
        return Err(Failure::Usage("--check reads a file: name it with --output".to_owned()));
    };
    let (check, is_same) = match read_whole(&path) {
        Ok(source) => {
            let check = Check::of(&Written::read(&source, &path)?, &project.map, &project.tree);
            // The classes may be right and the loader not: of another version, or changed by hand.
            let is_same = task.texts(&project)?.iter().any(|(_, text)| *text == source);
            (Some(check), is_same)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => (None, false),
        Err(error) => return Err(Problem::of(&path, format!("cannot be read: {error}")).into()),
    };
    let checked = Checked { project: &project, path: &path, check, is_same, strict };
    let document = checked.document(task.about(&project));
    let json = serde_json::to_string_pretty(&document).map_err(|error| Failure::Usage(error.to_string()))?;
    let shown = if task.json { json.clone() } else { text(&document, terminal::style()) };
    output::line(shown.trim_end())?;
    files.iter().try_for_each(|file| file.write_document(json.as_bytes(), &[]))?;
    if project.map.entries.is_empty() {
        return Err(make::empty(&project));
    }
    verdict(&document)
}

fn verdict(document: &ClassmapCheckDocument) -> Result<(), Failure> {
    let (map, again) = (&document.map, "write it again with `unladen classmap`");
    let why = match &document.differences {
        None => format!("{map}: there is no map yet: write it with `unladen classmap`"),
        Some(differences) if differences.count() > 0 => format!("{map} is out of date: {again}"),
        Some(_) if !document.current => {
            format!("{map} has the right classes, but was written by another version of unladen, or edited: {again}")
        }
        Some(_) if document.is_broken() => {
            "there are violations, duplicates or problems, and --strict was given".to_owned()
        }
        Some(_) => return Ok(()),
    };
    Err(Failure::Gate(why))
}

fn text(document: &ClassmapCheckDocument, style: Style) -> String {
    let mut text = String::new();
    let mut section = |heading: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            // Writing to a String does not fail.
            let _ = writeln!(text, "{}", style.heading(&format!("{heading}: {}", count(lines.len()))));
            for line in lines {
                let _ = writeln!(text, "  {}", plain_text(&line));
            }
        }
    };
    for (kind, places) in document.differences.iter().flat_map(|differences| differences.kinds()) {
        let place = |place: &ClassPlace| {
            let now = place.now.as_ref().map_or(String::new(), |now| format!(" → {now}"));
            format!("{}  {}{now}", place.class, place.path)
        };
        section(kind, places.iter().map(place).collect());
    }
    let duplicates = document.duplicates.iter().map(|one| {
        let wins = one.wins.as_ref().map_or_else(|| "none is used".to_owned(), |wins| format!("{wins} wins"));
        format!("{}  {wins} ({}); also {}", one.class, one.why, one.others.join(", "))
    });
    section("declared in several files", duplicates.collect());
    let violations =
        document.violations.iter().map(|one| format!("{}  {}, expected in {}", one.class, one.path, one.expected));
    section("not where PSR-4 or PSR-0 has them", violations.collect());
    let problems = document.problems.iter().map(|one| {
        let line = one.line.map_or(String::new(), |line| format!(":{line}"));
        format!("{}{line}: {}", one.path, one.what)
    });
    section("problems", problems.collect());
    if document.current {
        let many = usize::try_from(document.class_count).unwrap_or(usize::MAX);
        let classes = counted(many, "class", "classes");
        let _ = writeln!(text, "{}: {classes}, all up to date", document.map);
    }
    text
}
