//! The principal type is [`Counters`]: which probes have something to read here.

use unladen_probe::{GroupBy, Instrument, PROBES};

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::doctor::shell::{AS_ROOT, is_root};

pub(crate) struct Counters;

const VERBS: &[Verb] = &[Verb::Weigh, Verb::Prove];

impl Check for Counters {
    fn name(&self) -> &'static str {
        "counters"
    }

    fn verbs(&self) -> &'static [Verb] {
        VERBS
    }

    fn look(&self, _: &Asked) -> Vec<Row> {
        let instrument = match Instrument::open(GroupBy::Auto) {
            Ok(instrument) => instrument,
            Err(error) => return vec![Row::missing(VERBS, error.to_string())],
        };
        let unavailable = instrument.unavailable();
        let is_there = |name: &str| unavailable.iter().all(|(lacking, _)| *lacking != name);
        let names: Vec<&str> = PROBES.iter().map(|probe| probe.name).filter(|name| is_there(name)).collect();
        let mut rows =
            vec![Row::ok(VERBS, format!("{} of {} probes count: {}", names.len(), PROBES.len(), names.join(", ")))];
        rows.extend(
            unavailable.iter().map(|(name, why)| Row::limited(VERBS, format!("the probe {name}")).so(why.clone())),
        );
        rows.extend(instrument.shortfalls().into_iter().map(|lack| {
            let row =
                Row::limited(VERBS, format!("not counted: {}", lack.missing)).so(format!("it takes {}", lack.takes));
            if lack.takes == "root" && !is_root() { row.fix(AS_ROOT) } else { row }
        }));
        rows
    }
}
