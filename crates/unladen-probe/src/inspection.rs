//! The activity of process groups, as evidence. The principal type is [`Inspection`].

mod error;
mod group_seen;
mod php;
mod resolver;
mod watched;

use std::collections::BTreeSet;

use unladen_trace::{Assembly, Evidence, EvidenceSource, Window};

pub use self::error::InspectionError;
pub use self::group_seen::group_seen;

use self::resolver::ProcResolver;
use self::watched::watched;
use crate::instrument::Instrument;
use crate::ledger::GroupId;
use crate::trace::{Tracer, TracerConfig};

const TRACED: [EvidenceSource; 5] = [
    EvidenceSource::Syscalls,
    EvidenceSource::Processes,
    EvidenceSource::Php,
    EvidenceSource::Perl,
    EvidenceSource::Sqlite,
];

/// Traces groups of processes of this machine, phase by phase.
///
/// Phases are defined by the sender of the requests, possibly on another machine.
pub struct Inspection {
    tracer: Tracer,
    groups: Vec<GroupId>,
    assembly: Assembly,
    /// The process of each group that did most during the counting so far.
    busiest: Vec<Option<u32>>,
}

impl Inspection {
    /// Evidence that only an inspection yields.
    pub const SOURCES: [EvidenceSource; 5] = TRACED;

    /// Attaches to these groups, which evidence names by index. Fails if this process may not trace, or the kernel
    /// cannot.
    pub fn open(
        config: &TracerConfig,
        instrument: &mut Instrument,
        groups: Vec<GroupId>,
    ) -> Result<Self, InspectionError> {
        let tracer = Tracer::open(config)?;
        let assembly = Assembly::new(Box::new(ProcResolver));
        let mut inspection = Self { tracer, groups, assembly, busiest: Vec::new() };
        inspection.watch(instrument)?;
        Ok(inspection)
    }

    /// Tells the tracer about current processes. Fails if they cannot be found, or the kernel has no room for them.
    pub fn watch(&mut self, instrument: &mut Instrument) -> Result<(), InspectionError> {
        instrument.read()?;
        let members: Vec<Vec<_>> = self.groups.iter().map(|group| instrument.members(*group).collect()).collect();
        self.tracer.watch(&watched(&members, same_program))?;
        Ok(())
    }

    /// Discards what was traced since the last phase. Fails if the kernel's maps cannot be read.
    pub fn discard(&mut self) -> Result<(), InspectionError> {
        self.tracer.take()?;
        Ok(())
    }

    /// Adds a phase with everything traced since the last one. Fails if the kernel's maps cannot be read.
    pub fn phase(&mut self, window: &Window) -> Result<(), InspectionError> {
        let batch = self.tracer.take()?;
        self.assembly.phase(window, batch);
        Ok(())
    }

    /// Writes counts and their sources into the evidence, and begins a new counting.
    pub fn finish(&mut self, evidence: &mut Evidence) {
        let assembly = std::mem::replace(&mut self.assembly, Assembly::new(Box::new(ProcResolver)));
        self.busiest = (0..self.groups.len()).map(|group| assembly.busiest(group)).collect();
        assembly.finish(evidence);
        evidence.overhead_ns = self.tracer.overhead_ns();
        // Where no group runs Perl, for instance, nothing was missed.
        let missing: BTreeSet<EvidenceSource> = self.tracer.missing().iter().map(|missing| missing.source).collect();
        evidence.missing.extend(self.tracer.missing());
        evidence.sources.extend(TRACED.into_iter().filter(|source| !missing.contains(source)));
    }

    /// Asks the PHPs in the groups for their settings, in each group the process that did most in this counting.
    pub fn php_settings(&self, instrument: &Instrument, evidence: &mut Evidence) {
        php::php_settings(instrument, &self.groups, &self.busiest, evidence);
    }
}

/// Asks the PHPs in groups that are not traced for their settings.
pub fn php_settings(instrument: &Instrument, groups: &[GroupId], evidence: &mut Evidence) {
    php::php_settings(instrument, groups, &[], evidence);
}

fn same_program(a: i32, b: i32) -> bool {
    let exe = |pid: i32| std::fs::read_link(format!("/proc/{pid}/exe")).ok();
    exe(a).is_some_and(|a| Some(a) == exe(b))
}
