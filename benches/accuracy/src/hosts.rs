//! Simulated runs of `unladen weigh --host`: the principal type is [`Way`], what lies between this machine and the one
//! that does the work.
//!
//! Readings are asked for over a way that takes a while, and never the same while. The other machine has a clock of its
//! own, which began at another time and runs faster or slower; now and then it answers late; and it may go away in the
//! middle. What is estimated is what a request costs there, by the readings of that clock alone, and what it costs on
//! both machines together.

use std::ops::Range;

use fastrand::Rng;
use unladen_lockin::{Block, Order, PHASES_PER_BLOCK, Phase, Planner, Timing, Weight};

use crate::background::{Background, Kind};
use crate::merge::merge;
use crate::random::{exponential, normal};
use crate::simulate::{PHASE, Scene};
use crate::subject::{Costs, Subject};
use crate::tally::Tally;

/// What a request costs here, as a share of what it costs there.
const HERE: f64 = 0.25;
/// The settle gap, s: longer than the way there and back.
const SETTLE: f64 = 0.1;
/// Waking up late, s, on average.
const WAKE: f64 = 0.2e-3;
/// How long it takes there from the question to the moment of the reading, s, on average.
const READ: f64 = 1e-3;
/// An answer that comes late: how often, and by how much, s, on average.
const LATE: (f64, f64) = (0.02, 0.3);
/// A host goes away in so many runs, when it has been there for this many blocks at least.
const LOST: (f64, usize) = (0.5, 7);

/// What lies between.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// There and back, s, on average.
    pub trip: f64,
    /// Its standard deviation, s.
    pub jitter: f64,
    /// How much faster or slower the other clock runs at most.
    pub drift: f64,
    /// Some answers are late, and in half of the runs the host goes away in the middle.
    pub is_bad: bool,
}

/// What came of the runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Weighed {
    /// What a request costs there.
    pub there: Tally,
    /// What it costs on both machines.
    pub both: Tally,
    /// Blocks that were lost, of all.
    pub lost: (u64, u64),
}

/// A reading.
#[derive(Debug, Clone, Copy)]
struct Read {
    at_ns: u64,
    count: f64,
}

/// One edge of a phase: a reading of each machine.
#[derive(Debug, Clone, Copy)]
struct Edge {
    here: Read,
    there: Read,
}

struct Run<'a> {
    way: &'a Way,
    planner: Planner,
    subject: Subject,
    here: Background,
    there: Background,
    rng: Rng,
    /// Of the clock there: what it says at the beginning, and how fast it runs.
    clock: (f64, f64),
    latency: f64,
    /// s
    now: f64,
    /// CPU of the requests here, ns.
    spent_here: f64,
}

impl Way {
    /// As a host in the same town has it: 20 ms there and back, 2 ms of jitter, and a clock as bad as they come.
    pub const TOWN: Self = Self { trip: 20e-3, jitter: 2e-3, drift: 200e-6, is_bad: false };
    /// The same with late answers, and hosts that go away.
    pub const BAD: Self = Self { is_bad: true, ..Self::TOWN };

    /// Runs of so many blocks.
    pub fn weigh(&self, background: Kind, blocks: usize, runs: Range<u64>) -> Weighed {
        let mut weighed = Weighed::default();
        for run in runs {
            self.weigh_one(background, blocks, run, &mut weighed);
        }
        weighed
    }

    fn weigh_one(&self, background: Kind, blocks: usize, run: u64, weighed: &mut Weighed) {
        let scene = Scene::of(background);
        let mut simulated = Run::new(self, &scene, run, blocks);
        let is_lost = self.is_bad && simulated.rng.f64() < LOST.0;
        let last = if is_lost { simulated.rng.usize(LOST.1.min(blocks)..=blocks) } else { blocks };
        let (mut there, mut both) = (Vec::new(), Vec::new());
        for _ in 0..last {
            let Some((of_here, of_there)) = simulated.block() else { break };
            both.push(of_here.plus(&of_there));
            there.push(of_there);
        }
        weighed.lost.0 += (blocks - last) as u64;
        weighed.lost.1 += blocks as u64;
        let truth = scene.costs.truth();
        for (blocks, truth, tally) in
            [(there, truth, &mut weighed.there), (both, truth * (1.0 + HERE), &mut weighed.both)]
        {
            if let Ok(weight) = Weight::of(&blocks) {
                let estimate = weight.per_request;
                tally.push(truth, estimate.value, estimate.low, estimate.high);
            }
        }
    }
}

merge! { Weighed { there, both, lost } }

impl<'a> Run<'a> {
    fn new(way: &'a Way, scene: &Scene, run: u64, blocks: usize) -> Self {
        let mut seeds = Rng::with_seed(scene.seeds(run)[3] ^ 0x6a09_e667 ^ u64::from(way.is_bad));
        let planner = Planner::new(seeds.u64(..), 1, Timing { phase: PHASE, jitter: Timing::JITTER });
        let horizon = (planner.mean_block().as_secs_f64() + way.trip * PHASES_PER_BLOCK as f64) * blocks as f64;
        let clock = (seeds.f64() * 1e6, 1.0 + way.drift * (2.0 * seeds.f64() - 1.0));
        Self {
            way,
            planner,
            subject: Subject::new(scene.costs, seeds.u64(..)),
            here: Background::new(Kind::Bursty, seeds.u64(..), horizon),
            there: Background::new(scene.background, seeds.u64(..), horizon),
            rng: Rng::with_seed(seeds.u64(..)),
            clock,
            latency: Costs::Even.latency() + way.trip,
            now: 0.0,
            spent_here: 0.0,
        }
    }

    /// Both machines are asked at once; the next phase begins when both have answered.
    fn edge(&mut self) -> Edge {
        let here = Read { at_ns: (self.now * 1e9) as u64, count: self.spent_here + self.here.count_at(self.now) };
        let mut one_way = || (self.way.trip + self.way.jitter * normal(&mut self.rng)).max(1e-4) / 2.0;
        let (there, back) = (one_way(), one_way());
        let mut at = self.now + there + exponential(&mut self.rng, READ);
        if self.way.is_bad && self.rng.f64() < LATE.0 {
            at += exponential(&mut self.rng, LATE.1);
        }
        let (began, speed) = self.clock;
        let count = self.subject.count_at(at) + self.there.count_at(at);
        self.now = at + back;
        Edge { here, there: Read { at_ns: ((began + at * speed) * 1e9) as u64, count } }
    }

    /// One counter here and one there.
    fn block(&mut self) -> Option<(Block, Block)> {
        let plan = self.planner.next()?;
        let mut phases = [(Phase::default(), Phase::default()); PHASES_PER_BLOCK];
        let mut before = self.edge();
        for (position, phase) in plan.order.positions().into_iter().zip(&mut phases) {
            let mut end = self.now + plan.phase.as_secs_f64();
            let mut requests = 0;
            if position.is_on() {
                let stop = end - SETTLE - self.latency;
                // One request at least, however far away the other machine is.
                while requests == 0 || self.now < stop {
                    let answered = self.subject.request(self.now + self.way.trip / 2.0, &mut self.there);
                    self.now = answered + self.way.trip / 2.0;
                    self.spent_here += Costs::Even.truth() * HERE;
                    requests += 1;
                }
                end = end.max(self.now + SETTLE);
            }
            self.now = end + exponential(&mut self.rng, WAKE);
            let after = self.edge();
            *phase = (between(before.here, after.here, requests), between(before.there, after.there, requests));
            before = after;
        }
        let of = |order: Order, of: fn(&(Phase, Phase)) -> Phase| Block::new(order, phases.each_ref().map(of));
        Some((of(plan.order, |phase| phase.0), of(plan.order, |phase| phase.1)))
    }
}

fn between(before: Read, after: Read, requests: u64) -> Phase {
    Phase { duration_ns: after.at_ns - before.at_ns, requests, count: after.count - before.count }
}
