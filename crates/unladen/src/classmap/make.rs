//! Making the map.

use std::time::Instant;

use unladen_classmap::{Problem, Project, emit};

use super::{Task, summary, target, tell};
use crate::exit::Failure;
use crate::{output, terminal};

/// Reads the application and writes its map.
///
/// # Errors
/// If the application cannot be read, or not whole and that was not asked for, or if the map cannot be written. A map that was there stays.
pub(crate) fn make(task: &Task) -> Result<(), Failure> {
    let start = Instant::now();
    let project = task.read()?;
    tell(&project.map.problems);
    whole(task, &project)?;
    let texts = task.texts(&project)?;
    let written = target::write(&texts)?;
    let elapsed = start.elapsed();
    match texts.first().and_then(|(path, _)| path.as_deref()) {
        // The map has gone where a summary would go.
        None => Ok(()),
        Some(_) if task.json => {
            Ok(output::line(&format!("{:#}", emit::json(&project.map, &project.application, project.root())))?)
        }
        Some(path) => {
            let written = written.then_some(elapsed);
            Ok(output::line(summary::text(&project, task.emit, path, written, terminal::style()).trim_end())?)
        }
    }
}

/// That nothing was kept from sight.
///
/// # Errors
/// If something was, and a partial map was not asked for.
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
        _ => Ok(()),
    }
}
