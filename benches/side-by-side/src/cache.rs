//! Caches in front of an application: what a hit, a 304 and a hit by TLS cost in each, what a validator costs, how much
//! a full store still answers.
//!
//! Each is a fresh process with one thread for requests, in every round of every case, pinned to one processor; the
//! callers and the application have another. None writes a log. What it costs is read from its processes' CPU clocks.
//! Status and length of every answer are looked at, and the application counts its requests: an answer that did not
//! come from the cache ends the bench.

mod contestant;
mod database;
mod hit;
mod instructions;
mod nginx;
mod origin;
mod ours;
mod page;
mod processors;
mod squid;
mod standing;
mod times;
mod tls;
mod validator;
mod varnish;
mod world;
mod zipf;

use std::cell::RefCell;

use self::contestant::Contestant;
use self::origin::Origin;
use self::processors::Processors;
use self::world::World;
use crate::rig::case::{self, Case};
use crate::rig::certificates::Certificates;
use crate::rig::ports::Ports;
use crate::scratch::ScratchFolder;
use crate::{Bench, Options, Result, unladen};

pub(crate) use origin::be_the_origin;

pub(crate) const BENCH: Bench =
    Bench { name: "cache", about: "caches in front of an application: CPU of a hit, hit ratio", run };

const CASES: &[Case<World>] = &[
    Case { name: "hit", about: "64 kept connections, a small page", run: hit::small },
    Case { name: "hit-large", about: "64 kept connections, a page of 20 KB", run: hit::large },
    Case { name: "304", about: "64 kept connections, If-None-Match that matches", run: hit::not_modified },
    Case { name: "tls", about: "64 kept connections of TLS 1.3", run: tls::run },
    Case { name: "validator", about: "a page that PostgreSQL is asked about first", run: validator::run },
    Case { name: "zipf", about: "the hit ratio of a full store", run: zipf::run },
    Case { name: "instructions", about: "instructions and system calls of a request", run: instructions::run },
];

fn run(options: &Options) -> Result<()> {
    case::check(CASES, options)?;
    let contestants = contestants(&options.proxies)?;
    let scratch = ScratchFolder::new()?;
    let processors = Processors::divide()?;
    let origin = Origin::start()?;
    let certificates = Certificates::new(&scratch)?;
    let ports = RefCell::new(Ports::new());
    let world = World { scratch, ports, processors, origin, certificates, contestants, rounds: options.rounds };
    case::run(CASES, options, &world)
}

/// All that can be had, or those that are named: peers, and paths of programs of ours.
fn contestants(named: &[String]) -> Result<Vec<Box<dyn Contestant>>> {
    let mut contestants: Vec<Box<dyn Contestant>> = Vec::new();
    for path in named.iter().filter(|name| name.contains('/')) {
        contestants.push(Box::new(ours::Ours { name: path.clone(), program: path.into() }));
    }
    let wanted = |name: &str| named.is_empty() || named.iter().any(|named| named == name);
    if wanted("unladen") {
        contestants.push(Box::new(ours::Ours { name: "unladen".into(), program: unladen::built()? }));
    }
    let mut add = |name: &str, find: fn() -> Option<Box<dyn Contestant>>| {
        if wanted(name) {
            contestants.extend(find());
        }
    };
    add("nginx", || nginx::Nginx::find().map(|found| Box::new(found) as _));
    add("varnish", || varnish::Varnish::find().map(|found| Box::new(found) as _));
    add("squid", || squid::Squid::find().map(|found| Box::new(found) as _));
    if contestants.is_empty() {
        Err("there are unladen, nginx, varnish, squid, and paths of unladen".into())
    } else {
        Ok(contestants)
    }
}
