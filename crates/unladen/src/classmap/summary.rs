//! What was made, for people.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use unladen_classmap::Project;
use unladen_report::{Kind, Quantity, Style};

use super::Emit;

/// How many classes are in how many files, what is doubtful about them, and how the map is switched on.
pub(super) fn text(project: &Project, emit: Emit, target: &Path, written: Option<Duration>, style: Style) -> String {
    let map = &project.map;
    let files = project.tree.files().count();
    let mut text = String::new();
    let done = match written {
        Some(elapsed) => format!("written in {:.0} ms", elapsed.as_secs_f64() * 1e3),
        None => "as it was".to_owned(),
    };
    // Writing to a String does not fail.
    let _ =
        writeln!(text, "{} classes of {} PHP files, by {}", count(map.entries.len()), count(files), loaders(project));
    let _ = writeln!(text, "{} {done}", style.strong(&target.display().to_string()));
    let doubts: Vec<String> = [
        (map.duplicates.len(), "declared in several files"),
        (map.violations.len(), "not where PSR-4 or PSR-0 has them"),
        (map.problems.len(), "problems"),
    ]
    .into_iter()
    .filter(|(many, _)| *many > 0)
    .map(|(many, what)| format!("{} {what}", count(many)))
    .collect();
    if !doubts.is_empty() {
        let _ = writeln!(text, "{} (unladen classmap --check lists them)", doubts.join(", "));
    }
    if emit == Emit::Php && !project.application.switch_on.is_empty() {
        let _ = writeln!(text, "\n{}", style.heading("switch it on"));
        for line in &project.application.switch_on {
            // Readers do not know where the map will be.
            let line = line.replace("…/unladen-classmap.php", &target.display().to_string());
            let _ = writeln!(text, "  {line}");
        }
    }
    text
}

pub(super) fn count(many: usize) -> String {
    Quantity { kind: Kind::Count, value: many as f64, margin: 0.0 }.value_text()
}

fn loaders(project: &Project) -> String {
    let names: Vec<_> = project.application.loaders.iter().map(|loader| loader.name.as_str()).collect();
    match names.as_slice() {
        [] => "no loader".to_owned(),
        [first, second, third, rest @ ..] if !rest.is_empty() => {
            format!("{first}, {second}, {third} and {} more", rest.len())
        }
        names => names.join(", "),
    }
}
