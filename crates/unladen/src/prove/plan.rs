//! The principal type is [`Plan`]: the length of phases and the number of blocks.

use std::time::Duration;

use unladen_lockin::MIN_BLOCKS;
use unladen_prove::{Budget, Experiment, Pace};

/// In a block each arm has a phase on the way there and one on the way back, so that a drift cancels.
pub(crate) const PASSES: usize = 2;

/// Blocks to aim for: with fifteen, Student's t is within a tenth of its limit.
const BLOCKS: u64 = 15;

/// Shortest phase: long against what is left over from the phase before.
const SHORTEST: Duration = Duration::from_secs(1);

/// Shortest phase if the given time has no room for six blocks otherwise.
const SHORTEST_OF_ALL: Duration = Duration::from_millis(200);

/// Longest phase: a machine's speed changes from minute to minute, and arms that are compared have to be close in time.
const LONGEST: Duration = Duration::from_secs(10);

/// Latency by which a closed loop is planned until one is measured.
const GUESS: Duration = Duration::from_millis(20);

/// End of a phase after its last answer, in which work for its requests still counts.
pub(crate) const SETTLE: Duration = Duration::from_millis(100);

/// Time in which nearby sending hosts agree on the start of a phase.
const AGREEING: Duration = Duration::from_millis(150);

/// Default time after a switch in which requests are sent and not counted: a service that has just been restarted has
/// its caches to fill.
const WARM_UP: Duration = Duration::from_secs(1);

/// A restart as PHP-FPM takes it, and the counting after all timing, for what is said beforehand.
const USUAL_RESTART: Duration = Duration::from_millis(300);
const COUNTING: Duration = Duration::from_secs(35);

/// Longest idle phase: a second in each block measures the background's rate well enough.
pub(crate) const LONGEST_IDLE: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan {
    /// How long an arm runs at a stretch.
    pub(crate) phase: Duration,
    /// Requests at a stretch, if a number was asked for.
    pub(crate) requests: Option<u64>,
    pub(crate) blocks_per_restart: usize,
    /// Restarts, the outer level.
    pub(crate) restarts: usize,
    /// When to end, whatever the number of blocks.
    pub(crate) time: Option<Duration>,
}

impl Plan {
    /// `latency` is that of a first request, and `arms` includes the baseline again.
    pub(crate) fn choose(experiment: &Experiment, latency: Option<Duration>, arms: usize) -> Self {
        let load = &experiment.load;
        let restarts = experiment.restarts.max(1) as usize;
        let rate = match load.pace {
            Pace::Open { rate, .. } => rate,
            Pace::Closed { concurrency } => {
                let latency = latency.unwrap_or(GUESS).as_secs_f64().max(1e-6);
                concurrency as f64 / latency
            }
        };
        match load.budget {
            Budget::Requests(wanted) => {
                // Total time per arm; its phases are such that there are enough blocks.
                let in_all = Duration::try_from_secs_f64(wanted as f64 / rate).unwrap_or(LONGEST);
                let phase = load.phase.unwrap_or_else(|| even(in_all));
                let of_a_phase = (rate * phase.as_secs_f64()).round().max(1.0);
                let blocks = (wanted as f64 / (of_a_phase * PASSES as f64)).round() as u64;
                let blocks = blocks.max(MIN_BLOCKS as u64);
                let per_restart = blocks.div_ceil(restarts as u64).max(1);
                // As many as were asked for, or a few more: never fewer.
                let phases = per_restart * restarts as u64 * PASSES as u64;
                let requests = wanted.div_ceil(phases);
                Self {
                    phase: Duration::try_from_secs_f64(requests as f64 / rate).unwrap_or(phase),
                    requests: Some(requests),
                    blocks_per_restart: per_restart as usize,
                    restarts,
                    time: None,
                }
            }
            Budget::Time(time) => {
                let phase = load.phase.unwrap_or_else(|| {
                    let fits = time / (arms.max(1) * PASSES * MIN_BLOCKS) as u32;
                    // A phase has at least one request, or the rate would be another.
                    let of_one = Duration::try_from_secs_f64(1.0 / rate).unwrap_or(LONGEST);
                    even(time / arms.max(1) as u32).min(fits.max(SHORTEST_OF_ALL)).max(of_one)
                });
                let block = phase * (arms * PASSES) as u32;
                let blocks = (time.as_secs_f64() / block.as_secs_f64()).floor().max(MIN_BLOCKS as f64) as usize;
                Self {
                    phase,
                    requests: None,
                    blocks_per_restart: blocks.div_ceil(restarts).max(1),
                    restarts,
                    time: Some(time),
                }
            }
        }
    }

    /// Index of the restart that the next block belongs to. If a time is given, the restarts share it, however long
    /// blocks take.
    pub(crate) fn restart(&self, blocks: usize, elapsed: Duration) -> usize {
        let restart = match self.time {
            Some(time) => (elapsed.as_secs_f64() / time.as_secs_f64() * self.restarts as f64) as usize,
            None => blocks / self.blocks_per_restart,
        };
        // Blocks beyond the plan, as --until may want them, belong to further restarts; if there is one start, there is
        // no second.
        if self.restarts == 1 { 0 } else { restart }
    }

    /// Total time: phases, the warm-up after each switch, and with `counts` the idle phases; and the number of service
    /// restarts, whose duration is unknown. At least six blocks are measured, however short the given time.
    pub(crate) fn estimate(&self, experiment: &Experiment, arms: usize, counts: bool) -> (Duration, usize) {
        let phases = arms * PASSES;
        let agreeing = if experiment.load.from.is_empty() { Duration::ZERO } else { AGREEING };
        let warm = warm_up(experiment) + SETTLE + agreeing;
        let is_restarted = experiment.knobs.iter().any(|knob| !knob.restart.is_empty());
        let acts = experiment.knobs.iter().any(unladen_prove::KnobSpec::acts);
        let switches = match (is_restarted, acts) {
            (true, _) => phases,
            // The way back begins with the last arm of the way there.
            (false, true) => phases.saturating_sub(1),
            (false, false) if experiment.cold.is_some() => arms,
            (false, false) => 0,
        };
        let idle = if counts { self.phase.min(LONGEST_IDLE) } else { Duration::ZERO };
        let block = (self.phase + SETTLE + agreeing) * phases as u32 + warm * switches as u32 + idle;
        let blocks = match self.time {
            Some(time) => (time.as_secs_f64() / block.as_secs_f64()).round().max(MIN_BLOCKS as f64) as usize,
            None => self.blocks(),
        };
        let starts = self.restarts.saturating_sub(1);
        let restarts = if is_restarted { blocks * phases } else { starts };
        (block * blocks as u32 + warm * (arms * (1 + starts)) as u32, restarts)
    }

    pub(crate) fn blocks(&self) -> usize {
        self.blocks_per_restart * self.restarts
    }
}

/// How long requests are sent and not counted after a switch.
pub(crate) fn warm_up(experiment: &Experiment) -> Duration {
    let asked = experiment.load.warmup;
    if asked.is_zero() { WARM_UP } else { asked }
}

/// The length of an experiment in words, before anything of it is tried.
pub(crate) fn estimate(experiment: &Experiment, arms: usize, counts: bool) -> String {
    let load = &experiment.load;
    let plan = Plan::choose(experiment, None, arms);
    let (time, restarts) = plan.estimate(experiment, arms, counts);
    let restarts = match restarts {
        0 => String::new(),
        1 => ", and the time of a restart".to_owned(),
        restarts => format!(", and the time of {restarts} restarts"),
    };
    match (load.budget, load.pace) {
        // Warm-ups and restarts are part of the given time, if six blocks fit into it.
        (Budget::Time(asked), _) if time <= asked + asked / 20 => {
            let or = if restarts.is_empty() { "" } else { ", or longer if six blocks need it" };
            format!("about {} in total, with warm-ups and restarts{or}", about(asked))
        }
        (Budget::Requests(requests), Pace::Closed { .. }) => {
            format!("as long as {requests} requests of each arm take, back to back, with warm-ups{restarts}")
        }
        _ => format!("about {} in total, with warm-ups{restarts}", about(time)),
    }
}

/// Expected time of an experiment on a page whose latency is known, with the counting at its end; and the number of
/// service restarts.
pub(crate) fn expected(experiment: &Experiment, latency: Duration) -> (Duration, usize) {
    let arms = experiment.arms().len();
    let (time, restarts) = Plan::choose(experiment, Some(latency), arms).estimate(experiment, arms, true);
    (time + USUAL_RESTART * restarts as u32 + COUNTING, restarts)
}

fn about(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds < 100.0 => format!("{seconds:.0} s"),
        seconds if seconds < 100.0 * 60.0 => format!("{:.0} min", seconds / 60.0),
        seconds => format!("{:.1} h", seconds / 3600.0),
    }
}

/// The phase for which the given time per arm makes [`BLOCKS`] blocks.
fn even(in_all: Duration) -> Duration {
    (in_all / (BLOCKS * PASSES as u64) as u32).clamp(SHORTEST, LONGEST)
}

#[cfg(test)]
mod tests;
