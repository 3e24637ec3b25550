//! Caches in front of an application: what a hit, a 304 and a hit by TLS cost in each, what a validator costs, how much
//! a full store still answers.
//!
//! Each is pinned to one processor; the callers and the application have another. None writes a log. The application
//! counts its requests: an answer that did not come from the cache ends the bench.

use std::process::Command;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::calls::{Amount, Ask, Calls};
use crate::comparison::Comparison;
use crate::contestant::{Contestant, Manner};
use crate::figures::{Limit, Series, print, three};
use crate::processors::Processors;
use crate::program::finish;
use crate::running::{Listen, Running};
use crate::{Bench, Options, Result, counting};

pub(crate) const BENCH: Bench =
    Bench { name: "cache", about: "caches in front of an application: CPU of a hit, hit ratio", run };

/// Bytes of memory for what is stored: more than all cases but `zipf` need.
const MEMORY: u64 = 256 << 20;

/// Pages that PostgreSQL knows of, and their length.
const KNOWN: u64 = 2_000;
const LENGTH: u64 = 8_000;
/// Requests of a second of one processor.
const LEAST: f64 = 5_000.0;

/// Bytes that each may store. What it keeps beside the bodies is within that of ours, and beyond that of Varnish.
const FULL: u64 = 64 << 20;
const PAGES: usize = 20_000;
/// The popularity of the n-th page is 1 / n^ALPHA.
const ALPHA: f64 = 0.9;
/// Before what counts: the store is full by then; and what counts.
const REQUESTS: [u64; 2] = [150_000, 150_000];
/// At a time. Who waits for another's answer counts as answered by the cache, so few.
const AT_ONCE: usize = 4;

fn run(options: &Options) -> Result<()> {
    let mut all = Comparison::new("cache", options)?;
    all.processors = Some(Processors::divide()?);
    all.told.insert("memory".to_owned(), json!(MEMORY));
    all.run(counting::run, |all, case| if case == "zipf" { zipf(all) } else { validator(all) })
}

/// A page from the cache that PostgreSQL has been asked about first: how many a second one processor does, the
/// database's part included.
fn validator(all: &Comparison) -> Result<()> {
    let service = match Contestant::service("postgresql") {
        Ok(service) => service,
        Err(error) => {
            println!("  ({error})");
            return Ok(());
        }
    };
    let folder = service.folder(&all.scratch);
    let manner = Manner { processor: all.processors.as_ref().map(|processors| processors.theirs), is_counted: false };
    let socket = Listen::Unix(folder.join(".s.PGSQL.5432"));
    let database: Running = service.start(&all.scratch, &json!({}), &[socket], manner)?;
    let sql = |sql: &str| {
        let mut command = Command::new("psql");
        command.args(["-X", "-q", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-p", "5432", "-h"]).arg(&folder);
        finish(command.args(["postgres", "-c", sql]))
    };
    // It listens before it answers.
    let is_ready = |_| {
        std::thread::sleep(Duration::from_millis(50));
        sql("select 1").is_ok()
    };
    if !(0..100).any(is_ready) {
        return Err("PostgreSQL does not answer".into());
    }
    sql(&format!(
        "create table page (number int8 primary key, changed timestamptz not null default now());
         insert into page select generate_series(1, {KNOWN}); analyze page"
    ))?;
    let told = Map::from_iter([("database".to_owned(), Value::from(service.url(0, &all.scratch)?))]);
    for (what, count) in [("many pages, drawn with the same chance", KNOWN), ("one hot page", 1)] {
        println!("\n  {what}");
        let pages: Vec<_> = (1..=count).map(|number| (format!("/{LENGTH}/{number}"), LENGTH, 1.0)).collect();
        for contestant in all.contestants.iter().filter(|contestant| contestant.is_ours()) {
            let [mut of_processor, mut by_clock, mut own_us, mut database_us] = [(); 4].map(|()| Series::default());
            for _ in 0..all.rounds_or(5) {
                let ask = Ask { connections: 64, ..Ask::default() };
                let standing = all.start_with(contestant, &ask, told.clone(), false)?;
                Calls::with(&standing.listen, None, &Ask::of("", 0, 1), &pages)?.each(2)?;
                let mut calls = Calls::with(&standing.listen, None, &ask, &pages)?;
                // The connections that the warm-up has had made are among them.
                let took = all.measure(&standing, &mut calls, &ask, &|| database.processes())?;
                of_processor.push(took.requests / (took.cpu_us + took.others_us) * 1e6);
                by_clock.push(took.rate);
                own_us.push(took.cpu_us / took.requests);
                database_us.push(took.others_us / took.requests);
            }
            let figures = [&of_processor, &by_clock, &own_us, &database_us].map(Series::to_string);
            let row = [vec![contestant.name.clone()], figures.to_vec()].concat();
            print(&["", "requests of a CPU second", "by the clock", "CPU µs, own", "the database's"], &[row]);
            Limit::Least(LEAST).judge(&format!("requests of a CPU second, {}", contestant.name), &of_processor);
        }
    }
    Ok(())
}

/// How much a full store still answers, of requests whose popularity follows Zipf's law: the same ones, in the same
/// order, for each.
fn zipf(all: &Comparison) -> Result<()> {
    let pages = pages();
    let bytes: u64 = pages.iter().map(|(_, length, _)| length).sum();
    let [warm_up, counted] = REQUESTS;
    println!(
        "  {} MiB each; {PAGES} pages of {} MiB in all; {warm_up} requests to fill, then {counted}",
        FULL >> 20,
        bytes >> 20,
    );
    let (mut rows, mut ratios) = (Vec::new(), Vec::new());
    for contestant in &all.contestants {
        let ask = Ask { connections: AT_ONCE, ..Ask::default() };
        let told = Map::from_iter([("memory".to_owned(), Value::from(FULL))]);
        let standing = all.start_with(contestant, &ask, told, false)?;
        let mut calls = Calls::with(&standing.listen, None, &ask, &pages)?;
        let mut call = |requests| calls.call(Amount::Requests(requests)).map_err(|error| standing.named(&*error));
        call(warm_up)?;
        let before = all.application.requests()?;
        let called = call(counted)?;
        let missed = all.application.requests()? - before;
        let mut ratio = Series::default();
        ratio.push(1.0 - missed as f64 / called.requests());
        let resident = standing.running.processes().resident_mib()?;
        rows.push(vec![contestant.name.clone(), three(ratio.median() * 100.0), three(resident)]);
        ratios.push(ratio);
    }
    print(&["", "hits, %", "resident MiB"], &rows);
    if let Some(varnish) = all.names().iter().position(|name| *name == "varnish") {
        for (ours, ratio) in all.contestants.iter().zip(&ratios).filter(|(contestant, _)| contestant.is_ours()) {
            Limit::Least(1.0).judge(&format!("hit ratio, {} / varnish", ours.name), &ratio.over(&ratios[varnish]));
        }
    }
    Ok(())
}

/// The same in every run. Half are below 8 KB, one in a hundred above 130 KB.
fn pages() -> Vec<(String, u64, f64)> {
    let mut random = fastrand::Rng::with_seed(0x5DEE_CE66_D1CE_4E5B);
    let mut page = |number: usize| {
        // Box and Muller's way to a normal distribution.
        let (a, b) = (random.f64().max(f64::MIN_POSITIVE), random.f64());
        let normal = (-2.0 * a.ln()).sqrt() * (std::f64::consts::TAU * b).cos();
        let length = (8_000.0 * (1.2 * normal).exp()).clamp(200.0, 500_000.0) as u64;
        (format!("/{length}/{number}"), length, (number as f64).powf(-ALPHA))
    };
    (1..=PAGES).map(&mut page).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_pages_are_short_and_the_store_gets_full() {
        let mut lengths: Vec<u64> = pages().into_iter().map(|(_, length, _)| length).collect();
        lengths.sort_unstable();
        let median = lengths[lengths.len() / 2];
        assert!((7_000..9_000).contains(&median), "{median}");
        let sum: u64 = lengths.iter().sum();
        assert!(sum > 4 * FULL, "{sum}");
    }
}
