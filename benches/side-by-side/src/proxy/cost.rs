//! What a request, or a byte, costs each proxy: CPU by its processes' clocks, and the most memory meanwhile.

use std::time::Duration;

use super::bound::{Bound, judge, judge_value};
use super::peer::{Peer, start};
use super::route::Route;
use super::service::{LARGE, MEGABYTE, SMALL};
use super::sink::{self, Sink};
use super::world::World;
use crate::Result;
use crate::figures::{Series, print};
use crate::rig::callers::{Amount, Callers, Calls, SETTLE};
use crate::rig::limit::Limit;

/// Before what counts: pools fill, memory is had, sessions of TLS are there to be resumed.
const WARM_UP: Duration = Duration::from_millis(300);
const TIME: Duration = Duration::from_secs(2);

const OF_SMALL: [Bound; 3] = [
    Bound { against: "envoy", limit: Limit::Most(0.45) },
    Bound { against: "haproxy", limit: Limit::Most(1.0) },
    Bound { against: "nginx", limit: Limit::Most(1.0) },
];
const OF_BYTES: [Bound; 1] = [Bound { against: "nginx", limit: Limit::Most(1.1) }];
/// Memory with bodies of 100 MB over that with bodies of 1 MB.
const FLAT: f64 = 1.2;

/// What is sent, and by which way.
struct Load {
    what: &'static str,
    to: To,
    unix: bool,
    keep: bool,
    at_once: usize,
    file: (&'static str, u64),
    /// Bytes of each request's own body.
    upload: u64,
    amount: Amount,
}

/// What each proxy took, round by round.
struct Figures {
    cpu_us: Vec<Series>,
    cpu_us_of_megabyte: Vec<Series>,
    peak_mib: Vec<Series>,
}

/// Where calls go in the end.
#[derive(Clone, Copy)]
enum To {
    Plain,
    Tls,
    Sink,
}

impl Load {
    const fn small(what: &'static str, to: To, unix: bool, keep: bool) -> Self {
        let at_once = if keep { 64 } else { 16 };
        Self { what, to, unix, keep, at_once, file: SMALL, upload: 0, amount: Amount::Time(TIME) }
    }

    /// Whether requests are what costs, and not bytes.
    fn is_small(&self) -> bool {
        self.file == SMALL
    }

    fn calls(&self) -> Calls {
        Calls {
            path: self.file.0,
            length: self.file.1,
            upload: self.upload,
            connections: self.at_once,
            keep: self.keep,
            ..Calls::default()
        }
    }
}

pub(super) fn keep(world: &World) -> Result<()> {
    small(
        world,
        [
            Load::small("plain upstream", To::Plain, false, true),
            Load::small("TLS upstream", To::Tls, false, true),
            // It sleeps and wakes up for each request, as most proxies do most of the time.
            Load { at_once: 1, ..Load::small("a single connection, plain upstream", To::Plain, false, true) },
        ],
    )
}

pub(super) fn new(world: &World) -> Result<()> {
    small(
        world,
        [Load::small("plain upstream", To::Plain, false, false), Load::small("TLS upstream", To::Tls, false, false)],
    )
}

pub(super) fn unix(world: &World) -> Result<()> {
    small(
        world,
        [
            Load::small("kept, plain upstream", To::Plain, true, true),
            Load::small("new, TLS upstream", To::Tls, true, false),
        ],
    )
}

fn small<const N: usize>(world: &World, loads: [Load; N]) -> Result<()> {
    for load in loads {
        let figures = measure(world, &load, 5)?;
        judge("CPU of a request", &world.peers, &figures.cpu_us, &OF_SMALL);
    }
    Ok(())
}

pub(super) fn bodies(world: &World) -> Result<()> {
    for (what, to, down) in [
        ("answers, plain upstream", To::Plain, true),
        ("answers, TLS upstream", To::Tls, true),
        ("requests, plain upstream", To::Sink, false),
    ] {
        let of = |size, file: (&'static str, u64), at_once, requests| {
            let (file, upload) = if down { (file, 0) } else { (sink::ANSWER, file.1) };
            let amount = Amount::Requests(requests);
            Load { what: size, to, unix: false, keep: true, at_once, file, upload, amount }
        };
        println!("\n  {what}");
        let megabyte = measure(world, &of("1 MB", MEGABYTE, 8, 2_000), 3)?;
        judge("CPU of a byte", &world.peers, &megabyte.cpu_us_of_megabyte, &OF_BYTES);
        let large = measure(world, &of("100 MB", LARGE, 4, 20), 3)?;
        judge("CPU of a byte", &world.peers, &large.cpu_us_of_megabyte, &OF_BYTES);
        let both = large.peak_mib.iter().zip(&megabyte.peak_mib);
        let grown: Vec<Series> = both.map(|(large, small)| large.over(small)).collect();
        judge_value("peak memory, 100 MB over 1 MB", &world.peers, &grown, FLAT);
    }
    Ok(())
}

fn measure(world: &World, load: &Load, rounds: usize) -> Result<Figures> {
    let none = || vec![Series::default(); world.peers.len()];
    let mut figures = Figures { cpu_us: none(), cpu_us_of_megabyte: none(), peak_mib: none() };
    let mut rate = none();
    for round in 0..world.rounds_or(rounds) {
        for turn in 0..world.peers.len() {
            // Nobody is always first.
            let index = (turn + round) % world.peers.len();
            let took = once(world, world.peers[index].as_ref(), load)?;
            figures.cpu_us[index].push(took.cpu_us / took.requests);
            figures.cpu_us_of_megabyte[index].push(took.cpu_us / took.megabytes);
            figures.peak_mib[index].push(took.peak_mib);
            rate[index].push(took.requests / took.seconds);
        }
    }
    println!("\n  {}", load.what);
    let cpu = if load.is_small() { &figures.cpu_us } else { &figures.cpu_us_of_megabyte };
    let row = |index: usize| {
        vec![
            world.peers[index].name(),
            cpu[index].to_string(),
            cpu[index].over(&cpu[0]).to_string(),
            rate[index].to_string(),
            figures.peak_mib[index].to_string(),
        ]
    };
    let rows: Vec<_> = (0..world.peers.len()).map(row).collect();
    let unit = if load.is_small() { "CPU µs a request" } else { "CPU µs a MB" };
    let ratio = format!("to {}", world.peers[0].name());
    print(&["", unit, &ratio, "requests/s", "peak MiB"], &rows);
    Ok(figures)
}

struct Took {
    cpu_us: f64,
    requests: f64,
    megabytes: f64,
    seconds: f64,
    peak_mib: f64,
}

fn once(world: &World, peer: &dyn Peer, load: &Load) -> Result<Took> {
    let named = |error| format!("{}, {}: {error}", peer.name(), load.what);
    let sink = matches!(load.to, To::Sink).then(Sink::start).transpose()?;
    let upstream = match (load.to, &sink) {
        (To::Plain, _) => world.service.plain,
        (To::Tls, _) => world.service.tls,
        (To::Sink, sink) => sink.as_ref().ok_or("there is no sink")?.upstream,
    };
    let route =
        if load.unix { Route::unix("one", upstream, world.scratch.folder()) } else { world.route("one", upstream)? };
    let listen = route.listen.clone();
    let running = start(peer, &world.plan(vec![route]), &world.scratch)?;
    let mut callers = Callers::start(&listen, &load.calls())?;
    let warm_up = match load.amount {
        Amount::Time(_) => Amount::Time(WARM_UP),
        Amount::Requests(_) => Amount::Requests(load.at_once as u64),
    };
    callers.call(warm_up, load.at_once).map_err(named)?;
    std::thread::sleep(SETTLE);
    let processes = running.processes();
    processes.forget_peak()?;
    let before = processes.cpu()?;
    let called = callers.call(load.amount, load.at_once).map_err(named)?;
    std::thread::sleep(SETTLE);
    let cpu = processes.cpu()?.saturating_sub(before);
    Ok(Took {
        cpu_us: cpu.as_secs_f64() * 1e6,
        requests: called.requests as f64,
        megabytes: called.bytes as f64 / 1e6,
        seconds: called.wall.as_secs_f64(),
        peak_mib: processes.peak_mib()?,
    })
}
