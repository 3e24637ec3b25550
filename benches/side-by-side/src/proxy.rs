//! Proxies beside an application: what a request costs in each, what it adds to a latency, what it holds in memory, and
//! what it does for an application that calls out over TLS.
//!
//! Each is a fresh process with one thread for requests, in every round of every case, and told the same: connections
//! kept on both sides for as long as they are wanted, the upstream's certificate verified, TLS 1.3, no access log. What
//! it costs is read from its processes' CPU clocks. Nothing is pinned to a processor: what client and service take is
//! not counted.

mod account;
mod bound;
mod cost;
mod envoy;
mod haproxy;
mod idle;
mod latency;
mod nginx;
mod ours;
mod peer;
mod resident;
mod route;
mod service;
mod sink;
mod syscalls;
mod upstreams;
mod world;

use std::cell::RefCell;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use self::ours::Ours;
use self::peer::Peer;
use self::service::Service;
use self::world::World;
use crate::rig::case::{self, Case};
use crate::rig::ports::Ports;
use crate::scratch::ScratchFolder;
use crate::{Bench, Options, Result, unladen};

pub(crate) use sink::be_the_sink;

pub(crate) const BENCH: Bench =
    Bench { name: "proxy", about: "proxies beside an application: CPU of a request, latency, memory", run };

/// Descriptors that a proxy with ten thousand clients takes, and its client.
const DESCRIPTORS: u64 = 65_536;

const CASES: &[Case<World>] = &[
    Case { name: "keep", about: "64 kept connections, a small answer", run: cost::keep },
    Case { name: "new", about: "a new connection for each request, as PHP's curl opens it", run: cost::new },
    Case { name: "unix", about: "over a Unix socket", run: cost::unix },
    Case { name: "bodies", about: "answers and requests of 1 MB and 100 MB", run: cost::bodies },
    Case { name: "latency", about: "what is added to the latency at 2,000 requests/s", run: latency::run },
    Case { name: "idle", about: "10,000 idle clients", run: idle::run },
    Case { name: "upstreams", about: "100 upstreams", run: upstreams::run },
    Case { name: "syscalls", about: "system calls of a request, under strace", run: syscalls::run },
    Case { name: "account", about: "a PHP page that calls a service 10 ms away", run: account::run },
];

fn run(options: &Options) -> Result<()> {
    case::check(CASES, options)?;
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    // Who is not root has what there is, and is told by the case that takes more.
    if setrlimit(Resource::RLIMIT_NOFILE, DESCRIPTORS, hard.max(DESCRIPTORS)).is_err() {
        setrlimit(Resource::RLIMIT_NOFILE, hard.max(soft), hard)?;
    }
    let peers = peers(&options.proxies)?;
    let scratch = ScratchFolder::new()?;
    let mut ports = Ports::new();
    let service = Service::start(&scratch, &mut ports)?;
    let world = World { scratch, ports: RefCell::new(ports), service, peers, rounds: options.rounds };
    case::run(CASES, options, &world)
}

/// All that can be had, or those that are named: peers, and paths of programs of ours.
fn peers(named: &[String]) -> Result<Vec<Box<dyn Peer>>> {
    let mut peers: Vec<Box<dyn Peer>> = Vec::new();
    for path in named.iter().filter(|name| name.contains('/')) {
        peers.push(Box::new(Ours { name: path.clone(), program: path.into() }));
    }
    let wanted = |name: &str| named.is_empty() || named.iter().any(|named| named == name);
    if wanted("unladen") {
        peers.push(Box::new(Ours { name: "unladen".into(), program: unladen::built()? }));
    }
    let mut add = |name: &str, find: fn() -> Option<Box<dyn Peer>>| {
        if wanted(name) {
            peers.extend(find());
        }
    };
    add("envoy", || envoy::Envoy::find().map(|peer| Box::new(peer) as _));
    add("haproxy", || haproxy::HaProxy::find().map(|peer| Box::new(peer) as _));
    add("nginx", || nginx::Nginx::find().map(|peer| Box::new(peer) as _));
    if peers.is_empty() {
        Err("there are unladen, envoy, haproxy, nginx, and paths of unladen".into())
    } else {
        Ok(peers)
    }
}
