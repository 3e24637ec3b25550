//! The principal type is [`Reading`]: context and results of reading a file's parts.

use std::ops::Range;
use std::path::{Path, PathBuf};

use unladen_fleet::{BusUrl, WhenCutOff};
use unladen_toml::{Bad, Place, Problem};

use super::error::Warning;
use super::explain::{Explained, Origin, Shown};
use super::keys::{self, Whose};
use super::surroundings::Surroundings;

/// What sites ask of `[fleet]`, which is read before them.
#[derive(Clone)]
pub(super) struct OfFleet {
    pub(super) name: String,
    pub(super) purges: BusUrl,
    pub(super) ca: Option<PathBuf>,
    pub(super) stamp: u64,
    pub(super) when_cut_off: WhenCutOff,
}

pub(super) struct Reading<'a> {
    pub(super) text: &'a str,
    pub(super) file: &'a Path,
    folder: &'a Path,
    pub(super) machine: &'a dyn Surroundings,
    /// `[defaults]` are read by themselves: nothing is missing there, and nothing is in force.
    pub(super) is_trial: bool,
    pub(super) zone: Option<String>,
    pub(super) fleet: Option<OfFleet>,
    pub(super) bads: Vec<Bad>,
    pub(super) warnings: Vec<Warning>,
    pub(super) explained: Vec<Explained>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(text: &'a str, file: &'a Path, folder: &'a Path, machine: &'a dyn Surroundings) -> Self {
        let (bads, warnings, explained) = (Vec::new(), Vec::new(), Vec::new());
        Self { text, file, folder, machine, is_trial: false, zone: None, fleet: None, bads, warnings, explained }
    }

    pub(super) fn trial(&self) -> Reading<'a> {
        let zone = self.zone.clone();
        let fleet = self.fleet.clone();
        Reading { is_trial: true, zone, fleet, ..Reading::new(self.text, self.file, self.folder, self.machine) }
    }

    /// The value, or `None` and one more mistake.
    pub(super) fn keep<T>(&mut self, result: Result<T, Bad>) -> Option<T> {
        result.map_err(|bad| self.bads.push(bad)).ok()
    }

    /// The values, and a mistake for each that is none.
    pub(super) fn keep_each<T>(&mut self, results: impl IntoIterator<Item = Result<T, Bad>>) -> Vec<T> {
        results.into_iter().filter_map(|result| self.keep(result)).collect()
    }

    /// Reports what is wrong only where it is in force.
    pub(super) fn refuse(&mut self, span: Range<usize>, problem: Problem) {
        if !self.is_trial {
            self.bads.push(problem.at(span));
        }
    }

    pub(super) fn warn(&mut self, span: Range<usize>, message: impl Into<String>) {
        let warning = Warning::new(self.text, self.file, span, message.into());
        if !self.is_trial && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    pub(super) fn explain(
        &mut self,
        (whose, index): (Whose, Option<usize>),
        (table, name): (&str, &str),
        value: Shown,
        origin: Origin,
    ) {
        if let Some(key) = keys::find(&whose, table, name) {
            self.explained.push(Explained { whose, key, index, value, origin });
        }
    }

    pub(super) fn line(&self, span: &Range<usize>) -> usize {
        Place::of(self.text, span.start).line
    }

    /// A text's path, from the configuration's folder.
    pub(super) fn path(&self, text: &str) -> PathBuf {
        self.folder.join(text)
    }
}
