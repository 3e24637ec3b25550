//! What can be seen of processes: traced, sampled and counted, which is tried.

use std::time::Duration;

use unladen_probe::{GroupBy, Instrument, PROBES, StackSampler, TraceError, Tracer, TracerConfig};

use crate::doctor::check::{Asked, Check};
use crate::doctor::row::{AS_ROOT, Row, Verb, is_root};

/// The minimum is enough, as nothing is followed.
const RING_BYTES: u32 = 1 << 20;

/// The kernel verifies each program: a tenth of a second on fast processors, thirty times as long where they are
/// emulated.
const LIMIT: Duration = Duration::from_secs(10);

/// Whether the tracer can be loaded, which is tried.
pub(super) const TRACER: Check = Check { limit: LIMIT, ..Check::new("tracer", Verb::TRACING, tracer) };

fn tracer(_: &Asked) -> Vec<Row> {
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

fn refused(verbs: &'static [Verb], error: &TraceError) -> Row {
    let row = Row::missing(verbs, error.to_string());
    // The other messages say themselves what to type.
    if matches!(error, TraceError::NotAllowed) && !is_root() { row.fix(AS_ROOT) } else { row }
}

/// As `profile` has it.
const FREQUENCY: u64 = 997;

/// Whether the kernel's clock can sample stacks, which is tried.
// The loader's error messages go to one buffer per process, so it runs after the tracer.
pub(super) const STACKS: Check = Check { is_late: true, ..Check::new("stacks", &[Verb::Profile], stacks) };

fn stacks(asked: &Asked) -> Vec<Row> {
    // CAP_PERFMON overrides it; without, the sampler says what is missing.
    let paranoid = asked.line("proc/sys/kernel/perf_event_paranoid").unwrap_or_else(|| "unknown".to_owned());
    vec![match StackSampler::open(FREQUENCY) {
        Ok(_) => {
            Row::ok(&[Verb::Profile], format!("the kernel's clock samples stacks (perf_event_paranoid is {paranoid})"))
        }
        Err(error) => refused(&[Verb::Profile], &error),
    }]
}

const COUNTED: &[Verb] = &[Verb::Weigh, Verb::Prove];

/// Which probes have something to read here.
pub(super) const COUNTERS: Check = Check::new("counters", COUNTED, counters);

fn counters(_: &Asked) -> Vec<Row> {
    let instrument = match Instrument::open(GroupBy::Auto) {
        Ok(instrument) => instrument,
        Err(error) => return vec![Row::missing(COUNTED, error.to_string())],
    };
    let unavailable = instrument.unavailable();
    let is_there = |name: &str| unavailable.iter().all(|(lacking, _)| *lacking != name);
    let names: Vec<&str> = PROBES.iter().map(|probe| probe.name).filter(|name| is_there(name)).collect();
    let mut rows =
        vec![Row::ok(COUNTED, format!("{} of {} probes work: {}", names.len(), PROBES.len(), names.join(", ")))];
    rows.extend(
        unavailable.iter().map(|(name, why)| Row::limited(COUNTED, format!("the probe {name}")).so(why.clone())),
    );
    rows.extend(instrument.shortfalls().into_iter().map(|lack| {
        let row =
            Row::limited(COUNTED, format!("not counted: {}", lack.missing)).so(format!("it needs {}", lack.takes));
        if lack.takes == "root" && !is_root() { row.fix(AS_ROOT) } else { row }
    }));
    rows
}
