//! The principal type is [`Processors`]: how many may be used.

use unladen_machine::Environment;

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};

pub(crate) struct Processors;

impl Check for Processors {
    fn name(&self) -> &'static str {
        "processors"
    }

    fn verbs(&self) -> &'static [Verb] {
        Verb::MEASURING
    }

    fn look(&self, _: &Asked) -> Vec<Row> {
        let environment = Environment::of_this_machine();
        vec![row(environment.processors, environment.processor_quota, environment.cpu.as_deref())]
    }
}

fn row(processors: usize, quota: Option<f64>, model: Option<&str>) -> Row {
    let count = if processors == 1 { "one processor".to_owned() } else { format!("{processors} processors") };
    let quota = quota.map(|quota| format!(", a quota of {quota:.1}")).unwrap_or_default();
    let what = format!("{count}{quota} ({})", model.unwrap_or("of unknown model"));
    if processors == 1 {
        return Row::limited(Verb::MEASURING, what)
            .so("the requests are sent by the processor that answers them, so latencies hold the client's work too")
            .advice("send the load from another host: --from 'ssh HOST'");
    }
    Row::ok(Verb::MEASURING, what)
}

#[cfg(test)]
mod tests;
