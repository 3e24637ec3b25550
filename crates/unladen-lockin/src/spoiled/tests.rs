use std::time::Duration;

use fastrand::Rng;
use proptest::prelude::*;

use super::*;
use crate::Block;
use crate::Phase;
use crate::Weight;
use crate::estimate::MIN_BLOCKS;
use crate::plan::{BlockPlan, PHASES_PER_BLOCK, Planner, Timing};

const QUIET: Conditions =
    Conditions { elapsed_ns: 2e9, available_ns: 4e9, busy_ns: 1e9, stolen_ns: 0.0, throttled_ns: 0.0 };
const ROBBED: Conditions = Conditions { busy_ns: 0.7e9, stolen_ns: 0.3e9, ..QUIET };

fn enough(kept: &[bool]) -> bool {
    kept.iter().filter(|is_kept| **is_kept).count() >= MIN_BLOCKS
}

/// So many quiet blocks, then these.
fn with(quiet: usize, others: &[Conditions]) -> Spoiled {
    let all: Vec<Conditions> = std::iter::repeat_n(QUIET, quiet).chain(others.iter().copied()).collect();
    Spoiled::of(&all, enough)
}

#[test]
fn a_machine_without_steal_spoils_nothing() {
    let spoiled = with(12, &[]);
    assert_eq!((spoiled.verdict, spoiled.count()), (SpoiledVerdict::NoneSpoiled, 0));
    assert_eq!(with(0, &[Conditions::default(); 8]).verdict, SpoiledVerdict::NoneSpoiled);
}

#[test]
fn a_tick_or_two_spoil_nothing() {
    // 20 ms of 200 ms of work: a tenth, and yet no more than two ticks.
    let little = Conditions { busy_ns: 0.18e9, stolen_ns: 0.02e9, ..QUIET };
    assert!(!little.is_spoiled());
    assert!(Conditions { stolen_ns: 0.04e9, ..little }.is_spoiled());
    assert!(!Conditions { stolen_ns: 0.04e9, ..QUIET }.is_spoiled(), "4 % of the time that was wanted");
}

#[test]
fn a_quota_spoils_too() {
    let throttled = Conditions { throttled_ns: 0.3e9, busy_ns: 0.8e9, ..QUIET };
    assert!(throttled.is_spoiled() && with(10, &[throttled]).is_left_out(10));
}

#[test]
fn more_than_half_stay() {
    assert_eq!(with(7, &[ROBBED; 7]).verdict, SpoiledVerdict::LeftOut);
    let many = with(7, &[ROBBED; 8]);
    assert_eq!((many.verdict, many.count(), many.is_left_out(8)), (SpoiledVerdict::TooMany, 8, false));
}

#[test]
fn what_an_interval_takes_stays() {
    assert_eq!(with(6, &[ROBBED; 2]).verdict, SpoiledVerdict::LeftOut);
    assert_eq!(with(5, &[ROBBED; 2]).verdict, SpoiledVerdict::TooMany);
}

#[test]
fn steal_where_most_was_done_is_the_loads_own() {
    let held_back = Conditions { busy_ns: 1.5e9, stolen_ns: 0.2e9, ..QUIET };
    assert_eq!(with(12, &[held_back; 2]).verdict, SpoiledVerdict::ByLoad);
    assert!(!with(12, &[held_back; 2]).is_left_out(12));
}

// === Simulations ===

/// What one request costs, in ns of CPU, on average.
const COST: f64 = 10e6;
/// Processors of the simulated machine; requests run on one of them, one after the other.
const PROCESSORS: f64 = 2.0;
/// A step of the simulation.
const STEP: f64 = 0.01;

/// How a machine is robbed, and how its requests and other work vary.
struct World {
    /// The part of the wanted time that neighbours take in their bursts: from, to. Bursts last from half a second to
    /// five, and fill so much of all time.
    neighbours: Option<(f64, f64)>,
    bursts_fill: f64,
    /// The processors' time that the hypervisor grants at most.
    cap: f64,
    /// The kernel counts stolen time as run.
    counts_stolen: bool,
    /// Requests a second; back to back without.
    rate: Option<f64>,
    /// The requests of a block cost more or less than on average, by up to this part.
    uneven: f64,
    /// Other work of the same group, in processors: always, and in bursts that fill a tenth of all time.
    background: (f64, f64),
}

const PLAIN: World = World {
    neighbours: None,
    bursts_fill: 0.0,
    cap: f64::INFINITY,
    counts_stolen: false,
    rate: None,
    uneven: 0.0,
    background: (0.02, 0.0),
};

/// On for a while, then off for a while, each of random length.
struct Bursts {
    fill: f64,
    left: f64,
    is_on: bool,
}

impl Bursts {
    /// A step further; whether a burst begins.
    fn step(&mut self, rng: &mut Rng) -> bool {
        self.left -= STEP;
        if self.left > 0.0 || self.fill <= 0.0 {
            return false;
        }
        self.is_on = !self.is_on;
        let burst = 0.5 + 4.5 * rng.f64();
        self.left = if self.is_on { burst } else { burst * (1.0 - self.fill) / self.fill };
        self.is_on
    }
}

/// A run of `count` blocks, and what the machine did in each.
fn run(world: &World, count: usize, seed: u64) -> (Vec<Block>, Vec<Conditions>) {
    let mut rng = Rng::with_seed(seed ^ 0x5bd1_e995);
    let timing = Timing { phase: Duration::from_millis(500), jitter: Timing::JITTER };
    let off = |fill: f64, rng: &mut Rng| Bursts { fill, left: 5.0 * rng.f64(), is_on: rng.f64() < fill };
    let mut neighbours = off(world.bursts_fill, &mut rng);
    let mut work = off(0.1, &mut rng);
    let (mut taken, mut conditions) = (0.3, Vec::new());
    let blocks = Planner::new(seed, 1, timing).take(count).map(|plan| {
        let mut of_block = Conditions::default();
        let cost = COST * (1.0 + world.uneven * (2.0 * rng.f64() - 1.0));
        let block = block(plan, |is_on| {
            let steps = (plan.phase.as_secs_f64() / STEP).round();
            let (mut done, mut count, mut waiting) = (0.0, 0.0, 0.0);
            for _ in 0..steps as usize {
                if neighbours.step(&mut rng) {
                    let (from, to) = world.neighbours.unwrap_or_default();
                    taken = from + (to - from) * rng.f64();
                }
                work.step(&mut rng);
                // Time of processors that is wanted in this step, s: by requests, and by other work.
                waiting += if is_on { world.rate.map_or(f64::INFINITY, |rate| rate * STEP * cost / 1e9) } else { 0.0 };
                let of_requests = f64::min(waiting, STEP);
                let other = STEP * (world.background.0 + if work.is_on { world.background.1 } else { 0.0 });
                let wanted = of_requests + other;
                let by_neighbours = if neighbours.is_on && world.neighbours.is_some() { taken } else { 0.0 };
                let granted = (wanted * (1.0 - by_neighbours)).min(world.cap * STEP);
                let part = if wanted > 0.0 { granted / wanted } else { 1.0 };
                done += of_requests * part * 1e9 / cost;
                waiting -= of_requests * part;
                count += if world.counts_stolen { wanted } else { granted };
                of_block.busy_ns += granted * 1e9;
                of_block.stolen_ns += (wanted - granted) * 1e9;
                of_block.elapsed_ns += STEP * 1e9;
                of_block.available_ns += PROCESSORS * STEP * 1e9;
            }
            // A request that is under way belongs to the phase by the part that was done: fractions stand for many.
            Phase {
                duration_ns: (steps * STEP * 1e9) as u64,
                requests: if is_on { (done * 1_000.0).round() as u64 } else { 0 },
                count: count * 1e9,
            }
        });
        conditions.push(of_block);
        block
    });
    let blocks = blocks.collect();
    (blocks, conditions)
}

fn block(plan: BlockPlan, mut phase: impl FnMut(bool) -> Phase) -> Block {
    let phases: [Phase; PHASES_PER_BLOCK] = plan.order.positions().map(|position| phase(position.is_on()));
    Block::new(plan.order, phases)
}

/// What came of many runs.
#[derive(Debug, Default)]
struct Outcome {
    /// Mean of estimate / truth − 1, over runs.
    bias: f64,
    /// The part of runs whose interval has the truth.
    coverage: f64,
    /// The parts of runs by verdict: none spoiled, left out, too many, by load.
    verdicts: [f64; 4],
}

const RUNS: usize = 500;

/// With the rule, or with one that leaves out all spoiled blocks as long as enough are left (`guarded` false), or with
/// none.
fn simulate(world: &World, rule: &str) -> Outcome {
    let mut outcome = Outcome::default();
    for seed in 0..RUNS as u64 {
        let (blocks, conditions) = run(world, 15, seed);
        let spoiled = Spoiled::of(&conditions, enough);
        let leaves_out = |block: usize| match rule {
            "none" => false,
            "naive" => spoiled.verdict != SpoiledVerdict::TooMany && spoiled.blocks[block],
            _ => spoiled.is_left_out(block),
        };
        let kept: Vec<Block> =
            blocks.iter().enumerate().filter(|(index, _)| !leaves_out(*index)).map(|(_, block)| *block).collect();
        let weight = Weight::of(&kept).unwrap().per_request;
        let truth = COST / 1_000.0;
        let part = 1.0 / RUNS as f64;
        outcome.bias += (weight.value / truth - 1.0) * part;
        outcome.coverage += if weight.low <= truth && truth <= weight.high { part } else { 0.0 };
        outcome.verdicts[spoiled.verdict as usize] += part;
    }
    outcome
}

/// The bursts that virtual machines of today see: 30 to 50 % of the time that is wanted, for seconds.
const NEIGHBOURS: World = World { neighbours: Some((0.3, 0.5)), bursts_fill: 0.2, uneven: 0.1, ..PLAIN };

fn unbiased(outcome: &Outcome) -> bool {
    outcome.bias.abs() < 0.005 && (0.93..=0.985).contains(&outcome.coverage)
}

#[test]
fn bursts_of_neighbours_leave_weights_unbiased() {
    for rate in [None, Some(40.0)] {
        let world = World { rate, background: (0.05, 0.3), ..NEIGHBOURS };
        let outcome = simulate(&world, "rule");
        assert!(unbiased(&outcome), "{rate:?}: {outcome:?}");
        assert!(outcome.verdicts[SpoiledVerdict::LeftOut as usize] > 0.8, "{rate:?}: {outcome:?}");
    }
}

#[test]
fn where_the_kernel_counts_stolen_time_as_run_the_weights_need_the_rule() {
    let world = World { counts_stolen: true, bursts_fill: 0.15, ..NEIGHBOURS };
    let (without, with) = (simulate(&world, "none"), simulate(&world, "rule"));
    assert!(without.bias > 0.05 && without.coverage < 0.7, "{without:?}");
    assert!(unbiased(&with), "{with:?}");
}

/// A hypervisor that holds the machine back when it works: blocks of dear requests are spoiled, those of cheap ones not.
#[test]
fn steal_that_the_load_brings_about_chooses_no_blocks() {
    let world = World { cap: 0.55, rate: Some(50.0), uneven: 0.3, ..PLAIN };
    let [without, naive, with] = ["none", "naive", "rule"].map(|rule| simulate(&world, rule));
    assert!(naive.bias < -0.05 && naive.coverage < 0.5, "leaving them out chooses cheap requests: {naive:?}");
    assert!((with.bias - without.bias).abs() < 0.002 && with.coverage > 0.93, "{with:?} {without:?}");
    assert!(with.verdicts[SpoiledVerdict::LeftOut as usize] < 0.05, "{with:?}");
}

/// Likewise with bursts of other work: only those that meet requests reach the cap.
#[test]
fn bursts_of_other_work_under_a_cap_choose_no_blocks() {
    let world = World { cap: 1.1, background: (0.05, 0.5), uneven: 0.05, ..PLAIN };
    let outcome = simulate(&world, "rule");
    assert!(outcome.verdicts[SpoiledVerdict::LeftOut as usize] < 0.05, "{outcome:?}");
    assert!(outcome.verdicts[SpoiledVerdict::ByLoad as usize] > 0.9, "{outcome:?}");
}

#[test]
fn of_fifteen_the_largest_two_are_one_choice_of_105() {
    let others: Vec<f64> = (0..13).map(f64::from).collect();
    assert!((p_value_of_larger(&[20.0, 30.0], &others) - 1.0 / 105.0).abs() < 1e-12);
    assert!((p_value_of_larger(&[-1.0, -2.0], &others) - 1.0).abs() < 1e-12);
    assert_eq!(p_value_of_larger(&[], &others), 1.0);
}

#[test]
fn equal_values_tell_nothing() {
    assert!((p_value_of_larger(&[1.0; 3], &[1.0; 7]) - 1.0).abs() < 1e-12);
    assert!((p_value_of_larger(&[1.0; 30], &[1.0; 70]) - 1.0).abs() < 1e-12);
}

#[test]
fn the_approximation_agrees_with_the_count() {
    let mut rng = fastrand::Rng::with_seed(3);
    for _ in 0..20 {
        let larger: Vec<f64> = (0..15).map(|_| rng.f64() + 0.2).collect();
        let others: Vec<f64> = (0..40).map(|_| rng.f64()).collect();
        let ranks = doubled_ranks(&larger, &others);
        let observed = ranks[..15].iter().sum();
        let (exact, normal) = (exact(&ranks, 15, observed), normal(&ranks, 15, observed));
        assert!((exact - normal).abs() < 0.01, "{exact} {normal}");
    }
}

proptest! {
    #[test]
    fn it_is_a_probability(larger in prop::collection::vec(-5_i8..5, 1..9), others in prop::collection::vec(-5_i8..5, 1..9)) {
        let of = |values: &[i8]| values.iter().map(|value| f64::from(*value)).collect::<Vec<_>>();
        let (larger, others) = (of(&larger), of(&others));
        let p = p_value_of_larger(&larger, &others);
        prop_assert!(p > 0.0 && p <= 1.0 + 1e-12, "{}", p);
        // What is at least the sum, and what is less, is all.
        let ranks = doubled_ranks(&larger, &others);
        let above = exact(&ranks, larger.len(), ranks[..larger.len()].iter().sum::<usize>() + 1);
        prop_assert!(above < p);
    }
}
