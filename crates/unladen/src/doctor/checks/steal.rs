//! The principal type is [`Steal`]: CPU time the hypervisor and quotas take now, and the processors' clock.

use std::time::Duration;

use unladen_machine::{MachineClock, MachineTimes};

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::machine::conditions;

pub(crate) struct Steal;

/// The kernel counts in hundredths of a second.
const LOOKS: Duration = Duration::from_millis(500);

impl Check for Steal {
    fn name(&self) -> &'static str {
        "steal"
    }

    fn verbs(&self) -> &'static [Verb] {
        Verb::MEASURING
    }

    fn look(&self, _: &Asked) -> Vec<Row> {
        let mut clock = MachineClock::open();
        let before = clock.read();
        std::thread::sleep(LOOKS);
        vec![row(&clock.read().since(&before))]
    }
}

fn row(times: &MachineTimes) -> Row {
    let of_quota = times.throttled_share() * 100.0;
    let taken = format!("the hypervisor takes {:.1} % of the processors' time now", times.stolen_share() * 100.0);
    let taken =
        if of_quota > 0.0 { format!("{taken}, and a CPU quota holds this back for {of_quota:.1} %") } else { taken };
    // The rule by which blocks of a run are left out.
    if conditions(times).is_spoiled() {
        return Row::limited(Verb::MEASURING, taken)
            .so("blocks of a run in which that is so are left out")
            .advice("measure longer, at another time, or on a machine without neighbours");
    }
    let frequency = times
        .frequency_hz
        .map(|(low, high)| format!("; the processors run at {:.2} to {:.2} GHz", low as f64 / 1e9, high as f64 / 1e9));
    Row::ok(Verb::MEASURING, format!("{taken}{}", frequency.unwrap_or_default()))
}

#[cfg(test)]
mod tests;
