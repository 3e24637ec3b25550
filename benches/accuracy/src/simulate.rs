//! Simulated runs of `unladen weigh`: the principal type is [`Run`], one of them.
//!
//! The plan of phases and all estimates come from `unladen-lockin`; what is simulated is the machine: the subject, the
//! background, the client that waits for each response, phases that overrun, readings that take a while.

use std::ops::Range;
use std::time::Duration;

use fastrand::Rng;
use unladen_lockin::{
    Block, BlockPlan, Family, Order, PHASES_PER_BLOCK, Phase, Planner, Timing, Until, Verdict, Weight, adjust_families,
    ratio,
};

use crate::background::{Background, Kind};
use crate::merge::merge;
use crate::random::exponential;
use crate::subject::{Costs, Subject};
use crate::tally::Tally;

/// Length of a phase, as `weigh` uses it for a page of 20 ms.
pub const PHASE: Duration = Duration::from_millis(500);
/// The settle gap of `weigh`.
const SETTLE: f64 = 0.1;
/// Waking up late, s, on average.
const WAKE: f64 = 0.2e-3;
/// From the moment of a reading to the beginning of the phase, s.
const READ: f64 = 1e-3;
/// The longest run with `--until`, s.
const MOST_TIME_UNTIL: f64 = 300.0;
/// Groups that do not follow, of each kind.
const NULLS_OF_EACH_KIND: usize = 4;

/// What is measured, and beside what.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    /// What else the counter counts.
    pub background: Kind,
    pub costs: Costs,
}

/// A simulated run.
#[derive(Debug)]
pub struct Run {
    planner: Planner,
    subject: Subject,
    background: Background,
    rng: Rng,
    latency: f64,
    now: f64,
}

/// What happened in a block.
#[derive(Debug, Clone, Copy)]
pub struct Ran {
    order: Order,
    phases: [RanPhase; PHASES_PER_BLOCK],
}

/// What happened in a phase.
#[derive(Debug, Clone, Copy, Default)]
struct RanPhase {
    begun: f64,
    ended: f64,
    requests: u64,
    /// CPU of the requests, ns.
    own: f64,
    /// CPU of the background, ns.
    background: f64,
}

/// What came of runs with `--until`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stopped {
    pub tally: Tally,
    /// Runs whose interval became narrow enough.
    pub reached: u64,
    /// Of all runs together, s.
    pub time: f64,
}

/// What was said of counters that do not follow the requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Discoveries {
    /// Counters looked at, each alone in its run.
    pub counters: u64,
    pub follow: u64,
    pub displaced: u64,
}

/// What was said of the groups of a machine, most of which do not follow.
#[derive(Debug, Clone, Copy, Default)]
pub struct Groups {
    pub runs: u64,
    /// The false share of the groups said to follow, summed over the runs.
    pub false_groups: f64,
    /// Groups that follow, and those of them that were found.
    pub groups: (u64, u64),
    /// The mean false share of the other counters said to follow in each group that is, summed over the runs.
    pub false_counters: f64,
    /// Other counters that follow, and those of them that were found.
    pub counters: (u64, u64),
}

merge! {
    Stopped { tally, reached, time }
    Discoveries { counters, follow, displaced }
    Groups { runs, false_groups, groups, false_counters, counters }
}

impl Scene {
    /// Even requests beside this background.
    pub fn of(background: Kind) -> Self {
        Self { background, costs: Costs::Even }
    }

    /// Seeds of a scene's runs differ from those of other scenes.
    pub(crate) fn seeds(&self, run: u64) -> [u64; 4] {
        let scene = self.background as u64 * 8 + self.costs as u64;
        let mut rng = Rng::with_seed(run.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ scene);
        [rng.u64(..), rng.u64(..), rng.u64(..), rng.u64(..)]
    }
}

impl Run {
    /// The run of this number, which lasts for some `blocks`.
    pub fn new(scene: &Scene, run: u64, blocks: usize) -> Self {
        let [plan, subject, background, rng] = scene.seeds(run);
        let planner = Planner::new(plan, 1, Timing { phase: PHASE, jitter: Timing::JITTER });
        let horizon = planner.mean_block().as_secs_f64() * blocks as f64;
        Self {
            planner,
            subject: Subject::new(scene.costs, subject),
            background: Background::new(scene.background, background, horizon),
            rng: Rng::with_seed(rng),
            latency: scene.costs.latency(),
            now: 0.0,
        }
    }

    fn block(&mut self, plan: BlockPlan) -> Ran {
        let mut phases = [RanPhase::default(); PHASES_PER_BLOCK];
        for (position, ran) in plan.order.positions().into_iter().zip(&mut phases) {
            let (own, background) = (self.subject.count_at(self.now), self.background.count_at(self.now));
            ran.begun = self.now;
            self.now += READ;
            let mut end = self.now + plan.phase.as_secs_f64();
            if position.is_on() {
                let stop = end - SETTLE - self.latency;
                while self.now < stop {
                    self.now = self.subject.request(self.now, &mut self.background);
                    ran.requests += 1;
                }
                end = end.max(self.now + SETTLE);
            }
            self.now = end + exponential(&mut self.rng, WAKE);
            ran.ended = self.now;
            ran.own = self.subject.count_at(self.now) - own;
            ran.background = self.background.count_at(self.now) - background;
        }
        self.now += READ;
        Ran { order: plan.order, phases }
    }
}

impl Iterator for Run {
    type Item = Ran;

    /// Never `None`.
    fn next(&mut self) -> Option<Ran> {
        let plan = self.planner.next()?;
        Some(self.block(plan))
    }
}

impl Ran {
    fn of(&self, mut count: impl FnMut(&RanPhase) -> f64) -> Block {
        Block::new(
            self.order,
            self.phases.map(|phase| Phase {
                duration_ns: ((phase.ended - phase.begun) * 1e9) as u64,
                requests: phase.requests,
                count: count(&phase),
            }),
        )
    }

    /// The counter of requests and background together.
    pub fn block(&self) -> Block {
        self.of(|phase| phase.own + phase.background)
    }
}

/// Runs of a fixed number of blocks, estimated as `weigh` does.
pub fn fixed(scene: &Scene, blocks: usize, runs: Range<u64>) -> Tally {
    fixed_by(scene, blocks, runs, |blocks| {
        let weight = Weight::of(blocks).ok()?;
        Some((weight.per_request.value, weight.per_request.low, weight.per_request.high))
    })
}

/// Runs of a fixed number of blocks, with any estimator: it gives the value and the ends of its interval.
pub fn fixed_by(
    scene: &Scene,
    blocks: usize,
    runs: Range<u64>,
    estimate: impl Fn(&[Block]) -> Option<(f64, f64, f64)>,
) -> Tally {
    let mut tally = Tally::default();
    for run in runs {
        let ran: Vec<Block> = Run::new(scene, run, blocks).take(blocks).map(|ran| ran.block()).collect();
        if let Some((value, low, high)) = estimate(&ran) {
            tally.push(scene.costs.truth(), value, low, high);
        }
    }
    tally
}

/// Share of runs in which the plain mean lies outside the interval, of which `weigh` warns.
pub fn skewed(scene: &Scene, blocks: usize, runs: Range<u64>) -> f64 {
    let of = runs.end - runs.start;
    let warned = runs.filter(|run| {
        let ran: Vec<Block> = Run::new(scene, *run, blocks).take(blocks).map(|ran| ran.block()).collect();
        Weight::of(&ran).is_ok_and(|weight| weight.per_request.is_skewed())
    });
    warned.count() as f64 / of as f64
}

/// Runs that stop when the interval is narrow enough, looking after each block as `weigh --until` does.
pub fn until(scene: &Scene, target: f64, runs: Range<u64>) -> Stopped {
    let mut stopped = Stopped::default();
    for run in runs {
        let (mut excess, mut requests) = (Vec::new(), Vec::new());
        let mut until = Until::new(target);
        let most = (MOST_TIME_UNTIL / (PHASE.as_secs_f64() * PHASES_PER_BLOCK as f64)) as usize;
        let mut simulated = Run::new(scene, run, most);
        while let Some(block) = simulated.next().map(|ran| ran.block()) {
            excess.push(block.excess());
            requests.push(block.requests());
            // The very estimate of Weight::of, without the noise floor that nobody looks at here.
            let Ok(estimate) = ratio(&excess, &requests) else { continue };
            let narrow = until.look(&estimate) == Verdict::Stop;
            let round = PHASE.as_secs_f64() * PHASES_PER_BLOCK as f64;
            if narrow || simulated.now + round / 2.0 >= MOST_TIME_UNTIL {
                stopped.tally.push(scene.costs.truth(), estimate.value, estimate.low, estimate.high);
                stopped.reached += u64::from(narrow);
                stopped.time += simulated.now;
                break;
            }
        }
    }
    stopped
}

/// A counter of the background alone, while requests run: what is said of it.
pub fn discoveries(scene: &Scene, blocks: usize, runs: Range<u64>) -> Discoveries {
    let mut said = Discoveries::default();
    for run in runs {
        let ran: Vec<Block> =
            Run::new(scene, run, blocks).take(blocks).map(|ran| ran.of(|phase| phase.background)).collect();
        let Ok(weight) = Weight::of(&ran) else { continue };
        said.counters += 1;
        said.follow += u64::from(weight.follows(weight.p_value));
        said.displaced += u64::from(weight.is_displaced(weight.p_value));
    }
    said
}

/// Some groups, four with each kind of background, which do not follow, and three that do; each with its CPU and three
/// other counters, of which one follows where the group does. Judged as `weigh` does.
pub fn groups(blocks: usize, runs: Range<u64>) -> Groups {
    let mut said = Groups::default();
    for run in runs {
        groups_once(blocks, run, &mut said);
    }
    said
}

fn groups_once(blocks: usize, run: u64, said: &mut Groups) {
    let scene = Scene::of(Kind::Bursty);
    let ran: Vec<Ran> = Run::new(&scene, run, blocks).take(blocks).collect();
    let horizon = ran.last().map_or(0.0, |ran| ran.phases[PHASES_PER_BLOCK - 1].ended);
    let mut seeds = Rng::with_seed(scene.seeds(run)[2]);
    // A counter: so much of the requests' time, and so much of a background of its own.
    let mut counter = |kind: Kind, of_requests: f64, of_background: f64| {
        let mut background = Background::new(kind, seeds.u64(..), horizon);
        let series: Vec<Block> = ran
            .iter()
            .map(|ran| {
                ran.of(|phase| {
                    let before = background.count_at(phase.begun);
                    of_requests * phase.own + of_background * (background.count_at(phase.ended) - before)
                })
            })
            .collect();
        Weight::of(&series)
    };
    let following = [(Kind::Bursty, 1.0), (Kind::Steady, 0.5), (Kind::Quiet, 0.1)];
    let idle = Kind::ALL.into_iter().flat_map(|kind| [(kind, 0.0); NULLS_OF_EACH_KIND]);
    let weights: Vec<[Weight; 4]> = following
        .into_iter()
        .chain(idle)
        .filter_map(|(kind, part)| {
            let follows = counter(kind, part, 0.1).ok()?;
            let other = counter(kind, part, 0.1).ok()?;
            Some([follows, other, counter(kind, 0.0, 1.0).ok()?, counter(Kind::Steady, 0.0, 1.0).ok()?])
        })
        .collect();
    let families: Vec<Family> = weights
        .iter()
        .map(|[deciding, others @ ..]| Family {
            deciding: deciding.p_value,
            others: others.iter().map(|weight| weight.p_value).collect(),
        })
        .collect();

    let (mut groups_right, mut groups_wrong, mut false_counters) = (0, 0, 0.0);
    for (index, (weights, adjusted)) in weights.iter().zip(adjust_families(&families)).enumerate() {
        let is_true = index < following.len();
        said.groups.0 += u64::from(is_true);
        said.counters.0 += u64::from(is_true);
        if !weights[0].follows(adjusted.deciding) {
            continue;
        }
        groups_right += u64::from(is_true);
        groups_wrong += u64::from(!is_true);
        let others: Vec<bool> =
            weights[1..].iter().zip(&adjusted.others).map(|(weight, p)| weight.follows(*p)).collect();
        let right = u64::from(is_true && others[0]);
        let all = others.iter().filter(|said| **said).count() as u64;
        said.counters.1 += right;
        false_counters += (all - right) as f64 / all.max(1) as f64;
    }
    let groups = (groups_right + groups_wrong).max(1) as f64;
    said.runs += 1;
    said.groups.1 += groups_right;
    said.false_groups += groups_wrong as f64 / groups;
    said.false_counters += false_counters / groups;
}
