//! What a proxy adds to the latency at a constant rate, beside asking the service directly in the same round.

use std::process::{Command, Stdio};
use std::time::Duration;

use unladen_load::{
    Arrivals, Cancel, Driver, DriverConfig, HttpVersion, LoadPlan, Mix, Request, Roots, Schedule, Stop,
};

use super::World;
use super::bound::{Bound, judge, judge_value};
use super::peer::Running;
use super::service::SMALL;
use crate::figures::{Series, print};
use crate::schedule::quantile;
use crate::{Result, children, roles};

const RATE: f64 = 2_000.0;
const TIME: Duration = Duration::from_secs(10);
/// Connections are open by then, and the pool is full.
const WARM_UP: Duration = Duration::from_millis(500);
const CONNECTIONS: usize = 64;

/// Added, in µs.
const MOST_P50: f64 = 100.0;
const MOST_P999: f64 = 1_000.0;

/// Quantiles of one run, in µs.
#[derive(Debug, Clone, Copy)]
struct Quantiles {
    p50: f64,
    p999: f64,
    /// Of how late requests were sent.
    lag_p999: f64,
}

pub(super) fn run(world: &World) -> Result<()> {
    for (what, tls) in [("plain upstream", false), ("TLS upstream", true)] {
        let upstream = if tls { world.service.tls } else { world.service.plain };
        let url = |scheme: &str, port: u16| format!("{scheme}://127.0.0.1:{port}{}", SMALL.0);
        let mut direct = [Series::default(), Series::default(), Series::default()];
        let mut added = vec![[Series::default(), Series::default(), Series::default()]; world.peers.len()];
        for round in 0..world.rounds_or(3) {
            let base = measure(world, &url(upstream.scheme(), upstream.port))?;
            for (series, value) in direct.iter_mut().zip([base.p50, base.p999, base.lag_p999]) {
                series.push(value);
            }
            for turn in 0..world.peers.len() {
                let index = (turn + round) % world.peers.len();
                let route = world.route("one", upstream)?;
                let super::route::Listen::Tcp(port) = route.listen else { return Err("no port".into()) };
                let running = Running::start(world.peers[index].as_ref(), &world.plan(vec![route]), &world.scratch)?;
                let with = measure(world, &url("http", port))
                    .map_err(|error| format!("{}: {error}", world.peers[index].name()))?;
                drop(running);
                let values = [with.p50 - base.p50, with.p999 - base.p999, with.lag_p999];
                for (series, value) in added[index].iter_mut().zip(values) {
                    series.push(value);
                }
            }
        }
        println!("\n  {what}");
        let mut rows = vec![row("direct, the latency itself", &direct)];
        rows.extend(
            world.peers.iter().zip(&added).map(|(peer, series)| row(&format!("{}, added", peer.name()), series)),
        );
        print(&["", "p50, µs", "p99.9, µs", "sent late by p99.9, µs"], &rows);
        let only = |at: usize| -> Vec<Series> { added.iter().map(|series| series[at].clone()).collect() };
        judge_value("added to p50, µs", &world.peers, &only(0), MOST_P50);
        judge_value("added to p99.9, µs", &world.peers, &only(1), MOST_P999);
        let haproxy = [Bound { against: "haproxy", most: 1.0 }];
        judge("added to p50", &world.peers, &only(0), &haproxy);
        judge("added to p99.9", &world.peers, &only(1), &haproxy);
    }
    Ok(())
}

fn row(name: &str, series: &[Series; 3]) -> Vec<String> {
    [name.to_owned()].into_iter().chain(series.iter().map(Series::to_string)).collect()
}

/// In a process of its own: its thread that sends has real-time priority where it may, and nothing else to do.
fn measure(world: &World, url: &str) -> Result<Quantiles> {
    let mut command: Command = children::tied(std::env::current_exe()?);
    command.args([roles::PACED, url]).arg(&world.service.certificates.ca).stderr(Stdio::inherit());
    let said = children::run(&mut command)?.stdout;
    let values: Vec<f64> = said.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    match values[..] {
        [p50, p999, lag_p999] => Ok(Quantiles { p50, p999, lag_p999 }),
        _ => Err(format!("no three numbers: {said}").into()),
    }
}

/// As that process.
pub(crate) fn be_paced(arguments: &[String]) -> Result<()> {
    let [url, ca] = arguments else { return Err("URL CA".into()) };
    let mut config = DriverConfig {
        concurrency: CONNECTIONS,
        http: HttpVersion::Http1,
        ..DriverConfig::new(vec![Request::get(url)?.build()?])
    };
    config.tls.roots = Roots::Only(ca.into());
    let mut driver = Driver::start(config)?;
    let mut latencies = Vec::new();
    let mut lags = Vec::new();
    for time in [WARM_UP, TIME] {
        latencies.clear();
        lags.clear();
        let plan = LoadPlan {
            schedule: Some(Schedule::steady(RATE, Arrivals::Constant, 0)?),
            stop: Stop::after(time),
            concurrency: CONNECTIONS,
            ..LoadPlan::new(Mix::only(0))
        };
        let mut running = driver.load(plan, &Cancel::new())?;
        while let Some(batch) = running.next_batch() {
            for outcome in batch {
                if let Some(error) = outcome.error {
                    return Err(format!("a request failed: {error:?}, status {:?}", outcome.status).into());
                }
                latencies.push(us(outcome.done.duration_since(outcome.planned)));
                lags.extend(outcome.lag.map(us));
            }
        }
        let end = running.end()?;
        if end.unsent > 0 {
            return Err(format!("{} requests were not sent in time", end.unsent).into());
        }
    }
    latencies.sort_unstable_by(f64::total_cmp);
    lags.sort_unstable_by(f64::total_cmp);
    let of = |sorted: &[f64], share| quantile(sorted, share).ok_or("no request was sent");
    println!("{} {} {}", of(&latencies, 0.5)?, of(&latencies, 0.999)?, of(&lags, 0.999)?);
    Ok(())
}

fn us(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
