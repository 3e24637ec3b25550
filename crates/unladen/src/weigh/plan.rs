//! The principal type is [`Plan`]: the lengths of phases and of the run, from what the page and the probes need.
//!
//! Short phases make many blocks, and intervals shrink with their number. But a phase has to hold some requests and the
//! settle gap, and the readings at its edges must be cheap beside it.

use std::time::Duration;

use unladen_lockin::{MIN_BLOCKS, PHASES_PER_BLOCK};

use crate::exit::Failure;
use crate::weigh::edge::SourceKind;
use crate::weigh::options::{Budget, Options};

/// Default phase: long against the settle gap, short enough for fifteen blocks in half a minute.
const USUAL_PHASE: Duration = Duration::from_millis(500);
/// With fewer blocks, phases are shortened if possible.
const WANTED_BLOCKS: u32 = 12;
/// Number of blocks for which a run is extended, if the user set no time.
const EXTENDED_BLOCKS: u32 = 12;
/// A run takes at most this multiple of its planned time, with blocks in place of spoiled ones.
const REPLACING: f64 = 1.5;
/// Least number of requests in an on phase, times the concurrency.
const REQUESTS_A_PHASE: u32 = 3;
/// The settle gap is at most one part in this many of a phase: the requests of a quick page need a phase to run in.
const SETTLE_PART: u32 = 2;
/// A reading costs at most one part in this many of a phase.
const READ_PART: u32 = 200;
/// Shortest phase: below it, late wake-ups matter.
const LEAST_PHASE: Duration = Duration::from_millis(50);
/// Longest phase, so that sums of durations stay far from any limit.
const LONGEST_PHASE: Duration = Duration::from_secs(3_600);

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plan {
    /// Mean length of a phase.
    pub(crate) phase: Duration,
    /// End of an on phase after its last response.
    pub(crate) settle: Duration,
    /// The run ends with the first round of blocks that ends after this.
    pub(crate) time: Duration,
    /// Fewest rounds of blocks before the run ends by time.
    pub(crate) least_rounds: usize,
    pub(crate) extended: Option<Reason>,
    /// Time of the fewest rounds of blocks.
    pub(crate) least_time: Duration,
    /// Time of as many blocks as are wanted, if there are fewer.
    pub(crate) shortened_from: Option<Duration>,
    /// Limit of extensions for blocks in place of spoiled ones; no longer than `time` if that was given.
    pub(crate) most_time: Duration,
}

impl Plan {
    pub(crate) const USUAL_SETTLE: Duration = Duration::from_millis(100);

    /// Rounds without a spoiled block for which a run goes on until [`Plan::most_time`]: with fewer left, the p-value
    /// of a family of five counters cannot become small enough.
    pub(crate) const CLEAN_ROUNDS: usize = EXTENDED_BLOCKS as usize;

    /// Fails if what was asked for cannot carry an interval, or if a run without a given time would take longer than
    /// anybody waits for unasked ([`Budget::MOST_TIME`]).
    pub(crate) fn choose(options: &Options, known: &Known) -> Result<Self, PlanError> {
        let Budget { time, requests, until } = options.budget;
        let settle = match options.settle {
            Some(given) if given < known.settle => {
                return Err(PlanError::ShortSettle { given, needed: known.settle });
            }
            Some(given) => given,
            None => Self::USUAL_SETTLE.max(known.settle),
        };
        let gap = options.driver.rate.map_or(known.latency, |rate| {
            let between = Duration::try_from_secs_f64(1.0 / rate).unwrap_or(LONGEST_PHASE);
            known.latency.max(between * options.driver.concurrency as u32)
        });
        let least = (settle + gap * REQUESTS_A_PHASE)
            .max(settle * SETTLE_PART)
            .max(known.read * READ_PART)
            .clamp(LEAST_PHASE, LONGEST_PHASE);
        let phases = known.urls.max(1) as u32 * PHASES_PER_BLOCK as u32;

        let phase_within = |time: Duration| {
            (time / (phases * WANTED_BLOCKS)).saturating_sub(known.edge).clamp(least, least.max(USUAL_PHASE))
        };

        let mut phase = match (options.phase, requests, time) {
            (Some(phase), _, _) => {
                let needed = settle + known.latency;
                if phase <= needed {
                    return Err(PlanError::ShortPhase { given: phase, settle, needed, latency: known.latency });
                }
                phase.min(LONGEST_PHASE)
            }
            (None, Some(requests), _) => {
                // Half of the phases are on; phases for this many requests in the wanted number of blocks.
                let a_phase = requests.div_ceil(u64::from(WANTED_BLOCKS) * 2) as u32;
                let for_requests = settle + gap * a_phase.div_ceil(options.driver.concurrency as u32);
                for_requests.clamp(least, least.max(USUAL_PHASE))
            }
            (None, None, Some(time)) => phase_within(time),
            (None, None, None) => least.max(USUAL_PHASE),
        };
        // Everything waits for the answers of other hosts at each edge.
        let blocks = |phase: Duration, count: u32| (phase + known.edge) * phases * count;
        let why = |phase| Self::reason(options, known, phase, settle, gap);
        let least_rounds = MIN_BLOCKS;
        let plan = |phase, time, extended| Self {
            phase,
            settle,
            time,
            least_rounds,
            extended,
            least_time: blocks(phase, MIN_BLOCKS as u32),
            shortened_from: None,
            most_time: time,
        };
        let unasked = |plan: Self| Self { most_time: plan.time.mul_f64(REPLACING), ..plan };
        if let Some(given) = requests {
            let needed = (MIN_BLOCKS * 2) as u64;
            if given < needed {
                return Err(PlanError::TooFew { given, needed });
            }
            let planned = plan(phase, Duration::MAX, None);
            let extended = (planned.least_time > Budget::TIME).then(|| why(phase));
            return Ok(Self { extended, ..planned });
        }
        if let Some(given) = time {
            if given < blocks(phase, MIN_BLOCKS as u32).mul_f64(0.999) {
                let needed = blocks(least, MIN_BLOCKS as u32);
                return Err(PlanError::TooShort { given, needed, phase: least, known: Box::new(known.clone()) });
            }
            return Ok(plan(phase, given, None));
        }
        let usual = if until.is_some() { Budget::MOST_TIME_UNTIL } else { Budget::TIME };
        let wanted = blocks(phase, EXTENDED_BLOCKS);
        if wanted <= Budget::MOST_TIME.max(usual) {
            let extended = (wanted > usual).then(|| why(phase));
            return Ok(unasked(plan(phase, usual.max(wanted), extended)));
        }
        // As if that time had been given.
        let most = Budget::MOST_TIME;
        phase = options.phase.map_or_else(|| phase_within(most), |_| phase);
        let wanted = blocks(phase, EXTENDED_BLOCKS);
        let needed = blocks(phase, MIN_BLOCKS as u32);
        if needed > most.mul_f64(1.001) {
            return Err(PlanError::TooLong { most, needed, wanted, phase, why: why(phase) });
        }
        let shortened_from = (wanted > most.mul_f64(1.001)).then_some(wanted);
        Ok(Self { shortened_from, ..unasked(plan(phase, most, Some(why(phase)))) })
    }

    /// Why phases have to be this long, or a run of such phases is long.
    fn reason(options: &Options, known: &Known, phase: Duration, settle: Duration, gap: Duration) -> Reason {
        if options.phase.is_some() {
            return Reason::Given;
        }
        let for_requests = gap * REQUESTS_A_PHASE;
        let for_reading = known.read * READ_PART;
        // Then it is not phases that make the run long.
        if phase <= USUAL_PHASE && known.urls > 1 {
            return Reason::Urls(known.urls);
        }
        if phase <= USUAL_PHASE && known.edge > Duration::ZERO {
            return Reason::Edge { edge: known.edge, of: known.edge_of.clone() };
        }
        if for_reading >= (settle + for_requests).max(settle * SETTLE_PART) {
            return Reason::Reading(known.read);
        }
        match (settle >= for_requests, options.settle) {
            (true, Some(given)) => Reason::GivenSettle(given),
            (true, None) => Reason::Settle { settle, of: known.settle_of.clone() },
            (false, _) => match options.driver.rate {
                Some(rate) if gap > known.latency => Reason::Rate(rate),
                _ => Reason::Latency(known.latency),
            },
        }
    }

    /// Printed before the first phase of a run that takes longer than usual.
    pub(crate) fn announcement(&self) -> Option<String> {
        let why = self.extended.as_ref()?;
        let phase = length(self.phase);
        Some(match (self.time, self.shortened_from) {
            (Duration::MAX, _) => {
                format!("measuring takes at least {}: phases last {phase}, because {why}", rough(self.least_time))
            }
            (time, None) => {
                format!("measuring takes {}: phases last {phase}, because {why} (--time limits it)", rough(time))
            }
            (time, Some(wanted)) => format!(
                "measuring takes {}, in fewer blocks than usual: phases last {phase}, because {why} (--time {} gives \
                 the usual number)",
                rough(time),
                minutes(wanted)
            ),
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Known {
    /// Median latency of the warm-up, of the slowest URL.
    pub(crate) latency: Duration,
    /// CPU time of a reading.
    pub(crate) read: Duration,
    /// Time for other hosts at each edge of phases; zero without them.
    pub(crate) edge: Duration,
    /// Least settle gap for other hosts; zero without them.
    pub(crate) settle: Duration,
    /// The slowest source at the edges of phases.
    pub(crate) edge_of: Option<String>,
    /// The source that needs the settle gap.
    pub(crate) settle_of: Option<(String, SourceKind)>,
    pub(crate) urls: usize,
}

/// Why the phases of a run, or the run, are as long as they are. Its `Display` continues after "as".
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
pub(crate) enum Reason {
    /// The user said so (`--phase`).
    #[display("--phase sets that")]
    Given,
    /// The user's settle gap (`--settle`).
    #[display("the settle gap is {} (--settle)", length(*_0))]
    GivenSettle(Duration),
    /// A source elsewhere that reports late, or is far away.
    #[display("{}", for_settle(*settle, of))]
    Settle {
        settle: Duration,
        /// The source, if known.
        of: Option<(String, SourceKind)>,
    },
    /// Each phase has to hold some requests of this latency.
    #[display("a request takes {}, and each phase needs several", length(*_0))]
    Latency(Duration),
    /// Each phase has to hold some requests, and few are sent.
    #[display("only {_0} requests per second are sent (--rate), and each phase needs several")]
    Rate(f64),
    /// CPU time of reading the counters.
    #[display("a reading of all counters takes {} of CPU", length(*_0))]
    Reading(Duration),
    /// Everything waits for a source elsewhere at each edge of phases.
    #[display(
        "the answers of {} take {} at each edge of a phase",
        of.as_deref().unwrap_or("other hosts"), length(*edge)
    )]
    Edge {
        edge: Duration,
        /// The source, if known.
        of: Option<String>,
    },
    /// This many URLs take turns.
    #[display("{_0} URLs take turns")]
    Urls(usize),
}

fn for_settle(settle: Duration, of: &Option<(String, SourceKind)>) -> String {
    let settle = length(settle);
    match of {
        Some((name, SourceKind::Exporter)) => {
            format!("it takes up to {settle} until the exporter {name} reports what requests did")
        }
        Some((name, SourceKind::Host)) => {
            format!("the settle gap is {settle} because of the connection to {name}")
        }
        None => format!("the settle gap is {settle}"),
    }
}

/// `320 ms`, `7.5 s`
fn length(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds < 1.0 {
        true => format!("{:.0} ms", seconds * 1e3),
        false => format!("{seconds:.1} s"),
    }
}

/// `about 40 s`, `about 6 min`
fn rough(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..120 => format!("about {seconds} s"),
        seconds => format!("about {} min", (seconds + 30) / 60),
    }
}

/// Rounded up, in the format of `--time`: `12min`
fn minutes(time: Duration) -> String {
    format!("{}min", time.as_secs_f64().div_euclid(60.0) + 1.0)
}

/// What was asked for cannot carry an interval.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(crate) enum PlanError {
    #[error(
        "{} is too short: a request takes {} ms here and a reading of all counters {} ms of CPU, so a phase lasts at \
         least {} ms{}, and an interval needs {MIN_BLOCKS} blocks of four phases: {} s",
        humantime::format_duration(*.given), millis(known.latency), millis(known.read), millis(*.phase), way(known), needed.as_secs_f64().ceil()
    )]
    TooShort { given: Duration, needed: Duration, phase: Duration, known: Box<Known> },
    #[error(
        "this takes longer than {} min, the limit without --time: phases last {}, because {why}, and the {MIN_BLOCKS} \
         blocks of four phases that an interval needs take {}. Use --time {}, which has twice as many, or at least \
         --time {}",
        .most.as_secs() / 60, length(*.phase), rough(*.needed), minutes(*.wanted), minutes(*.needed)
    )]
    TooLong { most: Duration, needed: Duration, wanted: Duration, phase: Duration, why: Reason },
    #[error("{given} requests are too few: the {MIN_BLOCKS} blocks of phases for an interval need {needed}")]
    TooFew { given: u64, needed: u64 },
    #[error(
        "a settle gap of {} is too short: the connections to other hosts, or the age of exporters' values, need {} ms \
         (--settle; without it, the gap is as long as needed)",
        humantime::format_duration(*.given), millis(*.needed)
    )]
    ShortSettle { given: Duration, needed: Duration },
    #[error(
        "phases of {} are too short: the settle gap ({}) and a request ({:.0} ms here) need at least {:.0} ms (--phase, --settle)",
        humantime::format_duration(*.given), humantime::format_duration(*.settle), latency.as_secs_f64() * 1e3, needed.as_secs_f64() * 1e3
    )]
    ShortPhase { given: Duration, settle: Duration, needed: Duration, latency: Duration },
}

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Self {
        Self::CannotMeasure(error.to_string())
    }
}

/// `, with 21 ms more for the answers of other hosts, and a settle gap of 1300 ms for what they tell late`
fn way(known: &Known) -> String {
    let mut way = match known.edge {
        Duration::ZERO => String::new(),
        edge => format!(", with {} ms more for the answers of other hosts", millis(edge)),
    };
    if known.settle > Duration::ZERO {
        way.push_str(&format!(
            ", and a settle gap of {} ms for late values of hosts and exporters",
            millis(known.settle)
        ));
    }
    way
}

/// `20`, `0.3`
fn millis(duration: Duration) -> String {
    let millis = duration.as_secs_f64() * 1e3;
    if millis < 10.0 { format!("{millis:.1}") } else { format!("{millis:.0}") }
}

#[cfg(test)]
mod tests;
