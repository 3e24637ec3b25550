//! Making the map.

use std::time::Instant;

use unladen_classmap::{Problem, Project, Standing, emit};

use super::emit::Emit;
use super::problems::tell;
use super::task::Task;
use super::{summary, target};
use crate::exit::Failure;
use crate::headed::headed;
use crate::{output, terminal};

/// Reads the application and writes its map. Fails if the application cannot be read (or not as a whole and a partial
/// map was not asked for), or the map cannot be written. An existing map stays.
pub(crate) fn make(task: &Task) -> Result<(), Failure> {
    let start = Instant::now();
    task.check_target()?;
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
    let written = target::write(&texts)?;
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
            Ok(output::line(summary::text(&project, task.emit, path, written, pages, terminal::style()).trim_end())?)
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
                "nothing was written, as the map would not be whole: {}{others} could not be read (--partial writes it all the same; what it \
                 lacks is left to the application's own loaders)",
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
        true => "; --all-extensions reads what may not be enabled",
        false => "; --reader and --psr4 say how its classes are found",
    };
    Failure::EmptyMap(format!(
        "no class of {root} would be in the map, by the reader `{}`: nothing was written{hint}",
        project.reader().name()
    ))
}
