//! `unladen runs import`: exported runs, and documents of earlier versions.

mod lines;
mod twins;

use std::path::PathBuf;

use unladen_store::{Mode, RunId, Store};

use self::lines::Lines;
use self::twins::Twins;
use crate::cmd::runs::place::Place;
use crate::exit::Failure;
use crate::output;
use crate::say::say;

/// Keep runs from files: of `unladen runs export`, or results that were written with --json or -o
///
/// A run that is there already is not kept again.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The files; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    place: Place,
}

/// Bounds of a transaction: other writers wait meanwhile, and all of it is in memory.
#[derive(Debug, Clone, Copy)]
struct Batch {
    runs: usize,
    /// Exceeded only by a single run that is larger.
    bytes: u64,
}

impl Batch {
    const USUAL: Self = Self { runs: 1000, bytes: 32 << 20 };
}

#[derive(Debug, Default)]
struct Told {
    kept: Vec<RunId>,
    there: usize,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mut store = args.place.open(Mode::ReadWrite)?;
    let mut told = Told::default();
    for file in &args.files {
        // The whole file is checked before any of it is kept: a wrong file leaves nothing.
        let mut lines = Lines::of(file)?;
        let before = told.kept.len();
        if let Err(failure) = keep(store.as_mut(), &mut lines, Batch::USUAL, &mut told) {
            let kept = told.kept.len() - before;
            if kept > 0 {
                say!("unladen: {kept} runs of {} were kept; the same command keeps the rest", lines.shown());
            }
            return Err(failure);
        }
    }
    Ok(output::line(&told.text())?)
}

/// Keeps all runs of a file that are not in the store, the earliest first.
fn keep(store: &mut dyn Store, lines: &mut Lines, batch: Batch, told: &mut Told) -> Result<(), Failure> {
    let mut twins = Twins::default();
    let mut from = 0;
    while let Some(to) = lines.batch(from, batch.runs, batch.bytes) {
        twins.look_up(store, lines.times(from..to))?;
        let mut new = Vec::with_capacity(to - from);
        for index in from..to {
            let run = lines.run(index)?;
            if twins.is_new(store, &run, lines.is_alone(index)) {
                new.push(run);
            } else {
                told.there += 1;
            }
        }
        told.kept.extend(store.keep_all(&new)?);
        from = to;
    }
    Ok(())
}

impl Told {
    fn text(&self) -> String {
        let text = match self.kept.as_slice() {
            [] if self.there == 0 => return "nothing was kept: the files are empty".to_owned(),
            [] => "nothing was kept".to_owned(),
            [only] => format!("kept as run {only}"),
            [first, .., last] => format!("{} runs kept, {first} to {last}", self.kept.len()),
        };
        match self.there {
            0 => text,
            1 => format!("{text}; 1 run was there already"),
            many => format!("{text}; {many} runs were there already"),
        }
    }
}

#[cfg(test)]
mod tests;
