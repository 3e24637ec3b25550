//! How soon `unladen classmap --watch` has a change in the map.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use super::project::Project;
use crate::figures::Series;
use crate::{Result, children, unladen};

const CHANGES: usize = 20;

/// Changes are apart, as a person's are: one that comes while another is written would wait for that.
const APART: Duration = Duration::from_millis(300);

/// How often the map is looked at: what is measured is longer by half of it.
const LOOK: Duration = Duration::from_micros(200);

const PATIENCE: Duration = Duration::from_secs(30);

/// The program, for as long as it is held.
struct Watcher(Child);

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) fn run(project: &Project) -> Result<()> {
    project.clean()?;
    let source = project.root().join("mw/includes/UnladenBench.php");
    fs::write(&source, declaring(0))?;
    let mut command = children::tied(unladen::built()?);
    command.args(["classmap", "--watch"]).current_dir(project.root()).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut watcher = Watcher(command.spawn()?);
    // Held to the end: it goes on telling.
    let mut said = BufReader::new(watcher.0.stdout.take().ok_or("no stdout")?);
    let mut line = String::new();
    while !line.starts_with("watching") {
        line.clear();
        if said.read_line(&mut line)? == 0 {
            return Err("unladen classmap --watch has ended".into());
        }
    }
    let mut took = Series::default();
    for n in 1..=CHANGES {
        std::thread::sleep(APART);
        fs::write(&source, declaring(n))?;
        let changed = Instant::now();
        until_mapped(&project.root().join("unladen-classmap.php"), n)?;
        took.push(changed.elapsed().as_secs_f64() * 1e3);
    }
    fs::remove_file(&source)?;
    println!("from a change of a file to the new map in its place, {CHANGES} changes: {took} ms");
    Ok(())
}

fn declaring(n: usize) -> String {
    format!("<?php\nclass {} {{}}\n", class(n))
}

fn class(n: usize) -> String {
    format!("UnladenBench{n}X")
}

/// Until the map has that class. A map that is written is another file: it is read once.
fn until_mapped(map: &Path, n: usize) -> Result<()> {
    let begun = Instant::now();
    let mut read = None;
    while begun.elapsed() < PATIENCE {
        let there = map.metadata().ok().and_then(|metadata| metadata.modified().ok());
        if there != read {
            read = there;
            if fs::read_to_string(map)?.contains(&class(n)) {
                return Ok(());
            }
        }
        std::thread::sleep(LOOK);
    }
    Err("unladen classmap --watch does not see a change".into())
}
