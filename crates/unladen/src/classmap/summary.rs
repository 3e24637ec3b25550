//! What was made, for people.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use unladen_classmap::{Project, Standing};
use unladen_report::{Kind, Quantity, Style};

use super::emit::Emit;
use super::problems::plain_text;

/// Numbers of classes and files, what is doubtful about them, and how the map is switched on.
pub(super) fn text(
    project: &Project,
    emit: Emit,
    target: &Path,
    written: Option<Duration>,
    pages: &[String],
    style: Style,
) -> String {
    let map = &project.map;
    let files = project.tree.files().count();
    let mut text = String::new();
    let done = match written {
        Some(elapsed) => format!("written in {:.0} ms", elapsed.as_secs_f64() * 1e3),
        None => "as it was".to_owned(),
    };
    // Writing to a String does not fail.
    let _ = writeln!(
        text,
        "{} of {}, by {}",
        counted(map.entries.len(), "class", "classes"),
        counted(files, "PHP file", "PHP files"),
        loaders(project)
    );
    let _ = writeln!(text, "{} {done}", style.strong(&plain_text(&target.display().to_string())));
    let doubts: Vec<String> = [
        (map.duplicates.len(), "declared in several files", "declared in several files"),
        (map.violations.len(), "not where PSR-4 or PSR-0 has it", "not where PSR-4 or PSR-0 has them"),
        (map.problems.len(), "problem", "problems"),
    ]
    .into_iter()
    .filter(|(many, ..)| *many > 0)
    .map(|(many, one, several)| counted(many, one, several))
    .collect();
    if !doubts.is_empty() {
        let _ = writeln!(text, "{} (unladen classmap --check lists them)", doubts.join(", "));
    }
    for page in pages {
        let _ = writeln!(text, "{}", plain_text(page));
    }
    if emit == Emit::Php && !project.application.switch_on.is_empty() {
        let _ = writeln!(text, "\n{}", style.heading("switch it on"));
        for line in project.application.switch_on(target, project.root()) {
            let _ = writeln!(text, "  {}", plain_text(&line));
        }
    }
    text
}

pub(super) fn count(many: usize) -> String {
    Quantity { kind: Kind::Count, value: many as f64, margin: 0.0 }.value_text()
}

/// `1 class`, `2 classes`.
pub(super) fn counted(many: usize, one: &str, several: &str) -> String {
    format!("{} {}", count(many), if many == 1 { one } else { several })
}

/// The first loaders; loaders that may be absent add nothing to the map.
fn loaders(project: &Project) -> String {
    let (perhaps, sure): (Vec<_>, Vec<_>) =
        project.application.loaders.iter().partition(|loader| loader.standing == Standing::Perhaps);
    let mut names: Vec<String> = sure.iter().take(3).map(|loader| loader.name.clone()).collect();
    if sure.len() > names.len() {
        names.push(format!("{} more", count(sure.len() - names.len())));
    }
    if names.is_empty() {
        names.push("no loader".to_owned());
    }
    if !perhaps.is_empty() {
        names.push(format!("without {} that may not be asked", counted(perhaps.len(), "loader", "loaders")));
    }
    names.join(", ")
}
