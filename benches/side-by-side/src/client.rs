//! What a request costs the client, beside other clients of HTTP.

use std::time::Duration;

use unladen_load::{Cancel, Driver, DriverConfig, HttpVersion, Request, Stop};

use crate::figures::{Series, print};
use crate::scratch::ScratchFolder;
use crate::subject::Subject;
use crate::tools::{self, Load, Sends};
use crate::{Bench, Options, Result};

pub(crate) const BENCH: Bench =
    Bench { name: "client", about: "CPU of the client for a request of 476 bytes, back to back", run };

/// Requests of those that take a number; enough that starting up hardly shows.
const REQUESTS: u64 = 30_000;
/// For those that take a time: as many, about, with the slowest of them.
const SECONDS: u64 = 3;

/// How connections are used: how many, and whether they are kept.
const LOADS: [(&str, u64, bool); 4] = [
    ("1 connection, kept", 1, true),
    ("10 connections, kept", 10, true),
    ("50 connections, kept", 50, true),
    ("10 at once, a connection per request", 10, false),
];

fn run(options: &Options) -> Result<()> {
    let scratch = ScratchFolder::new()?;
    let tools = tools::all(BENCH.name)?;
    let subject = Subject::up("faults")?;
    for (what, connections, keep_alive) in LOADS {
        let requests = if keep_alive { REQUESTS } else { REQUESTS / 3 };
        let sends = Sends::BackToBack { requests, seconds: SECONDS };
        let load = Load { url: subject.url.clone(), sends, connections, keep_alive };
        let mut cpu = vec![Series::default(); tools.len()];
        let mut rate = cpu.clone();
        for _ in 0..options.rounds_or(7) {
            for (index, tool) in tools.iter().enumerate() {
                let (ran, said) = tool.send(&load, &scratch)?;
                if said.failed > 0 || said.answered == 0 {
                    return Err(format!("{} did not have all requests answered", tool.name).into());
                }
                cpu[index].push(ran.cpu.as_secs_f64() * 1e6 / said.answered as f64);
                rate[index].push(said.answered as f64 / ran.wall.as_secs_f64());
            }
        }
        println!("\n{what}; ratios to {}", tools[0].name);
        let row = |index: usize| {
            vec![
                tools[index].name.clone(),
                cpu[index].to_string(),
                cpu[index].over(&cpu[0]).to_string(),
                rate[index].to_string(),
                rate[index].over(&rate[0]).to_string(),
            ]
        };
        let rows: Vec<_> = (0..tools.len()).map(row).collect();
        print(&["client", "CPU µs a request", "ratio", "requests/s", "ratio"], &rows);
    }
    Ok(())
}

/// As a client that sends a number of requests, and says how many were answered; a failure ends it.
pub(crate) fn be_the_client(arguments: &[String]) -> Result<()> {
    let [url, requests, connections, keep] = arguments else {
        return Err("URL REQUESTS CONNECTIONS keep|close".into());
    };
    let config = DriverConfig {
        concurrency: connections.parse()?,
        keep_alive: keep == "keep",
        http: HttpVersion::Http1,
        ..DriverConfig::new(vec![Request::get(url)?.build()?])
    };
    let mut driver = Driver::start(config)?;
    let stop = Stop::after(Duration::from_secs(60)).or_requests(requests.parse()?);
    let tally = driver.run(0, stop, &Cancel::new())?;
    println!("{}", tally.requests);
    Ok(())
}
