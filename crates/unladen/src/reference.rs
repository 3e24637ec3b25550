//! The principal type is [`ReferenceWork`]: reference work between the blocks of a run. A run goes on without it.

use unladen_load::Cancel;
use unladen_machine::{Figure, Interleaved, ReferenceError};
use unladen_report::{Machine, ReferenceFigure, Warning};

/// The work, or why there is none.
#[derive(Debug)]
pub(crate) struct ReferenceWork(Result<Interleaved, ReferenceError>);

// === impl ReferenceWork ===

impl ReferenceWork {
    /// Makes it ready, just before the first block.
    pub(crate) fn start(seed: u64) -> Self {
        Self(Interleaved::start(seed))
    }

    /// Does some of it, after a block and before the next.
    pub(crate) fn between_blocks(&mut self, cancel: &Cancel) {
        let done = self.0.as_mut().map_or(Ok(()), |work| work.between_blocks(|pause| cancel.wait(pause)));
        if let Err(error) = done {
            self.0 = Err(error);
        }
    }

    /// Adds what it took to what is said of the machine. With too few blocks for an interval there is nothing to add.
    pub(crate) fn tell(&self, machine: &mut Machine) {
        let Ok(Ok(reference)) = self.0.as_ref().map(Interleaved::figures) else { return };
        machine.reference = reference.figures.iter().map(figure).collect();
        machine.reference_version = Some(u64::from(reference.version));
        machine.reference_cost_share = Some(reference.cost_share);
    }

    /// Why there is none.
    pub(crate) fn warning(&self) -> Option<Warning> {
        self.0.as_ref().err().map(|error| Warning::NoReference { why: error.to_string() })
    }
}

fn figure(figure: &Figure) -> ReferenceFigure {
    ReferenceFigure { name: figure.kind.to_string(), ns: figure.cpu.value, low: figure.cpu.low, high: figure.cpu.high }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn told(work: &ReferenceWork) -> Machine {
        let mut machine = Machine::default();
        work.tell(&mut machine);
        machine
    }

    #[test]
    fn a_run_of_a_few_blocks_has_figures_of_each_kind() {
        let mut work = ReferenceWork::start(1);
        let begun = Instant::now();
        // Blocks until the figures are there: how much fits between two of them depends on the machine.
        while told(&work).reference.is_empty() {
            assert!(begun.elapsed() < Duration::from_secs(60), "no figures after a minute");
            std::thread::sleep(Duration::from_millis(200));
            work.between_blocks(&Cancel::new());
        }
        let machine = told(&work);
        let names: Vec<&str> = machine.reference.iter().map(|reference| reference.name.as_str()).collect();
        assert_eq!(names, ["arithmetic", "memory", "syscalls"]);
        assert!(machine.reference.iter().all(|one| 0.0 < one.low && one.low <= one.ns && one.ns <= one.high));
        assert_eq!(machine.reference_version, Some(u64::from(unladen_machine::REFERENCE_VERSION)));
        assert!(machine.reference_cost_share.is_some_and(|share| share > 0.0 && share < 1.0));
        assert_eq!(work.warning(), None);
    }

    #[test]
    fn a_run_without_blocks_has_none() {
        assert_eq!(told(&ReferenceWork::start(1)), Machine::default());
    }

    #[test]
    fn why_there_is_none_is_a_warning() {
        let source = std::io::Error::other("too many open files");
        let mut work = ReferenceWork(Err(ReferenceError::Pipe { source }));
        work.between_blocks(&Cancel::new());
        assert_eq!(told(&work), Machine::default());
        assert!(work.warning().is_some_and(|warning| warning.to_string().contains("too many open files")));
    }
}
