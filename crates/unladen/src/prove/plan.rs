//! The principal type is [`Plan`]: how long phases are, and how many blocks there are to be.

use std::time::Duration;

use unladen_lockin::MIN_BLOCKS;
use unladen_prove::{Budget, Experiment, Pace};

/// In a block each arm has a phase on the way there and one on the way back, so that a drift cancels.
pub(crate) const PASSES: usize = 2;

/// Blocks to aim for: with fifteen, Student's t is within a tenth of where it can get.
const BLOCKS: u64 = 15;

/// The shortest phase: long against what is left over from the phase before.
const SHORTEST: Duration = Duration::from_secs(1);

/// Where the time that was asked for has no room for six blocks of those, phases may be as short as this.
const SHORTEST_OF_ALL: Duration = Duration::from_millis(200);

/// The longest phase: a machine's speed changes from minute to minute, and what an arm is compared with has to be near.
const LONGEST: Duration = Duration::from_secs(10);

/// The latency that a closed loop is planned by, until there is a measured one.
const GUESS: Duration = Duration::from_millis(20);

/// How the experiment is laid out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan {
    /// How long an arm runs at a stretch.
    pub(crate) phase: Duration,
    /// How many requests at a stretch, where that is what was asked for.
    pub(crate) requests: Option<u64>,
    /// Blocks after each restart.
    pub(crate) blocks_per_restart: usize,
    /// Restarts, the outer level.
    pub(crate) restarts: usize,
    /// When to end, whatever the number of blocks.
    pub(crate) time: Option<Duration>,
}

// === impl Plan ===

impl Plan {
    /// Lays out; `latency` is that of a first request, and `arms` includes the baseline again.
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
                // What each arm runs in all, by which its phases are as long as makes enough blocks of them.
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
                    // Each has a request at the least, or the rate would not be the one that was asked for.
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

    /// In which restart the next block is, after so many blocks and so much time. Where the time is what is given, the
    /// restarts share it, however long blocks take.
    pub(crate) fn restart(&self, blocks: usize, elapsed: Duration) -> usize {
        let restart = match self.time {
            Some(time) => (elapsed.as_secs_f64() / time.as_secs_f64() * self.restarts as f64) as usize,
            None => blocks / self.blocks_per_restart,
        };
        // More blocks than planned, as --until may want them, belong to further restarts; of one start there is no second.
        if self.restarts == 1 { 0 } else { restart }
    }

    /// Blocks in all.
    pub(crate) fn blocks(&self) -> usize {
        self.blocks_per_restart * self.restarts
    }
}

/// The phase that makes [`BLOCKS`] blocks of so much time an arm.
fn even(in_all: Duration) -> Duration {
    (in_all / (BLOCKS * PASSES as u64) as u32).clamp(SHORTEST, LONGEST)
}

#[cfg(test)]
mod tests {
    use unladen_prove::Load;

    use super::*;

    fn plan(pace: Pace, budget: Budget, restarts: u32) -> Plan {
        let url: url::Url = "http://127.0.0.1/".parse().unwrap();
        let mut experiment = Experiment::of_urls(url.clone(), url, Load::new(pace, budget));
        experiment.restarts = restarts;
        Plan::choose(&experiment, Some(Duration::from_millis(20)), 3)
    }

    fn open(rate: f64) -> Pace {
        Pace::Open { rate, arrivals: Default::default() }
    }

    #[test]
    fn the_accounts_experiment_has_exactly_its_requests() {
        let plan = plan(open(40.0), Budget::Requests(4_800), 1);
        assert_eq!((plan.phase, plan.requests, plan.blocks()), (Duration::from_secs(4), Some(160), 15));
        assert_eq!(160 * 15 * PASSES as u64, 4_800);
    }

    #[test]
    fn restarts_share_the_blocks() {
        let plan = plan(open(40.0), Budget::Requests(4_800), 6);
        assert_eq!((plan.restarts, plan.blocks_per_restart), (6, 3));
        assert!(plan.requests.unwrap() * (plan.blocks() * PASSES) as u64 >= 4_800);
    }

    #[test]
    fn restarts_share_the_time() {
        let plan = plan(open(40.0), Budget::Time(Duration::from_secs(300)), 5);
        let restarts: Vec<usize> =
            (0..5).map(|minute| plan.restart(1, Duration::from_secs(60 * minute + 30))).collect();
        assert_eq!(restarts, [0, 1, 2, 3, 4]);
        assert_eq!(Plan { restarts: 1, ..plan }.restart(99, Duration::from_secs(299)), 0);
    }

    #[test]
    fn few_requests_still_make_enough_blocks() {
        for requests in [1, 12, 100] {
            assert!(plan(open(100.0), Budget::Requests(requests), 1).blocks() >= MIN_BLOCKS);
        }
        let closed = plan(Pace::Closed { concurrency: 2 }, Budget::Requests(1_000), 1);
        assert!(closed.blocks() >= MIN_BLOCKS && closed.requests.unwrap() * (closed.blocks() * PASSES) as u64 >= 1_000);
    }

    #[test]
    fn a_short_time_is_not_overrun_by_phases_that_need_not_be_so_long() {
        let plan = |seconds| plan(open(40.0), Budget::Time(Duration::from_secs(seconds)), 1);
        assert_eq!(plan(18).phase * (3 * PASSES * MIN_BLOCKS) as u32, Duration::from_secs(18));
        assert_eq!(plan(1).phase, SHORTEST_OF_ALL);
        assert_eq!(plan(60).phase, SHORTEST);
    }

    #[test]
    fn a_phase_has_room_for_a_request() {
        assert_eq!(plan(open(0.4), Budget::Time(Duration::from_secs(15)), 1).phase, Duration::from_millis(2_500));
    }

    #[test]
    fn a_time_is_for_the_whole_experiment() {
        let plan = plan(open(40.0), Budget::Time(Duration::from_secs(300)), 1);
        let all = plan.phase * (3 * PASSES * plan.blocks()) as u32;
        assert!(all <= Duration::from_secs(300) && all > Duration::from_secs(250), "{all:?}");
    }
}
