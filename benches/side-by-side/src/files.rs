//! Files: what one costs `unladen serve`, and nginx with `sendfile`, as both are used: small ones, larger ones, a very
//! large one; as they are, and over TLS.
//!
//! Each is a fresh process with one thread for requests, in every round of every case, and told as little as a user
//! has to write. The files are in the system's memory. What a request costs is read from the processes' CPU clocks;
//! status and length of every answer are looked at.

mod server;
mod size;
mod took;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use self::server::Server;
use self::size::{SIZES, Size};
use self::took::{Took, in_clear, over_tls};
use crate::figures::{Series, print};
use crate::rig::case::{self, Case};
use crate::rig::certificates::Certificates;
use crate::rig::limit::Limit;
use crate::rig::listen::Listen;
use crate::rig::ports::Ports;
use crate::rig::running::Running;
use crate::scratch::ScratchFolder;
use crate::{Bench, Options, Result};

pub(crate) const BENCH: Bench = Bench { name: "files", about: "files of a site: CPU of a request", run };

const CASES: &[Case<World>] = &[
    Case { name: "1k", about: "64 kept connections, a file of 1 KB", run: |world| compare(world, &SIZES[0], false) },
    Case {
        name: "100k",
        about: "16 kept connections, a file of 100 KB",
        run: |world| compare(world, &SIZES[1], false),
    },
    Case { name: "100m", about: "4 kept connections, a file of 100 MB", run: |world| compare(world, &SIZES[2], false) },
    Case { name: "1k-tls", about: "1k over TLS 1.3", run: |world| compare(world, &SIZES[0], true) },
    Case { name: "100k-tls", about: "100k over TLS 1.3", run: |world| compare(world, &SIZES[1], true) },
    Case { name: "100m-tls", about: "100m over TLS 1.3", run: |world| compare(world, &SIZES[2], true) },
];

/// What all cases share.
struct World {
    scratch: ScratchFolder,
    ports: RefCell<Ports>,
    root: PathBuf,
    certificates: Certificates,
    servers: Vec<Server>,
    rounds: usize,
}

fn run(options: &Options) -> Result<()> {
    case::check(CASES, options)?;
    let servers = Server::all(&options.proxies)?;
    let scratch = ScratchFolder::new()?;
    let root = scratch.path("root");
    fs::create_dir(&root)?;
    for size in &SIZES {
        fs::write(root.join(size.path.trim_start_matches('/')), vec![b'x'; usize::try_from(size.bytes)?])?;
    }
    let certificates = Certificates::new(&scratch)?;
    // What has just changed is not kept in memory.
    std::thread::sleep(Duration::from_secs(2));
    let (ports, rounds) = (RefCell::new(Ports::new()), options.rounds_or(5));
    let world = World { scratch, ports, root, certificates, servers, rounds };
    case::run(CASES, options, &world)
}

fn compare(world: &World, size: &Size, is_tls: bool) -> Result<()> {
    let mut cpu_us = vec![Series::default(); world.servers.len()];
    let mut rate = cpu_us.clone();
    for round in 0..world.rounds {
        for turn in 0..world.servers.len() {
            // Nobody is always first.
            let index = (turn + round) % world.servers.len();
            let took = measure(world, &world.servers[index], size, is_tls)?;
            cpu_us[index].push(took.cpu.as_secs_f64() * 1e6 / took.requests);
            rate[index].push(took.requests / took.seconds);
        }
    }
    let names: Vec<&str> = world.servers.iter().map(Server::name).collect();
    let row = |index: usize| {
        vec![
            names[index].to_owned(),
            cpu_us[index].to_string(),
            cpu_us[0].over(&cpu_us[index]).to_string(),
            rate[index].to_string(),
        ]
    };
    let rows: Vec<_> = (0..names.len()).map(row).collect();
    print(&["", "CPU µs a request", &format!("{} over it", names[0]), "requests/s"], &rows);
    if let Some(nginx) = world.servers.iter().position(|server| matches!(server, Server::Nginx)) {
        let bound = if is_tls { size.bound_tls } else { size.bound };
        for (index, _) in world.servers.iter().enumerate().filter(|(index, _)| *index != nginx) {
            let what = format!("CPU of a request, {} / nginx", names[index]);
            Limit::Most(bound).judge(&what, &cpu_us[index].over(&cpu_us[nginx]));
        }
    }
    Ok(())
}

fn measure(world: &World, server: &Server, size: &Size, is_tls: bool) -> Result<Took> {
    let port = world.ports.borrow_mut().free()?;
    let listen = Listen::Tcp(port);
    let tls = is_tls.then_some(&world.certificates);
    let command = |folder: &Path| server.command(folder, &world.root, port, tls);
    let running = Running::start(server.name(), &world.scratch, command, std::slice::from_ref(&listen))?;
    match tls {
        None => in_clear(&running, &listen, size),
        Some(certificates) => over_tls(&running, port, size, &certificates.ca),
    }
}
