//! The principal type is [`Engine`]: what carries the purges.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::rig::listen::Listen;
use crate::rig::ports::Ports;
use crate::rig::process::Processes;
use crate::rig::running::Running;
use crate::scratch::ScratchFolder;
use crate::{Result, postgres};

/// What is known of one kind.
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// What starts it at a port, with this folder of its own.
    command: fn(u16, &Path) -> Result<Command>,
    /// What comes before and after its address in a URL.
    url: [&'static str; 2],
}

pub(super) const ENGINES: &[Kind] = &[
    Kind { name: "Valkey or Redis", command: valkey, url: ["valkey://", "/0"] },
    Kind { name: "PostgreSQL", command: postgresql, url: ["postgres://postgres@", "/postgres"] },
    Kind { name: "NATS", command: nats, url: ["nats://", ""] },
];

/// A running one.
pub(super) struct Engine {
    pub(super) name: &'static str,
    pub(super) port: u16,
    url: [&'static str; 2],
    running: Running,
}

impl Engine {
    pub(super) fn start(kind: &Kind, scratch: &ScratchFolder, ports: &mut Ports) -> Result<Self> {
        let port = ports.free()?;
        let name = kind.name.replace(' ', "-");
        let running = Running::start(&name, scratch, |folder| (kind.command)(port, folder), &[Listen::Tcp(port)])?;
        // It listens before it answers.
        std::thread::sleep(Duration::from_secs(1));
        Ok(Self { name: kind.name, port, url: kind.url, running })
    }

    /// As `[fleet]` names it, at this port of 127.0.0.1.
    pub(super) fn url(&self, port: u16) -> String {
        format!("{}127.0.0.1:{port}{}", self.url[0], self.url[1])
    }

    pub(super) fn processes(&self) -> Processes {
        self.running.processes()
    }
}

fn valkey(port: u16, folder: &Path) -> Result<Command> {
    let mut command = Command::new(if is_here("valkey-server") { "valkey-server" } else { "redis-server" });
    command.args(["--bind", "127.0.0.1", "--port", &port.to_string(), "--save", "", "--appendonly", "no", "--dir"]);
    command.arg(folder);
    Ok(command)
}

fn nats(port: u16, folder: &Path) -> Result<Command> {
    let mut command = Command::new("nats-server");
    command.args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"]).arg(folder.join("store"));
    Ok(command)
}

/// What is committed is on disk, as by itself.
fn postgresql(port: u16, folder: &Path) -> Result<Command> {
    let data = postgres::made(folder)?;
    let mut command = postgres::own("postgres")?;
    command.arg("-D").arg(data).arg("-k").arg(folder).args(["-h", "127.0.0.1", "-p", &port.to_string()]);
    Ok(command)
}

fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| fs::exists(folder.join(program)).unwrap_or(false))
}
