//! Whether the written map is still right, and what is wrong with the application's classes.

use std::fmt::Write;
use std::path::Path;

use bstr::{BStr, BString, ByteSlice};
use serde_json::json;
use unladen_classmap::{Check, Problem, Project, Written, emit};
use unladen_report::Style;

use super::emit::Emit;
use super::problems::plain_text;
use super::task::Task;
use super::{make, summary};
use crate::exit::Failure;
use crate::{output, terminal};

/// Checks the map of an application.
///
/// # Errors
/// If the application or the map cannot be read; if the map is not what it would be now; with `strict`, if there is
/// anything else to say.
pub(crate) fn check(task: &Task, strict: bool) -> Result<(), Failure> {
    if task.emit != Emit::Php {
        return Err(Failure::Usage("--check looks at the PHP map: leave out --emit".to_owned()));
    }
    let task = &task.remembered()?;
    let project = task.read()?;
    task.tell_otherwise(&project);
    let Some(path) = task.target(&project) else {
        return Err(Failure::Usage("--check reads a file: give it with --output".to_owned()));
    };
    let (check, is_same) = match std::fs::read(&path) {
        Ok(source) => {
            let check = Check::of(&Written::read(&source, &path)?, &project.map, &project.tree);
            // Its classes may be right and its loader not: of another version, or changed by hand.
            let is_same = task.texts(&project)?.iter().any(|(_, text)| *text == source);
            (Some(check), is_same)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => (None, false),
        Err(error) => return Err(Problem::of(&path, format!("cannot be read: {error}")).into()),
    };
    let findings = Findings { project: &project, path: &path, check, is_same };
    let text = if task.json { format!("{:#}", findings.json()) } else { findings.text(terminal::style()) };
    output::line(text.trim_end())?;
    if project.map.entries.is_empty() {
        return Err(make::empty(&project));
    }
    findings.verdict(strict)
}

/// All there is to say.
struct Findings<'a> {
    project: &'a Project,
    path: &'a Path,
    /// Nothing if there is no map.
    check: Option<Check>,
    /// Whether the file is what would be written now, byte for byte.
    is_same: bool,
}

impl Findings<'_> {
    fn verdict(&self, strict: bool) -> Result<(), Failure> {
        let map = &self.project.map;
        let again = "make it again with `unladen classmap`";
        match &self.check {
            None => Err(Failure::Gate(format!(
                "{}: there is no map yet: make it with `unladen classmap`",
                self.path.display()
            ))),
            Some(check) if !check.is_current() => {
                Err(Failure::Gate(format!("{} is not what it would be now: {again}", self.path.display())))
            }
            Some(_) if !self.is_same => Err(Failure::Gate(format!(
                "{} has the right classes, but another version of unladen or a hand has written it: {again}",
                self.path.display()
            ))),
            Some(_)
                if strict && !(map.violations.is_empty() && map.duplicates.is_empty() && map.problems.is_empty()) =>
            {
                Err(Failure::Gate("violations, duplicates or problems, and --strict was asked for".to_owned()))
            }
            Some(_) => Ok(()),
        }
    }

    fn is_current(&self) -> bool {
        self.is_same && self.check.as_ref().is_some_and(Check::is_current)
    }

    fn text(&self, style: Style) -> String {
        let map = &self.project.map;
        let short = |path: &BStr| emit::relative(path, self.project.root()).to_str_lossy().into_owned();
        let mut text = String::new();
        let mut section = |heading: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                // Writing to a String does not fail.
                let _ = writeln!(text, "{}", style.heading(&format!("{heading}: {}", summary::count(lines.len()))));
                for line in lines {
                    let _ = writeln!(text, "  {}", plain_text(&line));
                }
            }
        };
        if let Some(check) = &self.check {
            let pair = |(class, path): &(BString, BString)| format!("{class}  {}", short(path.as_bstr()));
            section("in the map, but their files have gone", check.gone.iter().map(pair).collect());
            section("in the map, but not in their files", check.undeclared.iter().map(pair).collect());
            let moved = |(class, from, to): &(BString, BString, BString)| {
                format!("{class}  {} → {}", short(from.as_bstr()), short(to.as_bstr()))
            };
            section("in the map, but now found in other files", check.moved.iter().map(moved).collect());
            section("in the map, but the application does not find them", check.unfound.iter().map(pair).collect());
            section("not in the map", check.lacking.iter().map(pair).collect());
        }
        let duplicates = map.duplicates.iter().map(|one| {
            let wins = one
                .wins
                .as_ref()
                .map_or_else(|| "none is taken".to_owned(), |wins| format!("{} wins", short(wins.as_bstr())));
            let others: Vec<_> = one.others.iter().map(|other| short(other.as_bstr())).collect();
            format!("{}  {wins} ({}); also {}", one.class, one.why, others.join(", "))
        });
        section("declared in several files", duplicates.collect());
        let violations = map.violations.iter().map(|one| {
            let expected = one.expected.to_string_lossy();
            format!(
                "{}  {}, expected in {}",
                one.class,
                short(one.path.as_bstr()),
                short(expected.as_bytes().as_bstr())
            )
        });
        section("not where PSR-4 or PSR-0 has them", violations.collect());
        section("problems", map.problems.iter().map(ToString::to_string).collect());
        if self.is_current() {
            let _ = writeln!(
                text,
                "{}: {}, all as they would be now",
                self.path.display(),
                summary::counted(map.entries.len(), "class", "classes")
            );
        }
        text
    }

    fn json(&self) -> serde_json::Value {
        let short = |path: &BString| emit::relative(path.as_bstr(), self.project.root()).to_str_lossy().into_owned();
        let pairs = |pairs: &[(BString, BString)]| -> Vec<_> {
            pairs.iter().map(|(class, path)| json!({ "class": class.to_str_lossy(), "path": short(path) })).collect()
        };
        let mut document = emit::json(&self.project.map, &self.project.application, self.project.root());
        let differences = self.check.as_ref().map(|check| {
            let moved: Vec<_> = check
                .moved
                .iter()
                .map(
                    |(class, from, to)| json!({ "class": class.to_str_lossy(), "path": short(from), "now": short(to) }),
                )
                .collect();
            json!({
                "gone": pairs(&check.gone),
                "undeclared": pairs(&check.undeclared),
                "unfound": pairs(&check.unfound),
                "lacking": pairs(&check.lacking),
                "moved": moved,
            })
        });
        if let Some(object) = document.as_object_mut() {
            // The classes of the map are in the map.
            object.remove("classes");
            object.remove("not_utf8");
            object.insert("schema".to_owned(), "unladen.classmap-check/1".into());
            object.insert("map".to_owned(), self.path.to_string_lossy().into());
            object.insert("current".to_owned(), self.is_current().into());
            object.insert("differences".to_owned(), differences.unwrap_or(serde_json::Value::Null));
        }
        document
    }
}
