//! What the machine did during a measurement, for results: [`machine`], [`taken_warning`]; and the [`conditions`] of
//! blocks; and the [`ReferenceWork`] between them.

use std::time::Duration;

use unladen_load::Cancel;
use unladen_lockin::{Conditions, Spoiled, SpoiledVerdict};
use unladen_machine::{Figure, Interleaved, MachineTimes, ReferenceError};
use unladen_report::{Machine, ReferenceFigure, SpoiledBlocks, SpoiledFate, Taken, Warning};

/// Input of the rule for spoiled blocks.
pub(crate) fn conditions(times: &MachineTimes) -> Conditions {
    let ns = |time: Duration| time.as_secs_f64() * 1e9;
    Conditions {
        elapsed_ns: ns(times.elapsed),
        available_ns: ns(times.available),
        busy_ns: ns(times.busy),
        stolen_ns: ns(times.stolen),
        throttled_ns: ns(times.throttled),
    }
}

/// For results; `spoiled` if measured in blocks.
pub(crate) fn machine(times: &MachineTimes, spoiled: Option<&Spoiled>) -> Machine {
    let is_left_out = |spoiled: &Spoiled| spoiled.verdict == SpoiledVerdict::LeftOut;
    let count = |spoiled: &Spoiled| spoiled.count() as u64;
    Machine {
        stolen_share: Some(times.stolen_share()),
        throttled_ns: Some(u64::try_from(times.throttled.as_nanos()).unwrap_or(u64::MAX)),
        pressure_cpu_share: times.pressure_share(),
        frequency_hz: times.frequency_hz.map(|(low, high)| [low, high]),
        spoiled_blocks: spoiled.map(|spoiled| if is_left_out(spoiled) { count(spoiled) } else { 0 }),
        spoiled_kept_blocks: spoiled.filter(|spoiled| !is_left_out(spoiled)).map(count).filter(|kept| *kept > 0),
        blocks: spoiled.map(|spoiled| spoiled.blocks.len() as u64),
        ..Machine::default()
    }
}

pub(crate) fn taken(times: &MachineTimes) -> Taken {
    Taken { stolen_share: times.stolen_share(), throttled: times.throttled }
}

pub(crate) fn taken_warning(times: &MachineTimes, spoiled: Option<&Spoiled>) -> Option<Warning> {
    let taken = taken(times);
    let blocks = spoiled.and_then(|spoiled| {
        let fate = match spoiled.verdict {
            SpoiledVerdict::NoneSpoiled => return None,
            SpoiledVerdict::LeftOut => SpoiledFate::LeftOut,
            SpoiledVerdict::TooMany => SpoiledFate::TooMany,
            SpoiledVerdict::ByLoad => SpoiledFate::ByLoad,
        };
        Some(SpoiledBlocks { spoiled: spoiled.count(), blocks: spoiled.blocks.len(), fate })
    });
    (blocks.is_some() || taken.is_notable(times.elapsed)).then_some(Warning::Taken { taken, blocks })
}

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
