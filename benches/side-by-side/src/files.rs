//! Files: what one costs `unladen serve`, and nginx with `sendfile`, as both are used: small ones, larger ones, a very large one.
//!
//! Each is a fresh process with one thread for requests, in every round of every case, and told as little as a user
//! has to write. The files are in the system's memory. What a request costs is read from the processes' CPU clocks;
//! status and length of every answer are looked at.

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::figures::{Series, print};
use crate::rig::callers::{Amount, Callers, Calls, SETTLE};
use crate::rig::case::{self, Case};
use crate::rig::limit::Limit;
use crate::rig::listen::Listen;
use crate::rig::nginx;
use crate::rig::ports::Ports;
use crate::rig::running::Running;
use crate::scratch::ScratchFolder;
use crate::{Bench, Options, Result, peers, unladen};

pub(crate) const BENCH: Bench = Bench { name: "files", about: "files of a site: CPU of a request", run };

const CASES: &[Case<World>] = &[
    Case { name: "1k", about: "64 kept connections, a file of 1 KB", run: |world| compare(world, &SIZES[0]) },
    Case { name: "100k", about: "16 kept connections, a file of 100 KB", run: |world| compare(world, &SIZES[1]) },
    Case { name: "100m", about: "4 kept connections, a file of 100 MB", run: |world| compare(world, &SIZES[2]) },
];

/// One file, and how it is asked for.
struct Size {
    path: &'static str,
    bytes: u64,
    connections: usize,
    warm_up: Amount,
    amount: Amount,
    /// Our CPU time of a request over nginx's, at most.
    bound: f64,
}

const SIZES: [Size; 3] = [
    Size {
        path: "/1k.bin",
        bytes: 1000,
        connections: 64,
        warm_up: Amount::Time(Duration::from_millis(500)),
        amount: Amount::Time(Duration::from_secs(2)),
        bound: 0.8,
    },
    Size {
        path: "/100k.bin",
        bytes: 100_000,
        connections: 16,
        warm_up: Amount::Time(Duration::from_millis(500)),
        amount: Amount::Time(Duration::from_secs(2)),
        bound: 1.0,
    },
    Size {
        path: "/100m.bin",
        bytes: 100_000_000,
        connections: 4,
        warm_up: Amount::Requests(4),
        amount: Amount::Requests(40),
        bound: 1.05,
    },
];

/// What all cases share.
struct World {
    scratch: ScratchFolder,
    ports: RefCell<Ports>,
    root: PathBuf,
    servers: Vec<Server>,
    rounds: usize,
}

/// Who sends files.
enum Server {
    Ours { name: String, program: PathBuf },
    Nginx,
}

// === impl Server ===

impl Server {
    fn name(&self) -> &str {
        match self {
            Self::Ours { name, .. } => name,
            Self::Nginx => "nginx",
        }
    }

    fn command(&self, folder: &Path, root: &Path, port: u16) -> Result<Command> {
        let root = root.display();
        match self {
            Self::Ours { program, .. } => {
                let path = folder.join("unladen.toml");
                let config = format!("threads = 1\n[[site]]\nlisten = \"127.0.0.1:{port}\"\nroot = \"{root}\"\n");
                fs::write(&path, config)?;
                let mut command = Command::new(program);
                command.args(["serve", "--config"]).arg(path);
                Ok(command)
            }
            // As Debian configures it; one that keeps files open is what its guides have besides.
            Self::Nginx => nginx::command(
                folder,
                &format!(
                    "    sendfile on;\n    tcp_nopush on;\n    server {{\n        listen 127.0.0.1:{port} backlog=4096;\n        \
                     root {root};\n    }}\n"
                ),
            ),
        }
    }
}

fn run(options: &Options) -> Result<()> {
    case::check(CASES, options)?;
    let named = &options.proxies;
    let wanted = |name: &str| named.is_empty() || named.iter().any(|named| named == name);
    let paths = named.iter().filter(|name| name.contains('/'));
    let mut servers: Vec<Server> =
        paths.map(|path| Server::Ours { name: path.clone(), program: path.into() }).collect();
    if wanted("unladen") {
        servers.push(Server::Ours { name: "unladen".into(), program: unladen::built()? });
    }
    if wanted("nginx") && peers::has("nginx") {
        servers.push(Server::Nginx);
    }
    let scratch = ScratchFolder::new()?;
    let root = scratch.file("1k.bin", &"x".repeat(1000))?.parent().ok_or("a file is in a folder")?.to_owned();
    for size in &SIZES {
        fs::write(root.join(size.path.trim_start_matches('/')), vec![b'x'; usize::try_from(size.bytes)?])?;
    }
    // What has just changed is not kept in memory.
    std::thread::sleep(Duration::from_secs(2));
    let rounds = options.rounds.unwrap_or(5);
    let world = World { scratch, ports: RefCell::new(Ports::new()), root, servers, rounds };
    case::run(CASES, options, &world)
}

fn compare(world: &World, size: &Size) -> Result<()> {
    let mut cpu_us = vec![Series::default(); world.servers.len()];
    let mut rate = cpu_us.clone();
    for round in 0..world.rounds {
        for turn in 0..world.servers.len() {
            // Nobody is always first.
            let index = (turn + round) % world.servers.len();
            let (cpu, requests, wall) = measure(world, &world.servers[index], size)?;
            cpu_us[index].push(cpu.as_secs_f64() * 1e6 / requests);
            rate[index].push(requests / wall.as_secs_f64());
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
        for (index, _) in world.servers.iter().enumerate().filter(|(index, _)| *index != nginx) {
            let what = format!("CPU of a request, {} / nginx", names[index]);
            Limit::Most(size.bound).judge(&what, &cpu_us[index].over(&cpu_us[nginx]));
        }
    }
    Ok(())
}

/// CPU time, requests, time.
fn measure(world: &World, server: &Server, size: &Size) -> Result<(Duration, f64, Duration)> {
    let port = world.ports.borrow_mut().free()?;
    let listen = Listen::Tcp(port);
    let command = |folder: &Path| server.command(folder, &world.root, port);
    let running = Running::start(server.name(), &world.scratch, command, std::slice::from_ref(&listen))?;
    let calls =
        Calls { path: size.path, length: size.bytes, connections: size.connections, keep: true, ..Calls::default() };
    let mut callers = Callers::start(&listen, &calls)?;
    callers.call(size.warm_up, size.connections)?;
    std::thread::sleep(SETTLE);
    let processes = running.processes();
    let before = processes.cpu()?;
    let called = callers.call(size.amount, size.connections)?;
    std::thread::sleep(SETTLE);
    let cpu = processes.cpu()?.saturating_sub(before);
    Ok((cpu, called.requests as f64, called.wall))
}
