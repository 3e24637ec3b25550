//! What a request costs the client, beside other clients of HTTP.

use std::process::Command;
use std::time::Duration;

use unladen_load::{Cancel, Driver, DriverConfig, HttpVersion, Request, Stop};

use crate::figures::{Series, print};
use crate::subject::Subject;
use crate::{Bench, Options, Result, children, peers, roles};

pub(crate) const BENCH: Bench =
    Bench { name: "client", about: "CPU of the client for a request of 476 bytes, back to back", run };

/// Requests of those that take a number; enough that starting up does not show.
const REQUESTS: u64 = 30_000;
/// As many, about, for the one that takes a time.
const SECONDS: u64 = 1;

/// How connections are used.
#[derive(Debug, Clone, Copy)]
struct Load {
    what: &'static str,
    connections: u64,
    keep_alive: bool,
    requests: u64,
}

const LOADS: [Load; 3] = [
    Load { what: "1 connection, kept", connections: 1, keep_alive: true, requests: REQUESTS },
    Load { what: "7 connections, kept", connections: 7, keep_alive: true, requests: REQUESTS },
    Load { what: "7 at once, a connection per request", connections: 7, keep_alive: false, requests: REQUESTS / 3 },
];

/// A client: its name, its command line, and how many requests its output speaks of.
struct Client {
    name: &'static str,
    command: fn(&Load, &str) -> Result<Command>,
    requests: fn(&Load, &str) -> Option<u64>,
}

const UNLADEN: Client = Client {
    name: "unladen-load",
    command: |load, url| {
        let mut command = Command::new(std::env::current_exe()?);
        command.args([roles::CLIENT, url, &load.requests.to_string(), &load.connections.to_string()]);
        command.arg(if load.keep_alive { "keep" } else { "close" });
        Ok(command)
    },
    requests: |_, stdout| stdout.trim().parse().ok(),
};

const AB: Client = Client {
    name: "ab",
    command: |load, url| {
        let mut command = Command::new("ab");
        command.args(["-q", "-n", &load.requests.to_string(), "-c", &load.connections.to_string()]);
        if load.keep_alive {
            command.arg("-k");
        }
        command.arg(url);
        Ok(command)
    },
    requests: |_, stdout| {
        let number = |key| stdout.lines().find_map(|line| line.strip_prefix(key))?.trim().parse::<u64>().ok();
        number("Complete requests:")?.checked_sub(number("Failed requests:")?)
    },
};

const WRK: Client = Client {
    name: "wrk, 1 thread",
    command: |load, url| {
        let mut command = Command::new("wrk");
        command.args(["-t1", &format!("-c{}", load.connections), &format!("-d{SECONDS}s")]);
        if !load.keep_alive {
            command.args(["-H", "Connection: close"]);
        }
        command.arg(url);
        Ok(command)
    },
    requests: |_, stdout| {
        if stdout.contains("Socket errors") || stdout.contains("Non-2xx") {
            return None;
        }
        let line = stdout.lines().find(|line| line.contains(" requests in "))?;
        line.split_whitespace().next()?.parse().ok()
    },
};

const OHA: Client = Client {
    name: "oha",
    command: |load, url| {
        let mut command = Command::new("oha");
        command.args(["--no-tui", "-n", &load.requests.to_string(), "-c", &load.connections.to_string()]);
        if !load.keep_alive {
            command.arg("--disable-keepalive");
        }
        command.arg(url);
        Ok(command)
    },
    requests: |load, _| Some(load.requests),
};

fn run(options: &Options) -> Result<()> {
    let subject = Subject::up("faults")?;
    let mut clients = vec![UNLADEN];
    if peers::has("apache2-utils") {
        clients.push(AB);
    }
    if peers::has("wrk") {
        clients.push(WRK);
    }
    if options.oha && peers::has_program("oha", "cargo install oha") {
        clients.push(OHA);
    }
    for load in &LOADS {
        let mut cpu = vec![Series::default(); clients.len()];
        let mut rate = cpu.clone();
        for _ in 0..options.rounds_or(7) {
            for (index, client) in clients.iter().enumerate() {
                let ran = children::run(&mut (client.command)(load, &subject.url)?)?;
                let requests = (client.requests)(load, &ran.stdout)
                    .filter(|requests| *requests > 0)
                    .ok_or_else(|| format!("{} did not have all requests answered", client.name))?;
                cpu[index].push(ran.cpu.as_secs_f64() * 1e6 / requests as f64);
                rate[index].push(requests as f64 / ran.wall.as_secs_f64());
            }
        }
        println!("\n{}", load.what);
        let row = |index: usize| {
            vec![
                clients[index].name.to_owned(),
                cpu[index].to_string(),
                cpu[index].over(&cpu[0]).to_string(),
                rate[index].to_string(),
                rate[index].over(&rate[0]).to_string(),
            ]
        };
        let rows: Vec<_> = (0..clients.len()).map(row).collect();
        print(&["client", "CPU µs a request", "ratio", "requests/s", "ratio"], &rows);
    }
    Ok(())
}

/// As a client that sends a number of requests, and says how many were answered.
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
