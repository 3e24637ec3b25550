//! How much a full store still answers, of requests whose popularity follows Zipf's law: the same ones, in the same
//! order, for each.

use std::collections::HashSet;

use super::contestant::Contestant;
use super::page::Page;
use super::standing::Standing;
use super::world::World;
use crate::Result;
use crate::figures::{print, three};
use crate::rig::callers::{Amount, Callers, Calls};
use crate::rig::limit::Limit;

/// Bytes that each may store. What it keeps beside the bodies is within that of ours, and beyond that of Varnish.
const MEMORY: u64 = 64 << 20;
const PAGES: usize = 20_000;
/// The popularity of the n-th page is 1 / n^ALPHA.
const ALPHA: f64 = 0.9;
/// Before what counts: the store is full by then.
const WARM_UP: usize = 150_000;
const REQUESTS: usize = 150_000;
/// At a time. Who waits for another's answer counts as answered by the cache, so few.
const AT_ONCE: usize = 4;

pub(super) fn run(world: &World) -> Result<()> {
    let trace = trace();
    let bytes: u64 = trace.pages.iter().map(|page| page.length).sum();
    let asked: HashSet<u64> = trace.requests.iter().map(|page| page.number).collect();
    println!(
        "  {} MiB each; {} pages of {} MiB in all, {} of them asked for; {WARM_UP} requests to fill, then {REQUESTS}",
        MEMORY >> 20,
        trace.pages.len(),
        bytes >> 20,
        asked.len(),
    );
    let mut rows = Vec::new();
    let mut ratios = Vec::new();
    for contestant in &world.contestants {
        let (ratio, resident) = once(world, &**contestant, &trace)?;
        rows.push(vec![contestant.name(), three(ratio * 100.0), three(resident)]);
        ratios.push(ratio);
    }
    print(&["", "hits, %", "resident MiB"], &rows);
    let names = world.names();
    if let Some(varnish) = names.iter().position(|name| name == "varnish") {
        for (ours, ratio) in world.contestants.iter().zip(&ratios).filter(|(contestant, _)| contestant.is_ours()) {
            let mut over = crate::figures::Series::default();
            over.push(ratio / ratios[varnish]);
            Limit::Least(1.0).judge(&format!("hit ratio, {} / varnish", ours.name()), &over);
        }
    }
    Ok(())
}

/// The hit ratio, and the memory that it took.
fn once(world: &World, contestant: &dyn Contestant, trace: &Trace) -> Result<(f64, f64)> {
    let standing = Standing::start(world, contestant, MEMORY)?;
    let list = Some(world.list(&trace.requests)?);
    let calls = Calls { list, connections: AT_ONCE, keep: true, ..Calls::default() };
    let mut callers = Callers::start(&standing.listen, &calls)?;
    let mut call = |requests: usize| {
        callers.call(Amount::Requests(requests as u64), AT_ONCE).map_err(|error| standing.named(&*error))
    };
    call(WARM_UP)?;
    let before = world.origin.requests()?;
    let called = call(REQUESTS)?;
    let missed = world.origin.requests()? - before;
    Ok((1.0 - missed as f64 / called.requests as f64, standing.processes().resident_mib()?))
}

/// What is asked for.
struct Trace {
    pages: Vec<Page>,
    requests: Vec<Page>,
}

/// The same in every run.
fn trace() -> Trace {
    let mut random = Random(0x5DEE_CE66_D1CE_4E5B);
    let pages: Vec<Page> = (1..=PAGES as u64).map(|number| Page { length: length(&mut random), number }).collect();
    let mut sum = 0.0;
    let cumulative: Vec<f64> = (1..=PAGES)
        .map(|rank| {
            sum += (rank as f64).powf(-ALPHA);
            sum
        })
        .collect();
    let draw = |_| {
        let drawn = random.next() * sum;
        pages[cumulative.partition_point(|upto| *upto <= drawn).min(PAGES - 1)]
    };
    let requests = (0..WARM_UP + REQUESTS).map(draw).collect();
    Trace { pages, requests }
}

/// Of a page: half are below 8 KB, one in a hundred above 130 KB.
fn length(random: &mut Random) -> u64 {
    // Box and Muller's way to a normal distribution.
    let (a, b) = (random.next().max(f64::MIN_POSITIVE), random.next());
    let normal = (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos();
    (8_000.0 * (1.2 * normal).exp()).clamp(200.0, 500_000.0) as u64
}

/// Steele, Lea and Flood's SplitMix.
struct Random(u64);

impl Random {
    /// From 0 up to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_as_the_law_says() {
        let trace = trace();
        let count = |number| trace.requests.iter().filter(|page| page.number == number).count() as f64;
        let (first, tenth) = (count(1), count(10));
        assert!((first / tenth / 10_f64.powf(ALPHA) - 1.0).abs() < 0.1, "{first} {tenth}");
        let mut lengths: Vec<_> = trace.pages.iter().map(|page| page.length).collect();
        lengths.sort_unstable();
        let median = lengths[lengths.len() / 2];
        assert!((7_000..9_000).contains(&median), "{median}");
        let sum: u64 = lengths.iter().sum();
        assert!(sum > 4 * MEMORY, "the store gets full: {sum}");
    }
}
