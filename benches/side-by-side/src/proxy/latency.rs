//! What a proxy adds to the latency at a constant rate, beside asking the service directly in the same round.

use std::time::Duration;

use super::World;
use super::bound::{Bound, Limit, judge, judge_value};
use super::load::{Load, Loaded};
use super::peer::Running;
use super::route::Listen;
use super::service::SMALL;
use crate::Result;
use crate::figures::{Series, print};

const RATE: f64 = 2_000.0;
const TIME: Duration = Duration::from_secs(10);
/// Connections are open by then, and the pool is full.
const WARM_UP: Duration = Duration::from_millis(500);
const CONNECTIONS: usize = 64;

/// Added, in µs.
const MOST_P50: f64 = 100.0;
const MOST_P999: f64 = 1_000.0;

pub(super) fn run(world: &World) -> Result<()> {
    for (what, tls) in [("plain upstream", false), ("TLS upstream", true)] {
        let upstream = if tls { world.service.tls } else { world.service.plain };
        let url = |scheme: &str, port: u16| format!("{scheme}://127.0.0.1:{port}{}", SMALL.0);
        let mut direct = [Series::default(), Series::default(), Series::default()];
        let mut added = vec![[Series::default(), Series::default(), Series::default()]; world.peers.len()];
        for round in 0..world.rounds_or(3) {
            let base = measure(world, &url(upstream.scheme(), upstream.port))?;
            for (series, value) in direct.iter_mut().zip([base.p50_us, base.p999_us, base.lag_p999_us]) {
                series.push(value);
            }
            for turn in 0..world.peers.len() {
                let index = (turn + round) % world.peers.len();
                let route = world.route("one", upstream)?;
                let Listen::Tcp(port) = route.listen else { return Err("no port".into()) };
                let running = Running::start(world.peers[index].as_ref(), &world.plan(vec![route]), &world.scratch)?;
                let with = measure(world, &url("http", port))
                    .map_err(|error| format!("{}: {error}", world.peers[index].name()))?;
                drop(running);
                let values = [with.p50_us - base.p50_us, with.p999_us - base.p999_us, with.lag_p999_us];
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
        let haproxy = [Bound { against: "haproxy", limit: Limit::Most(1.0) }];
        judge("added to p50", &world.peers, &only(0), &haproxy);
        judge("added to p99.9", &world.peers, &only(1), &haproxy);
    }
    Ok(())
}

fn row(name: &str, series: &[Series; 3]) -> Vec<String> {
    [name.to_owned()].into_iter().chain(series.iter().map(Series::to_string)).collect()
}

fn measure(world: &World, url: &str) -> Result<Loaded> {
    let load = Load { url, ca: Some(&world.service.certificates.ca), rate: Some(RATE), connections: CONNECTIONS };
    load.run(WARM_UP, TIME)
}
