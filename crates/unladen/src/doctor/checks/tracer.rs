//! The principal type is [`TracerLoads`]: whether the tracer can be loaded, which is tried.

use std::time::Duration;

use unladen_probe::{TraceError, Tracer, TracerConfig};

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::doctor::shell::{AS_ROOT, is_root};

pub(crate) struct TracerLoads;

/// The minimum is enough, as nothing is followed.
const RING_BYTES: u32 = 1 << 20;

/// The kernel verifies each program: a tenth of a second on fast processors, thirty times as long where they are
/// emulated.
const LIMIT: Duration = Duration::from_secs(10);

impl Check for TracerLoads {
    fn name(&self) -> &'static str {
        "tracer"
    }

    fn verbs(&self) -> &'static [Verb] {
        Verb::TRACING
    }

    fn limit(&self) -> Duration {
        LIMIT
    }

    fn look(&self, _: &Asked) -> Vec<Row> {
        let config = TracerConfig { ring_bytes: RING_BYTES, ..TracerConfig::default() };
        vec![match Tracer::open(&config) {
            Ok(tracer) => Row::ok(Verb::TRACING, "its programs (eBPF, with BTF) load and attach").so(tracer
                .missing()
                .iter()
                .map(|missing| missing.why.clone())
                .collect::<Vec<_>>()
                .join("; ")),
            Err(error) => refused(Verb::TRACING, &error),
        }]
    }
}

pub(super) fn refused(verbs: &'static [Verb], error: &TraceError) -> Row {
    let row = Row::missing(verbs, error.to_string());
    // The other messages say themselves what to type.
    if matches!(error, TraceError::NotAllowed) && !is_root() { row.fix(AS_ROOT) } else { row }
}
