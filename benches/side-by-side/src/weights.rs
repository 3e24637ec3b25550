//! What a request weighs, by Unladen's way of measuring and by psdbench's, in blocks that take turns.
//!
//! psdbench (2006) switches requests on, then off, always in this order; reads the CPU of processes in ticks of 10 ms
//! (utime and stime in /proc/PID/stat); and prints the mean of the cycles with the spread of the cycles as its ±.

use std::time::{Duration, Instant};

use unladen_load::{Cancel, Driver, DriverConfig, HttpVersion, Request, Stop};
use unladen_lockin::{Block, PHASES_PER_BLOCK, Phase, Planner, Position, Timing, Weight, t_critical};
use unladen_probe::{GroupBy, Instrument};

use crate::figures::{Series, print, three};
use crate::subject::Subject;
use crate::{Bench, Options, Result};

pub(crate) const BENCH: Bench =
    Bench { name: "weights", about: "the ± of a weight: Unladen's, and psdbench's, in the same time", run };

const PHASE: Duration = Duration::from_millis(500);
const SETTLE: Duration = Duration::from_millis(100);
/// Blocks of each, for one figure of each: 16 s.
const BLOCKS: usize = 8;
/// A tick of /proc/PID/stat in ns.
const TICK_NS: f64 = 1e7;
/// The server's executable.
const SERVER: &str = "nginx";

/// Requests a second while they are on; None for back to back.
const LOADS: [(&str, Option<f64>); 2] = [("back to back", None), ("200 requests/s", Some(200.0))];

fn run(options: &Options) -> Result<()> {
    let subject = Subject::up("faults")?;
    for (what, rate) in LOADS {
        let (mut unladen, mut spread, mut mean) = (Weighed::default(), Weighed::default(), Weighed::default());
        for seed in 0..options.rounds_or(5) {
            let (block, cycles) = measure(&subject, rate, seed as u64)?;
            let weight = Weight::of(&block)?.per_request;
            unladen.push(weight.value, weight.half_width());
            let (value, deviation) = mean_and_deviation(&cycles);
            spread.push(value, deviation);
            let error = t_critical(0.05, (cycles.len() - 1) as f64) * deviation / (cycles.len() as f64).sqrt();
            mean.push(value, error);
        }
        println!("\n{what}, CPU of {SERVER} per request");
        let row = |name: &str, weighed: &Weighed| {
            vec![
                name.to_owned(),
                weighed.value.to_string(),
                weighed.half_width.to_string(),
                weighed.half_width.over(&unladen.half_width).to_string(),
            ]
        };
        print(
            &["how", "µs a request", "± µs", "±, ratio to unladen"],
            &[
                row("unladen, 95 % interval", &unladen),
                row("psdbench, ± as it prints it (spread)", &spread),
                row("psdbench, 95 % interval of its mean", &mean),
            ],
        );
    }
    println!("\n{} blocks of four phases of {} ms for each figure of each", BLOCKS, three(PHASE.as_secs_f64() * 1e3));
    Ok(())
}

/// Figures of several runs, in µs.
#[derive(Default)]
struct Weighed {
    value: Series,
    half_width: Series,
}

impl Weighed {
    fn push(&mut self, value_ns: f64, half_width_ns: f64) {
        self.value.push(value_ns / 1e3);
        self.half_width.push(half_width_ns / 1e3);
    }
}

/// Blocks of the one and cycles of the other, in turns.
fn measure(subject: &Subject, rate: Option<f64>, seed: u64) -> Result<(Vec<Block>, Vec<f64>)> {
    let request = Request::get(&subject.url)?.build()?;
    let config = DriverConfig { rate, http: HttpVersion::Http1, ..DriverConfig::new(vec![request]) };
    let mut driver = Driver::start(config)?;
    let cancel = Cancel::new();
    driver.run(0, Stop::after(SETTLE), &cancel)?;
    let mut instrument = Instrument::open(GroupBy::Pid)?;
    let servers = subject.processes()?;
    let groups: Vec<String> = servers.iter().map(|pid| format!(" {SERVER} {pid}")).collect();
    let mut blocks = Vec::new();
    let mut cycles = Vec::new();
    for plan in Planner::new(seed, 1, Timing { phase: PHASE, jitter: Timing::JITTER }).take(BLOCKS) {
        let mut phases: [Phase; PHASES_PER_BLOCK] = Default::default();
        let mut before = instrument.read()?;
        for (position, recorded) in plan.order.positions().into_iter().zip(&mut phases) {
            let requests = phase(&mut driver, position, plan.phase, &cancel)?;
            let after = instrument.read()?;
            let counted = after.since(&before).filter(|(group, counter, _)| {
                let name = &instrument.group(*group).name;
                instrument.counter(*counter).name == "cpu" && groups.iter().any(|ours| name.ends_with(ours))
            });
            let count = counted.map(|(_, _, grown)| grown as f64).sum();
            *recorded = Phase { duration_ns: after.at_ns() - before.at_ns(), requests, count };
            before = after;
        }
        blocks.push(Block::new(plan.order, phases));

        let mut ticks_before = ticks(&servers)?;
        for _ in 0..PHASES_PER_BLOCK / 2 {
            let mut grown = [0.0; 2];
            let mut requests = 0;
            for (position, grown) in [Position::On, Position::Off].into_iter().zip(&mut grown) {
                requests += phase(&mut driver, position, PHASE, &cancel)?;
                let now = ticks(&servers)?;
                *grown = now.saturating_sub(ticks_before) as f64 * TICK_NS;
                ticks_before = now;
            }
            cycles.push((grown[0] - grown[1]) / requests.max(1) as f64);
        }
    }
    Ok((blocks, cycles))
}

/// One phase; how many requests ran in it.
fn phase(driver: &mut Driver, position: Position, length: Duration, cancel: &Cancel) -> Result<u64> {
    let end = Instant::now() + length;
    let mut requests = 0;
    if position.is_on() {
        requests = driver.run(0, Stop { until: end - SETTLE, max_requests: None }, cancel)?.requests;
    }
    std::thread::sleep(end.saturating_duration_since(Instant::now()));
    Ok(requests)
}

/// User and system ticks of these processes.
fn ticks(pids: &[u32]) -> Result<u64> {
    let mut sum = 0;
    for pid in pids {
        // One that has ended is done without, as psdbench does.
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        let rest = stat.rsplit_once(") ").ok_or("/proc/PID/stat has no name")?.1;
        // proc_pid_stat(5) counts from 1, and the state is the third.
        sum += rest.split(' ').skip(14 - 3).take(2).map(str::parse::<u64>).sum::<std::result::Result<u64, _>>()?;
    }
    Ok(sum)
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0)).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_deviation_are_those_of_a_sample() {
        let (mean, deviation) = mean_and_deviation(&[2.0, 4.0, 6.0]);
        assert!((mean - 4.0).abs() < 1e-12 && (deviation - 2.0).abs() < 1e-12);
    }
}
