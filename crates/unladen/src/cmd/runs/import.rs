//! `unladen runs import`: exported runs, and documents of earlier versions.

mod lines;

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

use unladen_store::{Filter, Mode, NewRun, PAGE, RunId, Store, StoreError};

use crate::cmd::runs::find::Place;
use crate::cmd::runs::import::lines::Lines;
use crate::exit::Failure;
use crate::output;
use crate::say::say;

/// Import runs from files: of `unladen runs export`, or results that were written with --json or -o
///
/// A run that is in the store already is not added again.
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
                say!(
                    "unladen: {kept} runs of {} were kept; run the same command again to keep the rest",
                    lines.shown()
                );
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
            1 => format!("{text}; 1 run was in the store already"),
            many => format!("{text}; {many} runs were in the store already"),
        }
    }
}

/// Finds runs that the store has already: a second one would count as another run of the same thing, without variance.
///
/// Twins have the same time, command and target, and their documents say the same. Runs are asked about in the order of
/// [`Lines`], so that only those of one such kind have to be in memory.
#[derive(Debug, Default)]
pub(super) struct Twins {
    /// Runs in the store at the times that were looked up.
    kept: HashMap<Kind, Vec<RunId>>,
    kind: Option<Kind>,
    /// Hashes of its documents as formatted: those in the store, and those asked about since.
    set: HashSet<u64>,
    /// Hashes of their content whatever the format, if needed so far.
    said: Option<HashSet<u64>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Kind {
    time_ns: i64,
    verb: String,
    target: String,
}

impl Twins {
    /// Looks up which runs of these times the store has: many at once, as a server may be far away.
    pub(super) fn look_up(&mut self, store: &mut dyn Store, times_ns: Vec<i64>) -> Result<(), StoreError> {
        self.kept.clear();
        let mut filter = Filter { times_ns, limit: PAGE, ..Filter::default() };
        loop {
            let page = store.list(&filter)?;
            let Some(last) = page.last() else { return Ok(()) };
            filter.before = Some(last.position());
            let is_last = page.len() < PAGE as usize;
            for run in page {
                let kind = Kind { time_ns: run.time_ns, verb: run.verb, target: run.target };
                self.kept.entry(kind).or_default().push(run.id);
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Whether neither the store nor the file so far has it. `is_alone`: it has no twin in its file.
    pub(super) fn is_new(&mut self, store: &mut dyn Store, run: &NewRun, is_alone: bool) -> bool {
        let kind = Kind { time_ns: run.time_ns, verb: run.verb.clone(), target: run.target.clone() };
        let is_same_kind = self.kind.as_ref() == Some(&kind);
        if is_alone && !is_same_kind && !self.kept.contains_key(&kind) {
            return true;
        }
        if !is_same_kind {
            self.set = self.kept_of(store, &kind).map(|document| hash(&document)).collect();
            self.said = None;
            self.kind = Some(kind.clone());
        }
        // Most twins are formatted alike.
        if !self.set.insert(hash(&run.document)) {
            return false;
        }
        if self.said.is_none() {
            self.said = Some(self.kept_of(store, &kind).map(|document| said(&document)).collect());
        }
        self.said.as_mut().is_none_or(|seen| seen.insert(said(&run.document)))
    }

    /// The store's documents of a kind. A damaged one is skipped: it is no reason to leave a whole one out.
    fn kept_of<'a>(&self, store: &'a mut dyn Store, kind: &Kind) -> impl Iterator<Item = String> + 'a {
        let kept = self.kept.get(kind).cloned().unwrap_or_default();
        kept.into_iter().filter_map(|id| Some(store.run(id).ok()?.document))
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// A hash of a document's content, however it is formatted.
fn said(document: &str) -> u64 {
    // serde_json sorts the fields by name.
    serde_json::from_str::<serde_json::Value>(document)
        .map_or_else(|_| hash(document), |value| hash(&value.to_string()))
}

#[cfg(test)]
mod tests;
