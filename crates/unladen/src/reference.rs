//! The principal type is [`ReferenceWork`]: reference work between the blocks of a run. A run goes on without it.

use unladen_load::Cancel;
use unladen_machine::{Figure, Interleaved, ReferenceError};
use unladen_report::{Machine, ReferenceFigure, Warning};

/// The work, or why there is none.
#[derive(Debug)]
pub(crate) struct ReferenceWork(Result<Interleaved, ReferenceError>);

impl ReferenceWork {
    pub(crate) fn start(seed: u64) -> Self {
        Self(Interleaved::start(seed))
    }

    pub(crate) fn between_blocks(&mut self, cancel: &Cancel) {
        let done = self.0.as_mut().map_or(Ok(()), |work| work.between_blocks(|pause| cancel.wait(pause)));
        if let Err(error) = done {
            self.0 = Err(error);
        }
    }

    /// Adds its duration to the machine's figures, unless there are too few blocks for an interval.
    pub(crate) fn tell(&self, machine: &mut Machine) {
        let Ok(Ok(reference)) = self.0.as_ref().map(Interleaved::figures) else { return };
        machine.reference = reference.figures.iter().map(figure).collect();
        machine.reference_version = Some(u64::from(reference.version));
        machine.reference_cost_share = Some(reference.cost_share);
    }

    pub(crate) fn warning(&self) -> Option<Warning> {
        self.0.as_ref().err().map(|error| Warning::NoReference { why: error.to_string() })
    }
}

fn figure(figure: &Figure) -> ReferenceFigure {
    ReferenceFigure { name: figure.kind.to_string(), ns: figure.cpu.value, low: figure.cpu.low, high: figure.cpu.high }
}

#[cfg(test)]
mod tests;
