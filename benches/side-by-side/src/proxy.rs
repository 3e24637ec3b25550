//! Proxies beside an application: what a request costs in each, what it adds to a latency, what it holds in memory, and
//! what it does for an application that calls out over TLS.
//!
//! All are told the same: connections kept on both sides for as long as they are wanted, the upstream's certificate
//! verified, TLS 1.3, no access log. Nothing is pinned to a processor: what client and service take is not counted.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use serde_json::{Map, Value, json};

use crate::calls::{Amount, Ask, Calls};
use crate::comparison::{Comparison, place};
use crate::contestant::{Contestant, Manner};
use crate::figures::{Series, print};
use crate::running::Listen;
use crate::{Bench, Options, Result, account, counting};

pub(crate) const BENCH: Bench =
    Bench { name: "proxy", about: "proxies beside an application: CPU of a request, latency, memory", run };

/// Descriptors that a proxy with ten thousand clients takes, and its client.
const DESCRIPTORS: u64 = 65_536;
/// What the service has, sparse, and in the page cache once it is read.
const FILES: [(&str, u64); 3] = [("small", 476), ("megabyte", 1_000_000), ("large", 100_000_000)];

const RATE: f64 = 2_000.0;
const TIME: Duration = Duration::from_secs(10);
/// Added, in µs, to the median and to the 99.9th percentile.
const MOST_ADDED: [f64; 2] = [100.0, 1_000.0];

const CLIENTS: usize = 10_000;
const UPSTREAMS: usize = 100;
/// MiB of resident memory.
const MOST_WITH_CLIENTS: f64 = 150.0;
const MOST_WITH_UPSTREAMS: f64 = 30.0;

fn run(options: &Options) -> Result<()> {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    // Who is not root has what there is, and is told by the case that takes more.
    if setrlimit(Resource::RLIMIT_NOFILE, DESCRIPTORS, hard.max(DESCRIPTORS)).is_err() {
        setrlimit(Resource::RLIMIT_NOFILE, hard.max(soft), hard)?;
    }
    let mut all = Comparison::new("proxy", options)?;
    let root = all.scratch.path("service");
    std::fs::create_dir(&root)?;
    for (name, length) in FILES {
        File::create(root.join(name))?.set_len(length)?;
    }
    let (plain, tls) = (all.ports.get_mut().free()?, all.ports.get_mut().free()?);
    let upstreams = [plain, tls];
    let mut told = all.told.clone();
    told.extend([("root", json!(root)), ("plain", json!(plain)), ("tls", json!(tls))].map(own));
    let service = Contestant::service("nginx")?;
    let running = service.start(&all.scratch, &Value::Object(told), &upstreams.map(Listen::Tcp), Manner::default())?;
    all.services.push(running);
    all.upstreams = Some(upstreams);
    all.run(counting::run, |all, case| match case {
        "latency" => latency(all),
        "idle" => idle(all),
        "upstreams" => many_upstreams(all),
        _ => account::run(all),
    })
}

fn own((name, value): (&str, Value)) -> (String, Value) {
    (name.to_owned(), value)
}

fn small(connections: usize) -> Ask {
    Ask::of("/small", 476, connections)
}

/// What a proxy adds to the latency at a constant rate, beside asking the service directly in the same round.
fn latency(all: &Comparison) -> Result<()> {
    for (what, to, at) in [("plain upstream", "", 0), ("TLS upstream", "tls", 1)] {
        let ask = Ask { to: to.to_owned(), ..small(64) };
        let none = || [(); 3].map(|()| Series::default());
        let (mut direct, mut with) = (none(), vec![none(); all.contestants.len()]);
        for (turn, index) in all.turns(5).enumerate() {
            if turn % all.contestants.len() == 0 {
                let upstream = Listen::Tcp(all.upstreams.ok_or("there is no upstream")?[at]);
                let ca = (at == 1).then_some(&*all.certificates.ca);
                at_rate(Calls::to(&upstream, ca, &ask)?, &mut direct)?;
            }
            let standing = all.start(&all.contestants[index], &ask)?;
            at_rate(all.calls(&standing, &ask)?, &mut with[index]).map_err(|error| standing.named(&*error))?;
        }
        println!("\n  {what}");
        let row = |name: String, series: [&Series; 3]| [vec![name], series.map(Series::to_string).to_vec()].concat();
        let added =
            |share: usize| -> Vec<Series> { with.iter().map(|with| with[share].less(&direct[share])).collect() };
        let (p50, p999) = (added(0), added(1));
        let mut rows = vec![row("direct, the latency itself".to_owned(), direct.each_ref())];
        rows.extend(
            all.names()
                .iter()
                .enumerate()
                .map(|(index, name)| row(format!("{name}, added"), [&p50[index], &p999[index], &with[index][2]])),
        );
        print(&["", "p50, µs", "p99.9, µs", "sent late by p99.9, µs"], &rows);
        all.judge_values("added to p50, µs", &p50, MOST_ADDED[0]);
        all.judge_values("added to p99.9, µs", &p999, MOST_ADDED[1]);
        // Of the latencies themselves: what is added may be nothing, and no figure to divide by.
        let haproxy = Ask { most: [("haproxy".to_owned(), 1.0)].into(), ..Ask::default() };
        for (share, what) in [(0, "latency p50"), (1, "latency p99.9")] {
            let whole: Vec<Series> = with.iter().map(|with| with[share].clone()).collect();
            all.judge(what, &whole, &haproxy);
        }
    }
    Ok(())
}

/// p50, p99.9 and the lag's p99.9, in µs.
fn at_rate(calls: Calls, into: &mut [Series; 3]) -> Result<()> {
    let mut calls = calls.at_rate(RATE);
    // Connections are open by then, and the pool is full.
    calls.call(Amount::Time(Duration::from_millis(500)))?;
    let called = calls.call(Amount::Time(TIME))?;
    let values = [called.latency_us(0.5), called.latency_us(0.999), called.lag_us(0.999)];
    into.iter_mut().zip(values).for_each(|(series, value)| series.push(value));
    Ok(())
}

/// What ten thousand clients hold of a proxy's memory that have each asked once and wait.
fn idle(all: &Comparison) -> Result<()> {
    let [_, with] = resident(all, ["resident MiB with one client", "with 10,000"], |contestant| {
        let standing = all.start(contestant, &small(1))?;
        let Listen::Tcp(port) = standing.listen else { return Err("no port".into()) };
        let mut clients = vec![ask_once(port)?];
        let empty = standing.running.processes().resident_mib()?;
        for _ in 1..CLIENTS {
            clients.push(ask_once(port).map_err(|error| standing.named(&*error))?);
        }
        Ok((empty, standing.running.processes().resident_mib()?))
    })?;
    all.judge_values("MiB with 10,000 idle clients", &with, MOST_WITH_CLIENTS);
    Ok(())
}

/// A connection whose first answer has come.
fn ask_once(port: u16) -> Result<TcpStream> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.write_all(b"GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
    let (mut answer, mut buffer) = (Vec::new(), [0; 4096]);
    // The body has no such line, and is as long as the service has it.
    while answer.windows(4).position(|four| four == b"\r\n\r\n").is_none_or(|end| answer.len() < end + 4 + 476) {
        match stream.read(&mut buffer)? {
            0 => return Err("the connection was closed before the answer was whole".into()),
            length => answer.extend_from_slice(&buffer[..length]),
        }
    }
    if answer.starts_with(b"HTTP/1.1 200") { Ok(stream) } else { Err("the answer is no 200".into()) }
}

/// What a hundred upstreams hold of a proxy's memory, each with a listener of its own and TLS, when each has answered
/// once.
fn many_upstreams(all: &Comparison) -> Result<()> {
    let [configured, used] = resident(all, ["resident MiB, configured", "each asked once"], |contestant| {
        let listens = (0..UPSTREAMS).map(|_| all.ports.borrow_mut().free().map(Listen::Tcp));
        let listens = listens.collect::<Result<Vec<_>>>()?;
        let routes = listens.iter().enumerate().map(|(number, listen)| all.route(&format!("u{number}"), listen, "tls"));
        let routes = Value::Array(routes.collect::<Result<_>>()?);
        let mut told: Map<String, Value> = all.told.clone();
        told.extend([own(("routes", routes)), own(place(&listens[0]))]);
        let running = contestant.start(&all.scratch, &Value::Object(told), &listens, Manner::default())?;
        let ask = |listen: &Listen| Calls::to(listen, None, &small(1))?.call(Amount::Requests(1));
        // It has come up when it has answered.
        ask(&listens[0])?;
        let configured = running.processes().resident_mib()?;
        for listen in &listens {
            ask(listen).map_err(|error| format!("{}: {error}", contestant.name))?;
        }
        Ok((configured, running.processes().resident_mib()?))
    })?;
    all.judge_values("MiB with 100 upstreams configured", &configured, MOST_WITH_UPSTREAMS);
    all.judge_values("MiB with 100 upstreams asked once", &used, MOST_WITH_UPSTREAMS);
    Ok(())
}

/// Prints MiB of resident memory at two times, which have these headings, and gives them by proxy.
fn resident(
    all: &Comparison,
    headings: [&str; 2],
    once: impl Fn(&Contestant) -> Result<(f64, f64)>,
) -> Result<[Vec<Series>; 2]> {
    let mut before = vec![Series::default(); all.contestants.len()];
    let mut after = before.clone();
    for index in all.turns(3) {
        let (first, second) = once(&all.contestants[index])?;
        before[index].push(first);
        after[index].push(second);
    }
    all.show(headings[1], &after, &[(headings[0], &before)]);
    Ok([before, after])
}
