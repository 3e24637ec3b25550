//! Making the map, and what was made, for people.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use unladen_classmap::{Problem, Project, Standing, emit};
use unladen_report::Style;

use crate::classmap::summary::{count, counted, plain_text, tell};
use crate::classmap::task::{Emit, Task};
use crate::exit::Failure;
use crate::runs::headed;
use crate::{output, terminal};

/// Reads the application and writes its map. Fails if the application cannot be read (or not as a whole and a partial
/// map was not asked for), or the map cannot be written. An existing map stays.
pub(crate) fn make(task: &Task) -> Result<(), Failure> {
    let start = Instant::now();
    task.check_target()?;
    let held = task.hold()?;
    let asked = task.ask.as_ref().map(|scripts| scripts.ask(task)).transpose()?;
    let (task, pages) = match &asked {
        Some((task, pages)) => (task, pages.as_slice()),
        None => (task, &[][..]),
    };
    let project = task.read()?;
    if task.emit == Emit::Php {
        task.tell_otherwise(&project);
    }
    tell(&project.map.problems);
    whole(task, &project)?;
    let texts = task.texts(&project)?;
    let written = task.write(&texts, &held)?;
    let elapsed = start.elapsed();
    match texts.first().and_then(|(path, _)| path.as_deref()) {
        // The map went to standard output, where a summary would go.
        None => Ok(()),
        Some(_) if task.json => {
            let document = emit::json(&project.map, &project.application, project.root());
            Ok(output::line(&format!("{:#}", headed(document, &task.about(&project))))?)
        }
        Some(path) => {
            let written = written.then_some(elapsed);
            Ok(output::line(summary(&project, task.emit, path, written, pages, terminal::style()).trim_end())?)
        }
    }
}

/// Fails if something could not be read and a partial map was not asked for, or if there are no classes.
pub(super) fn whole(task: &Task, project: &Project) -> Result<(), Failure> {
    let hiding: Vec<&Problem> = project.map.problems.iter().filter(|problem| problem.hides).collect();
    match hiding.first() {
        Some(first) if !task.partial => {
            let others = if hiding.len() > 1 { format!(" and {} more", hiding.len() - 1) } else { String::new() };
            Err(Failure::Usage(format!(
                "nothing was written, because the map would be incomplete: {}{others} could not be read (--partial \
                 writes it all the same; the missing classes are left to the application's own loaders)",
                first.path.display()
            )))
        }
        _ if project.map.entries.is_empty() => Err(empty(project)),
        _ => Ok(()),
    }
}

/// Error for an empty map, which would be taken for a real one.
pub(super) fn empty(project: &Project) -> Failure {
    let root = project.root().display();
    let hint = match project.application.loaders.iter().any(|loader| loader.standing == Standing::Perhaps) {
        true => "; --all-extensions also reads extensions that may not be enabled",
        false => "; use --reader or --psr4 to say how its classes are found",
    };
    Failure::CannotMeasure(format!(
        "the reader `{}` finds no class of {root} for the map: nothing was written{hint}",
        project.reader().name()
    ))
}

/// Numbers of classes and files, what is doubtful about them, and how the map is switched on.
pub(super) fn summary(
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
        None => "unchanged".to_owned(),
    };
    // Writing to a String does not fail.
    let _ = writeln!(
        text,
        "{} of {}, by {}",
        counted(map.entries.len(), "class", "classes"),
        counted(files, "PHP file", "PHP files"),
        plain_text(&loaders(project))
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
        names.push(format!("without {} that must not be asked", counted(perhaps.len(), "loader", "loaders")));
    }
    names.join(", ")
}
