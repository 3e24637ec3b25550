//! What each tool says of a server that now and then answers nothing for a second, and what those waited who came in
//! time.

use std::time::Duration;

use crate::figures::{Series, print, quantile};
use crate::schedule::Schedule;
use crate::scratch::ScratchFolder;
use crate::stamps::{Pauses, Record, Server};
use crate::tools::{self, Load, Sends, Tool};
use crate::{Bench, Options, Result};

pub(crate) const BENCH: Bench =
    Bench { name: "stall", about: "a server that stalls for 1 s in 10: what is reported, and the truth", run };

const PAUSES: Pauses =
    Pauses { after: Duration::from_secs(4), length: Duration::from_secs(1), every: Duration::from_secs(10) };
const RATE: u64 = 200;
const SECONDS: u64 = 30;

/// With how many under way at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    /// Half as many again as come in a stall: nobody is held up by the limit, and the stamps of the run itself are the
    /// truth.
    Enough,
    /// As many as one might think do for 200 requests/s of which each takes 1 ms. In a stall all are soon under way,
    /// and who measures from the time at which a request was sent misses those that could not be. The truth is then
    /// what somebody waits who comes at the rate, whatever the answers do.
    Short,
}

impl Room {
    fn connections(self) -> u64 {
        match self {
            Self::Enough => 300,
            Self::Short => 10,
        }
    }

    fn truth(self) -> &'static str {
        match self {
            Self::Enough => "the server's stamps",
            Self::Short => "who comes at the rate",
        }
    }
}

/// p50, p90, p95, p99, max.
const SHARES: [f64; 5] = [0.5, 0.9, 0.95, 0.99, 1.0];

fn run(options: &Options) -> Result<()> {
    let scratch = ScratchFolder::new()?;
    let all = tools::all(BENCH.name)?;
    for room in [Room::Enough, Room::Short] {
        let takes_part = |tool: &&Tool| tool.tells_latency() && (tool.unpaced.is_none() || room == Room::Short);
        let tools: Vec<&Tool> = all.iter().filter(takes_part).collect();
        let mut seen = vec![Seen::default(); tools.len()];
        for _ in 0..options.rounds_or(2) {
            for (tool, seen) in tools.iter().zip(&mut seen) {
                seen.round(tool, room, &scratch)?;
            }
        }
        let connections = room.connections();
        println!("\n{RATE} requests/s for {SECONDS} s, {connections} under way at most; 3 s of it are stalls; ms");
        let mut rows = Vec::new();
        for (tool, seen) in tools.iter().zip(&seen) {
            rows.push(row(&tool.name, "it says", &seen.said, &seen.answered));
            rows.push(row("", room.truth(), &seen.truth, &seen.arrived));
            let ratios: Vec<Series> = seen.said.iter().zip(&seen.truth).map(|(said, truth)| said.over(truth)).collect();
            rows.push(row("", "ratio", &ratios, &seen.answered.over(&seen.arrived)));
        }
        print(&["", "", "p50", "p90", "p95", "p99", "max", "requests"], &rows);
    }
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
    fn round(&mut self, tool: &Tool, room: Room, scratch: &ScratchFolder) -> Result<()> {
        let server = Server::start(Some(PAUSES))?;
        let sends = match &tool.unpaced {
            None => Sends::Rate { rate: RATE, seconds: SECONDS },
            Some(_) => Sends::BackToBack { requests: RATE * SECONDS, seconds: SECONDS },
        };
        let load = Load { url: server.url.clone(), sends, connections: room.connections(), keep_alive: true };
        let (_, said) = tool.send(&load, scratch)?;
        let record = server.stop()?;
        let waits = match room {
            Room::Enough => by_stamps(&record).ok_or_else(|| format!("nothing arrived from {}", tool.name))?,
            Room::Short => by_pauses(),
        };
        for (index, share) in SHARES.into_iter().enumerate() {
            if let (Some(said), Some(truth)) = (said.latency[index], quantile(&waits, share)) {
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
fn by_pauses() -> Vec<f64> {
    let waits = PAUSES.waits(RATE, Duration::from_secs(SECONDS));
    waits.into_iter().map(|wait| wait.as_secs_f64() * 1e3).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stamps::Stamp;

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
        let (stamps, pauses) = (by_stamps(&on_schedule()).unwrap(), by_pauses());
        for share in SHARES {
            let (stamps, pauses) = (quantile(&stamps, share).unwrap(), quantile(&pauses, share).unwrap());
            assert!((stamps - pauses).abs() < 1e-3, "{share}: {stamps} {pauses}");
        }
    }
}
