//! Ten times as many requests as PHP-FPM can answer: what is answered, how soon, and what the others are told.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use unladen_load::{ErrorKind, LoadOutcome, Request};

use crate::calls::{Amount, Ask, Calls};
use crate::contestant::{Contestant, Manner};
use crate::figures::quantile;
use crate::php_fpm::PhpFpm;
use crate::running::{Listen, Ports};
use crate::scratch::ScratchFolder;
use crate::{Bench, Options, Result};

pub(crate) const BENCH: Bench =
    Bench { name: "overload", about: "ten times as many requests as PHP-FPM can answer", run };

/// `pm.max_children`.
const WORKERS: usize = 4;
/// Of the load, to what the workers can do.
const TIMES: f64 = 10.0;
/// Asleep, so that neither the machine nor the crowd beside it changes what the workers can do.
const PAGE: &str = "<?php usleep(20000); header('Cache-Control: no-store'); echo 'a page';";
/// `queue.wait`, as it is by itself.
const WAIT: Duration = Duration::from_secs(5);
/// So many addresses ask, as a proxy in front would tell.
const CLIENTS: usize = 200;
/// More under way is the bench's own trouble.
const MOST: usize = 10_000;

/// `--only short` takes 12 s each; `--proxy PATH` takes that program in place of a release build.
fn run(options: &Options) -> Result<()> {
    let lasts = Duration::from_secs(if options.only.iter().any(|case| case == "short") { 12 } else { 60 });
    let scratch = ScratchFolder::new()?;
    let mut ports = Ports::new();
    let mut running = Vec::new();
    for contestant in Contestant::all("overload", &options.proxies)? {
        let php = PhpFpm::start(&contestant.name.replace('/', "-"), &scratch, WORKERS, PAGE)?;
        let listen = Listen::Tcp(ports.free()?);
        let mut told = php.told.clone();
        told.insert("port".to_owned(), json!(port(&listen)));
        let listens = std::slice::from_ref(&listen);
        let front = contestant.start(&scratch, &Value::Object(told), listens, Manner::default())?;
        running.push((contestant.name, listen, (front, php)));
    }
    // By then they have been told how many workers there are.
    std::thread::sleep(Duration::from_secs(1));
    for _ in 0..options.rounds_or(1) {
        for (name, listen, _) in &running {
            let at_rest = crowd(listen, 2 * WORKERS)?.call(Amount::Time(Duration::from_secs(3)))?;
            let capacity = at_rest.rate();
            let outcomes = crowd(listen, MOST)?.at_rate(TIMES * capacity).try_call(Amount::Time(lasts))?;
            show(name, capacity, lasts, &outcomes);
        }
    }
    println!("aims: pages at least 95 % of what it can do; p99 of pages at most twice `queue.wait`, {WAIT:?}");
    Ok(())
}

fn port(listen: &Listen) -> Option<u16> {
    if let Listen::Tcp(port) = listen { Some(*port) } else { None }
}

/// Clients that wait for 15 s at most.
fn crowd(listen: &Listen, at_once: usize) -> Result<Calls> {
    let request = |client: usize| -> Result<Request> {
        let field = format!("X-Forwarded-For: 10.0.{}.{}", client / 100, client % 100);
        Ok(Request::get(&format!("http://{listen}/index.php"))?.header(field.parse()?).build()?)
    };
    let requests = (0..CLIENTS).map(request).collect::<Result<Vec<_>>>()?;
    Calls::sending(requests, &Ask { connections: at_once, ..Ask::default() }, None, None)
}

fn show(name: &str, capacity: f64, lasts: Duration, outcomes: &[LoadOutcome]) {
    let ms = |wanted: &dyn Fn(&LoadOutcome) -> bool| -> Vec<f64> {
        let wanted = outcomes.iter().filter(|outcome| wanted(outcome));
        let mut times: Vec<f64> = wanted.map(|outcome| outcome.latency().as_secs_f64() * 1e3).collect();
        times.sort_by(f64::total_cmp);
        times
    };
    let count = |wanted: &dyn Fn(ErrorKind) -> bool| {
        outcomes.iter().filter(|outcome| outcome.error.is_some_and(wanted)).count()
    };
    let pages = ms(&|outcome| outcome.error.is_none());
    let refusals = ms(&|outcome| outcome.error == Some(ErrorKind::Status));
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    for status in outcomes.iter().filter(|outcome| outcome.error.is_some()).filter_map(|outcome| outcome.status) {
        *statuses.entry(status).or_default() += 1;
    }
    let of = |times: &[f64], share| quantile(times, share).map_or_else(|| "–".to_owned(), |ms| format!("{ms:.0}"));
    // What was under way at the end is answered after it: from the first request to the last page.
    let begun = outcomes.iter().map(|outcome| outcome.planned).min();
    let last = outcomes.iter().filter(|outcome| outcome.error.is_none()).map(|outcome| outcome.done).max();
    let lasted = begun.zip(last).map_or(lasts, |(begun, last)| last.duration_since(begun));
    let rate = pages.len() as f64 / lasted.as_secs_f64();
    println!(
        "{name}: it can do {capacity:.0} pages/s, and is asked for {:.0}/s for {lasts:?}\n  \
         pages: {rate:.1}/s, {:.1} % of what it can do; ms: p50 {}, p99 {}, most {}\n  \
         refused: {statuses:?}; ms: p50 {}, p99 {}; broken off {}, waited in vain {}",
        TIMES * capacity,
        100.0 * rate / capacity,
        of(&pages, 0.5),
        of(&pages, 0.99),
        of(&pages, 1.0),
        of(&refusals, 0.5),
        of(&refusals, 0.99),
        count(&|error| !matches!(error, ErrorKind::Status | ErrorKind::Timeout)),
        count(&|error| error == ErrorKind::Timeout),
    );
}
