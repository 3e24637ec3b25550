//! How late requests arrive that are sent at a constant rate, and what it costs the client to be in time.

use std::time::Duration;

use crate::figures::{Series, print, quantile};
use crate::schedule::Schedule;
use crate::scratch::ScratchFolder;
use crate::stamps::Server;
use crate::tools::{self, Load, Sends, Tool};
use crate::{Bench, Options, Result};

pub(crate) const BENCH: Bench =
    Bench { name: "lag", about: "send lag at a constant rate, seen by the server; CPU of the client", run };

const RATES: [u64; 2] = [1_000, 10_000];
const SECONDS: u64 = 10;
/// The most under way at once: ten times what a hiccup of 1 ms needs at the higher rate.
const CONNECTIONS: u64 = 100;

fn run(options: &Options) -> Result<()> {
    let scratch = ScratchFolder::new()?;
    let mut tools = tools::all(BENCH.name)?;
    tools.retain(|tool| {
        if let Some(why) = &tool.unpaced {
            println!("  (without {}: {why})", tool.name);
        }
        tool.unpaced.is_none()
    });
    for rate in RATES {
        let mut seen = vec![Seen::default(); tools.len()];
        for _ in 0..options.rounds_or(5) {
            for (tool, seen) in tools.iter().zip(&mut seen) {
                seen.round(tool, rate, &scratch)?;
            }
        }
        println!("\n{rate} requests/s for {SECONDS} s; ratios to {}", tools[0].name);
        table(&tools, &seen);
    }
    Ok(())
}

/// What was seen of one tool.
#[derive(Clone, Default)]
struct Seen {
    /// Of the planned requests, in %.
    sent: Series,
    /// µs.
    p50: Series,
    p99: Series,
    max: Series,
    cpu: Series,
    /// What it says itself: median and 99 % of the latency, in µs.
    said: [Series; 2],
    /// What it says of its own lag: p50, p99, max in µs.
    own: [Series; 3],
    /// What it says that pacing cost, in µs a request.
    pacing: Series,
}

impl Seen {
    fn round(&mut self, tool: &Tool, rate: u64, scratch: &ScratchFolder) -> Result<()> {
        let server = Server::start(None)?;
        let sends = Sends::Rate { rate, seconds: SECONDS };
        let load = Load { url: server.url.clone(), sends, connections: CONNECTIONS, keep_alive: true };
        let (ran, said) = tool.send(&load, scratch)?;
        let arrived = server.stop()?.arrivals();
        let nothing = || format!("nothing arrived from {}", tool.name);
        let schedule = Schedule::fit(&arrived, rate as f64).ok_or_else(nothing)?;
        let lags = schedule.lags(arrived.iter().copied());
        for (series, share) in [(&mut self.p50, 0.5), (&mut self.p99, 0.99), (&mut self.max, 1.0)] {
            series.push(quantile(&lags, share).ok_or_else(nothing)? / 1e3);
        }
        let requests = arrived.len() as f64;
        self.sent.push(requests / load.requests() as f64 * 100.0);
        self.cpu.push(ran.cpu.as_secs_f64() * 1e6 / requests);
        push(&mut self.said, [said.latency[0], said.latency[3]]);
        push(&mut self.own, said.lag);
        if let Some(pacing) = said.pacing {
            self.pacing.push(pacing.as_secs_f64() * 1e6 / requests);
        }
        Ok(())
    }
}

/// Those that are told, in µs.
fn push<const N: usize>(series: &mut [Series; N], times: [Option<Duration>; N]) {
    for (series, time) in series.iter_mut().zip(times) {
        if let Some(time) = time {
            series.push(time.as_secs_f64() * 1e6);
        }
    }
}

fn table(tools: &[Tool], seen: &[Seen]) {
    let rows = |cells: &dyn Fn(&Seen) -> Vec<String>| -> Vec<Vec<String>> {
        let rows = tools.iter().zip(seen);
        rows.map(|(tool, seen)| [vec![tool.name.clone()], cells(seen)].concat()).collect()
    };
    let Some(first) = seen.first() else { return };
    let lags = rows(&|seen| {
        vec![
            seen.p50.to_string(),
            seen.p99.to_string(),
            seen.p99.over(&first.p99).to_string(),
            seen.max.to_string(),
            seen.sent.to_string(),
        ]
    });
    print(&["late by", "p50, µs", "p99, µs", "ratio", "max, µs", "arrived, %"], &lags);
    println!();
    let costs = rows(&|seen| {
        let [p50, p99] = &seen.said;
        vec![seen.cpu.to_string(), seen.cpu.over(&first.cpu).to_string(), p50.to_string(), p99.to_string()]
    });
    print(&["", "CPU µs a request", "ratio", "its latency, p50, µs", "p99, µs"], &costs);
    for (tool, seen) in tools.iter().zip(seen) {
        let [p50, p99, max] = &seen.own;
        if !p50.is_empty() {
            println!("  {} says that it was late by p50 {p50}, p99 {p99}, max {max} µs", tool.name);
        }
        if !seen.pacing.is_empty() {
            println!("  {} says that {} µs of its CPU a request went into pacing", tool.name, seen.pacing);
        }
    }
}
