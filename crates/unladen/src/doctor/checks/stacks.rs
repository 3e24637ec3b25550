//! The principal type is [`Stacks`]: whether the kernel's clock can sample stacks, which is tried.

use unladen_probe::StackSampler;

use super::tracer::refused;
use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};

pub(crate) struct Stacks;

/// As `profile` has it.
const FREQUENCY: u64 = 997;

impl Check for Stacks {
    fn name(&self) -> &'static str {
        "stacks"
    }

    fn verbs(&self) -> &'static [Verb] {
        &[Verb::Profile]
    }

    // The loader's error messages go to one buffer per process, so it runs after the tracer.
    fn is_late(&self) -> bool {
        true
    }

    fn look(&self, asked: &Asked) -> Vec<Row> {
        // CAP_PERFMON overrides it; without, the sampler says what is missing.
        let paranoid = asked.line("proc/sys/kernel/perf_event_paranoid").unwrap_or_else(|| "unknown".to_owned());
        vec![match StackSampler::open(FREQUENCY) {
            Ok(_) => {
                Row::ok(self.verbs(), format!("the kernel's clock samples stacks (perf_event_paranoid is {paranoid})"))
            }
            Err(error) => refused(self.verbs(), &error),
        }]
    }
}
