//! Remakes the map as files change.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use unladen_classmap::{Changes, Project, Watch};
use unladen_load::{Cancel, LoadError};

use crate::classmap::make;
use crate::classmap::summary::{count, counted, tell};
use crate::classmap::task::Task;
use crate::exit::Failure;
use crate::say::say;
use crate::{interrupt, output, terminal};

/// How soon a signal is noticed.
const PATIENCE: Duration = Duration::from_millis(200);

/// Makes the map, and again whenever files change, until Ctrl-C. Fails like [`make`](super::make) for the first map.
/// Later errors are reported, and the map stays as it was.
pub(crate) fn watch(task: &Task) -> Result<(), Failure> {
    let cancel = interrupt::on_signal().map_err(|error| match error {
        LoadError::Thread { source } => watching(source),
        other => other.into(),
    })?;
    let start = Instant::now();
    task.check_target()?;
    let held = task.hold()?;
    let mut project = task.read()?;
    let mut changes = watched(&mut project, &cancel)?;
    tell(&project.map.problems);
    make::whole(task, &project)?;
    let texts = task.texts(&project)?;
    let Some((Some(path), _)) = texts.first() else {
        return Err(Failure::Usage("--watch writes a file: name it with --output".to_owned()));
    };
    let written = task.write(&texts, &held)?.then(|| start.elapsed());
    output::line(&make::summary(&project, task.emit, path, written, &[], terminal::style()))?;
    output::line("watching; Ctrl-C stops it")?;
    while !cancel.is_cancelled() {
        let changed = changes.wait(PATIENCE).map_err(watching)?;
        if !changed.is_empty() {
            let start = Instant::now();
            match follow(task, &mut project, &mut changes, &changed, &cancel) {
                Ok(None) => {}
                Ok(Some(what)) => output::line(&format!("{what} ({:.0} ms)", start.elapsed().as_secs_f64() * 1e3))?,
                Err(failure) => say!("unladen: {failure}; the map was not changed"),
            }
        }
    }
    // The map is up to date: a regular end.
    Ok(())
}

/// Reads what has changed and writes the map if it differs. Returns what to say of it.
fn follow(
    task: &Task,
    project: &mut Project,
    watch: &mut Watch,
    changed: &Changes,
    cancel: &Cancel,
) -> Result<Option<String>, Failure> {
    let held = task.hold()?;
    let before = project.map.entries.len();
    let problems = project.map.problems.clone();
    if changed.all {
        // If the project cannot be read now, the watch must see what makes it readable again.
        *watch = Watch::new(project).map_err(watching)?;
        project.read_again()?;
        if !watch.covers(project) {
            *watch = watched(project, cancel)?;
        }
    } else {
        let files: Vec<PathBuf> = changed.files.iter().cloned().collect();
        if !project.refresh(&files) {
            return Ok(None);
        }
    }
    if project.map.problems != problems {
        tell(&project.map.problems);
    }
    make::whole(task, project)?;
    if !task.write(&task.texts(project)?, &held)? {
        return Ok(None);
    }
    let after = project.map.entries.len();
    let what =
        if changed.all { "folders or settings".to_owned() } else { counted(changed.files.len(), "file", "files") };
    Ok(Some(format!("{what} changed: {}, {} before", counted(after, "class", "classes"), count(before))))
}

/// Watches the project, then reads it, so that changes meanwhile are noticed.
fn watched(project: &mut Project, cancel: &Cancel) -> Result<Watch, Failure> {
    loop {
        let watch = Watch::new(project).map_err(watching)?;
        project.read_again()?;
        if watch.covers(project) || cancel.is_cancelled() {
            return Ok(watch);
        }
    }
}

fn watching(error: io::Error) -> Failure {
    Failure::Usage(format!("cannot watch for changes: {error}"))
}
