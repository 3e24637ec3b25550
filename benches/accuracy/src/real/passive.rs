//! What the field does without requests of its own: the server's CPU, regressed on how often each kind is asked for.
//! The same pages and traffic as [`billed`](super::billed), of which it sees a log and a CPU counter.

use std::time::{Duration, Instant};

use fastrand::Rng;

use super::billed::{self, KINDS, PAGES};
use super::binaries::Binaries;
use super::burn::{Burn, get};
use super::disturbance::{Disturbance, Neighbour};
use super::error::RealError;

/// How often the counter is read.
const WINDOW: Duration = Duration::from_secs(1);
/// Rounds of the descent, far more than it needs.
const ROUNDS: usize = 20_000;
/// Nanoseconds of a tick of /proc.
const TICK: f64 = 1e9 / 100.0;

/// Of a request of each kind: what it cost, ns, and what the regression says.
pub fn run(binaries: &Binaries, beside: Neighbour, time: Duration, seed: u64) -> Result<Vec<(f64, f64)>, RealError> {
    let subject = Burn::costing(binaries, (0.0, 0.0), time * 2 + Duration::from_secs(300))?;
    let kinds = billed::kinds();
    let traffic: usize = kinds.iter().map(|kind| kind.requests).sum();
    let work: u64 = kinds.iter().map(|kind| kind.microseconds * kind.requests as u64).sum();
    // As much of a core is idle as busy.
    let gap = work as f64 / traffic as f64 / 1e6;
    let _disturbance = Disturbance::start(beside, seed, &(&subject).into())?;
    let mut rng = Rng::with_seed(seed);
    let (mut windows, begun) = (Vec::new(), Instant::now());
    while begun.elapsed() < time {
        let (mut asked, before, end) = ([0.0; KINDS], cpu_ns(subject.pid())?, Instant::now() + WINDOW);
        while Instant::now() < end {
            std::thread::sleep(Duration::from_secs_f64(-gap * rng.f64().max(1e-9).ln()));
            let mut drawn = rng.usize(..traffic);
            let at = kinds.iter().position(|kind| {
                let is_it = drawn < kind.requests;
                drawn = drawn.wrapping_sub(kind.requests);
                is_it
            });
            let at = at.unwrap_or_default();
            let path = format!("/k{at:02}/{}/page{}", kinds[at].microseconds, rng.usize(..PAGES));
            get(subject.address(), &path).map_err(RealError::of("burn"))?;
            asked[at] += 1.0;
        }
        windows.push((asked, cpu_ns(subject.pid())? - before));
    }
    let truth = subject.truth()?;
    let of_kind = |(at, said): (usize, f64)| {
        let own = truth.kinds.get(&format!("k{at:02}")).filter(|own| own.requests > 0)?;
        Some((own.cpu_ns as f64 / own.requests as f64, said))
    };
    Ok(least_squares(&windows).into_iter().enumerate().filter_map(of_kind).collect())
}

/// Costs of which none is negative, by coordinate descent on the normal equations (Franc, Hlaváč and Navara, 2005).
fn least_squares(windows: &[([f64; KINDS], f64)]) -> [f64; KINDS] {
    let mut squares = [[0.0; KINDS]; KINDS];
    let mut gradient = [0.0; KINDS];
    for (asked, cpu) in windows {
        for (at, requests) in asked.iter().enumerate() {
            gradient[at] -= requests * cpu;
            squares[at].iter_mut().zip(asked).for_each(|(square, other)| *square += requests * other);
        }
    }
    let mut costs = [0.0; KINDS];
    for at in (0..KINDS).cycle().take(ROUNDS * KINDS) {
        if squares[at][at] > 0.0 {
            let cost = (costs[at] - gradient[at] / squares[at][at]).max(0.0);
            let step = cost - costs[at];
            costs[at] = cost;
            gradient.iter_mut().zip(&squares[at]).for_each(|(slope, square)| *slope += step * square);
        }
    }
    costs
}

/// CPU time of a process, ns.
fn cpu_ns(pid: u32) -> Result<f64, RealError> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).map_err(RealError::of("burn"))?;
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks = after.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
    Ok(ticks.sum::<f64>() * TICK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_noise_the_costs_are_found_and_none_is_negative() {
        let mut rng = Rng::with_seed(7);
        let costs: Vec<f64> = (0..KINDS).map(|at| if at % 6 == 4 { 0.0 } else { (at as f64 + 1.0) * 1e6 }).collect();
        let windows: Vec<_> = (0..200)
            .map(|_| {
                let asked: [f64; KINDS] = std::array::from_fn(|_| f64::from(rng.u8(0..9)));
                (asked, asked.iter().zip(&costs).map(|(requests, cost)| requests * cost).sum())
            })
            .collect();
        for (found, cost) in least_squares(&windows).iter().zip(&costs) {
            assert!((found - cost).abs() < 1e3, "{found} {cost}");
        }
    }
}
