//! What a proxy adds to the latency at a constant rate, beside asking the service directly in the same round.

use std::time::Duration;

use super::bound::{Bound, judge, judge_value};
use super::peer::start;
use super::service::SMALL;
use super::world::World;
use crate::Result;
use crate::figures::{Series, print};
use crate::rig::limit::Limit;
use crate::rig::listen::Listen;
use crate::rig::load::{Load, Loaded};

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
        let none = || [Series::default(), Series::default(), Series::default()];
        let mut direct = none();
        let mut with = vec![none(); world.peers.len()];
        for round in 0..world.rounds_or(5) {
            measure(world, &url(upstream.scheme(), upstream.port), &mut direct)?;
            for turn in 0..world.peers.len() {
                let index = (turn + round) % world.peers.len();
                let route = world.route("one", upstream)?;
                let Listen::Tcp(port) = route.listen else { return Err("no port".into()) };
                let _running = start(world.peers[index].as_ref(), &world.plan(vec![route]), &world.scratch)?;
                measure(world, &url("http", port), &mut with[index])
                    .map_err(|error| format!("{}: {error}", world.peers[index].name()))?;
            }
        }
        let whole = |at: usize| -> Vec<Series> { with.iter().map(|series| series[at].clone()).collect() };
        let added = |at: usize| -> Vec<Series> { with.iter().map(|series| series[at].less(&direct[at])).collect() };
        println!("\n  {what}");
        let mut rows = vec![row("direct, the latency itself", &direct)];
        for (index, peer) in world.peers.iter().enumerate() {
            let series = [added(0)[index].clone(), added(1)[index].clone(), with[index][2].clone()];
            rows.push(row(&format!("{}, added", peer.name()), &series));
        }
        print(&["", "p50, µs", "p99.9, µs", "sent late by p99.9, µs"], &rows);
        judge_value("added to p50, µs", &world.peers, &added(0), MOST_P50);
        judge_value("added to p99.9, µs", &world.peers, &added(1), MOST_P999);
        // Of the latencies themselves: what is added may be nothing, and no figure to divide by.
        let haproxy = [Bound { against: "haproxy", limit: Limit::Most(1.0) }];
        judge("latency p50", &world.peers, &whole(0), &haproxy);
        judge("latency p99.9", &world.peers, &whole(1), &haproxy);
    }
    Ok(())
}

fn row(name: &str, series: &[Series; 3]) -> Vec<String> {
    [name.to_owned()].into_iter().chain(series.iter().map(Series::to_string)).collect()
}

/// p50, p99.9 and the lag's p99.9, in µs.
fn measure(world: &World, url: &str, into: &mut [Series; 3]) -> Result<()> {
    let load = Load {
        url,
        ca: Some(&world.service.certificates.ca),
        rate: Some(RATE),
        connections: CONNECTIONS,
        length: None,
    };
    let Loaded { p50_us, p999_us, lag_p999_us, .. } = load.run(WARM_UP, TIME)?;
    for (series, value) in into.iter_mut().zip([p50_us, p999_us, lag_p999_us]) {
        series.push(value);
    }
    Ok(())
}
