//! What an answer from the cache costs, and an answer that the client's own copy is still good.

use super::page::Page;
use super::standing::{MEMORY, Standing};
use super::times::TIME;
use super::world::World;
use crate::Result;
use crate::figures::{Series, print};
use crate::rig::callers::{Amount, Calls};
use crate::rig::limit::Limit;

pub(super) const SMALL: Page = Page { length: 476, number: 1 };
pub(super) const LARGE: Page = Page { length: 20_000, number: 1 };

/// Our CPU time of a request over another's, at most.
const BOUNDS: [(&str, f64); 3] = [("nginx", 0.65), ("varnish", 0.5), ("squid", 0.45)];

pub(super) const CONNECTIONS: usize = 64;

pub(super) fn small(world: &World) -> Result<()> {
    compare(world, SMALL, &calls(SMALL, false))
}

pub(super) fn large(world: &World) -> Result<()> {
    compare(world, LARGE, &calls(LARGE, false))
}

pub(super) fn not_modified(world: &World) -> Result<()> {
    compare(world, SMALL, &calls(SMALL, true))
}

/// A 304 has no body, so that its length tells it from the page.
pub(super) fn calls(page: Page, is_conditional: bool) -> Calls {
    Calls {
        path: if page == LARGE { "/20000/1" } else { "/476/1" },
        length: if is_conditional { 0 } else { page.length },
        fields: if is_conditional { format!("If-None-Match: {}\r\n", page.etag()) } else { String::new() },
        connections: CONNECTIONS,
        keep: true,
        ..Calls::default()
    }
}

fn compare(world: &World, page: Page, calls: &Calls) -> Result<()> {
    let mut cpu_us = vec![Series::default(); world.contestants.len()];
    let mut rate = cpu_us.clone();
    for round in 0..world.rounds_or(5) {
        for turn in 0..world.contestants.len() {
            // Nobody is always first.
            let index = (turn + round) % world.contestants.len();
            let standing = Standing::start(world, &*world.contestants[index], MEMORY)?;
            standing.fill(&[page])?;
            let took = standing.measure(calls, Amount::Time(TIME), None)?;
            cpu_us[index].push(took.cpu.as_secs_f64() * 1e6 / took.requests);
            rate[index].push(took.requests / took.wall.as_secs_f64());
        }
    }
    show(world, &cpu_us, &rate);
    judge(world, "CPU of a request", &cpu_us, &BOUNDS);
    Ok(())
}

/// Contestants without a figure are left out.
pub(super) fn show(world: &World, cpu_us: &[Series], rate: &[Series]) {
    let names = world.names();
    let there = (0..names.len()).filter(|index| !cpu_us[*index].is_empty());
    let row = |index: usize| {
        vec![
            names[index].clone(),
            cpu_us[index].to_string(),
            cpu_us[0].over(&cpu_us[index]).to_string(),
            rate[index].to_string(),
        ]
    };
    let rows: Vec<_> = there.map(row).collect();
    print(&["", "CPU µs a request", &format!("{} over it", names[0]), "requests/s"], &rows);
}

/// Prints what ours is to the others, and whether the bounds hold.
pub(super) fn judge(world: &World, what: &str, figures: &[Series], bounds: &[(&str, f64)]) {
    let names = world.names();
    for (ours, own) in world.contestants.iter().zip(figures).filter(|(contestant, _)| contestant.is_ours()) {
        for (against, most) in bounds {
            if let Some(at) = names.iter().position(|name| name == against) {
                Limit::Most(*most).judge(&format!("{what}, {} / {against}", ours.name()), &own.over(&figures[at]));
            }
        }
    }
}
