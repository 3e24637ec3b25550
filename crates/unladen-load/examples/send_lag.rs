//! How punctual the client is: sends at a rate, and prints its lag and what pacing took.
//!
//! ```text
//! cargo run --release -p unladen-load --example send_lag -- http://127.0.0.1:8080/ 10000 50000
//! ```
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::time::Duration;

use unladen_load::{Arrivals, Cancel, Driver, DriverConfig, LoadPlan, Mix, Request, Schedule, Stop};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, rate, requests] = &arguments[..] else {
        return Err("usage: send_lag URL RATE REQUESTS".into());
    };
    let mut driver = Driver::start(DriverConfig::new(vec![Request::get(url)?.build()?]))?;
    let cancel = Cancel::new();
    driver.sample(0, &cancel)?;
    let plan = LoadPlan {
        schedule: Some(Schedule::steady(rate.parse()?, Arrivals::Constant, 0)?),
        stop: Stop::after(Duration::from_secs(600)).or_requests(requests.parse()?),
        concurrency: 1_000,
        ..LoadPlan::new(Mix::only(0))
    };
    let mut running = driver.load(plan, &cancel)?;
    let (mut lags, mut latencies, mut errors) = (Vec::new(), Vec::new(), 0);
    while let Some(batch) = running.next_batch() {
        lags.extend(batch.iter().filter_map(|outcome| outcome.lag));
        latencies.extend(batch.iter().map(unladen_load::LoadOutcome::latency));
        errors += batch.iter().filter(|outcome| outcome.error.is_some()).count();
    }
    let end = running.end()?;
    for (what, values) in [("lag", &mut lags), ("latency", &mut latencies)] {
        values.sort_unstable();
        let at = |share: f64| values.get(((values.len() - 1) as f64 * share) as usize).copied().unwrap_or_default();
        println!("{what:8} p50 {:?}, p99 {:?}, p99.9 {:?}, max {:?}", at(0.5), at(0.99), at(0.999), at(1.0));
    }
    println!(
        "sent {}, errors {errors}, unsent {}, connections {}; each: worked {:?}, paced {:?}",
        end.sent,
        end.unsent,
        end.connections_opened,
        end.worked / end.sent.max(1) as u32,
        end.paced / end.sent.max(1) as u32,
    );
    Ok(())
}
