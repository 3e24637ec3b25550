//! The principal type is [`Plan`]: how long phases and the run are to be, from what the page and the
//! probes need.
//!
//! Short phases give many blocks, and intervals shrink with their number. But a phase has to hold some
//! requests and the settle gap, and the readings at its edges must cost little beside it.

use std::time::Duration;

use unladen_lockin::{MIN_BLOCKS, PHASES_PER_BLOCK};

use crate::weigh::known::Known;
use crate::weigh::options::{Budget, Options};
use crate::weigh::plan_error::PlanError;

/// A phase unless something needs a longer one: long against the settle gap, short enough for fifteen
/// blocks in half a minute.
const USUAL_PHASE: Duration = Duration::from_millis(500);
/// Blocks below which phases are made shorter, if they can be.
const WANTED_BLOCKS: u32 = 12;
/// Blocks that a run is made longer for, if the user set no time.
const EXTENDED_BLOCKS: u32 = 12;
/// Requests that an on phase holds at least, of each that is under way at once.
const REQUESTS_A_PHASE: u32 = 3;
/// The settle gap is at most this part of a phase: the requests of a quick page need a phase to run in.
const SETTLE_PART: u32 = 2;
/// A reading costs at most this part of a phase.
const READ_PART: u32 = 200;
/// The least length of a phase: below it, waking up late weighs.
const LEAST_PHASE: Duration = Duration::from_millis(50);
/// The longest phase, so that sums of durations stay far from any limit.
const LONGEST_PHASE: Duration = Duration::from_secs(3_600);

/// How long phases and the run are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan {
    /// Mean length of a phase.
    pub(crate) phase: Duration,
    /// The part of an on phase after its last response.
    pub(crate) settle: Duration,
    /// The run ends with the first round of blocks that ends after this.
    pub(crate) time: Duration,
    /// Rounds of blocks below which the run does not end by time.
    pub(crate) least_rounds: usize,
    /// The time was extended for the sake of a slow page.
    pub(crate) extended: bool,
}

impl Plan {
    /// The settle gap unless something needs a longer one.
    pub(crate) const USUAL_SETTLE: Duration = Duration::from_millis(100);

    /// Chooses.
    ///
    /// # Errors
    /// If what was asked for cannot carry an interval.
    pub(crate) fn choose(options: &Options, known: Known) -> Result<Self, PlanError> {
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

        let phase = match (options.phase, requests, time) {
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
            (None, None, Some(time)) => {
                (time / (phases * WANTED_BLOCKS)).saturating_sub(known.edge).clamp(least, least.max(USUAL_PHASE))
            }
            (None, None, None) => least.max(USUAL_PHASE),
        };
        if let Some(given) = requests {
            let needed = (MIN_BLOCKS * 2) as u64;
            if given < needed {
                return Err(PlanError::TooFew { given, needed });
            }
            return Ok(Self { phase, settle, time: Duration::MAX, least_rounds: MIN_BLOCKS, extended: false });
        }
        // All wait for the answers of other hosts at each edge.
        let block_round = (phase + known.edge) * phases;
        if let Some(given) = time {
            let needed = block_round * MIN_BLOCKS as u32;
            if given < needed.mul_f64(0.999) {
                return Err(PlanError::TooShort {
                    given,
                    needed: (least + known.edge) * phases * MIN_BLOCKS as u32,
                    phase: least,
                    known,
                });
            }
            return Ok(Self { phase, settle, time: given, least_rounds: MIN_BLOCKS, extended: false });
        }
        let usual = if until.is_some() { Budget::MOST_TIME_UNTIL } else { Budget::TIME };
        let time = usual.max(block_round * EXTENDED_BLOCKS);
        Ok(Self { phase, settle, time, least_rounds: MIN_BLOCKS, extended: time > usual })
    }
}

#[cfg(test)]
mod tests;
