//! What each tool says of a server that now and then answers nothing for a second, and what those waited who came in time.

use std::time::Duration;

use crate::figures::{Series, print};
use crate::pauses::Pauses;
use crate::record::Record;
use crate::schedule::{Schedule, quantile};
use crate::scratch::Scratch;
use crate::server::Server;
use crate::tool::{self, Load, Sends, Tool};
use crate::{Bench, Options, Result};

pub(crate) const BENCH: Bench =
    Bench { name: "stall", about: "a server that stalls for 1 s in 10: what is reported, and the truth", run };

const PAUSES: Pauses =
    Pauses { after: Duration::from_secs(4), length: Duration::from_secs(1), every: Duration::from_secs(10) };
const RATE: u64 = 200;
const SECONDS: u64 = 30;
/// Half as many again as come in a stall, so that nobody is held up by the limit.
const CONNECTIONS: u64 = 300;
/// For those that send when an answer has come: as many as their users take.
const CLOSED_CONNECTIONS: u64 = 10;

/// p50, p90, p95, p99, max.
const SHARES: [f64; 5] = [0.5, 0.9, 0.95, 0.99, 1.0];

fn run(options: &Options) -> Result<()> {
    let scratch = Scratch::new()?;
    let mut tools = tool::all(&scratch)?;
    // Some tell no percentiles.
    tools.retain(|tool| tool.tells_latency());
    let mut seen = vec![Seen::default(); tools.len()];
    for _ in 0..options.rounds_or(3) {
        for (tool, seen) in tools.iter().zip(&mut seen) {
            seen.round(tool.as_ref())?;
        }
    }
    println!("\n{RATE} requests/s for {SECONDS} s, of which 3 s are stalls; ms");
    let mut rows = Vec::new();
    for (tool, seen) in tools.iter().zip(&seen) {
        rows.push(row(tool.name(), "it says", &seen.said, &seen.answered));
        let truth = if tool.unpaced().is_none() { "the server's stamps" } else { "who comes in time" };
        rows.push(row("", truth, &seen.truth, &seen.arrived));
        let ratios: Vec<Series> = seen.said.iter().zip(&seen.truth).map(|(said, truth)| said.over(truth)).collect();
        rows.push(row("", "ratio", &ratios, &seen.answered.over(&seen.arrived)));
    }
    print(&["", "", "p50", "p90", "p95", "p99", "max", "requests"], &rows);
    Ok(())
}

fn row(name: &str, what: &str, times: &[Series], requests: &Series) -> Vec<String> {
    let cells = times.iter().chain([requests]).map(Series::to_string);
    [name.to_owned(), what.to_owned()].into_iter().chain(cells).collect()
}

/// What was seen of one tool; times in ms.
#[derive(Clone, Default)]
struct Seen {
    said: [Series; 5],
    truth: [Series; 5],
    answered: Series,
    arrived: Series,
}

impl Seen {
    fn round(&mut self, tool: &dyn Tool) -> Result<()> {
        let server = Server::start(Some(PAUSES))?;
        let load = if tool.unpaced().is_none() {
            let sends = Sends::Rate { rate: RATE, seconds: SECONDS };
            Load { url: server.url.clone(), sends, connections: CONNECTIONS, keep_alive: true }
        } else {
            let sends = Sends::BackToBack { requests: RATE * SECONDS, seconds: SECONDS };
            Load { url: server.url.clone(), sends, connections: CLOSED_CONNECTIONS, keep_alive: true }
        };
        let (_, said) = tool.send(&load)?;
        let record = server.stop()?;
        let waits = if tool.unpaced().is_none() { by_stamps(&record) } else { by_pauses() };
        let waits = waits.ok_or_else(|| format!("nothing arrived from {}", tool.name()))?;
        for (index, share) in SHARES.into_iter().enumerate() {
            if let (Some(said), Some(truth)) = (said.latency.all()[index], quantile(&waits, share)) {
                self.said[index].push(said.as_secs_f64() * 1e3);
                self.truth[index].push(truth);
            }
        }
        self.answered.push(said.answered as f64);
        self.arrived.push(record.0.len() as f64);
        Ok(())
    }
}

/// From the planned time of each request to its answer, in ms, the least first.
fn by_stamps(record: &Record) -> Option<Vec<f64>> {
    let schedule = Schedule::fit(&record.arrivals(), RATE as f64)?;
    let waits = schedule.lags(record.0.iter().map(|stamp| stamp.answered));
    Some(waits.into_iter().map(|ns| ns / 1e6).collect())
}

/// The same of requests that nobody sent: those of somebody who comes at the rate, whatever the answers do.
fn by_pauses() -> Option<Vec<f64>> {
    let waits = PAUSES.waits(RATE, Duration::from_secs(SECONDS));
    Some(waits.into_iter().map(|wait| wait.as_secs_f64() * 1e3).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Stamp;

    /// What a server notes that is sent requests on schedule.
    fn on_schedule() -> Record {
        let stamp = |k: u64| {
            let at = Duration::from_nanos(k * 1_000_000_000 / RATE);
            let answered = PAUSES.end(at).unwrap_or(at);
            Stamp { arrived: 5_000 + at.as_nanos() as u64, answered: 5_000 + answered.as_nanos() as u64 }
        };
        Record((0..RATE * SECONDS).map(stamp).collect())
    }

    #[test]
    fn stamps_of_requests_in_time_tell_what_the_pauses_do() {
        let (stamps, pauses) = (by_stamps(&on_schedule()).unwrap(), by_pauses().unwrap());
        for share in SHARES {
            let (stamps, pauses) = (quantile(&stamps, share).unwrap(), quantile(&pauses, share).unwrap());
            assert!((stamps - pauses).abs() < 1e-3, "{share}: {stamps} {pauses}");
        }
    }
}
