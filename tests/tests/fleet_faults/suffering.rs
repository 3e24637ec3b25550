//! What each engine suffers. The principal type is [`Far`]: Valkey behind a cable.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use unladen_tests::{Cables, Nats, Postgres, Valkey, wait};

use crate::faults::Bus;
use crate::town::NODES;
use crate::way::{Door, Way};

/// Valkey in a network of its own, beside those of the nodes.
pub(crate) struct Far {
    server: Child,
    cables: Arc<Cables>,
    folder: tempfile::TempDir,
}

/// Its network, after those of the nodes.
const OWN: u8 = NODES as u8;

impl Bus for Valkey {
    fn pauses(&self) -> std::ops::Range<u64> {
        500..4000
    }

    fn suffer(&mut self, kind: u8, time: Duration) -> &'static str {
        match kind % 4 {
            0 => {
                self.kill();
                std::thread::sleep(time);
                self.restart();
                "killed and started again, empty"
            }
            1 => {
                self.signal(Signal::SIGSTOP);
                std::thread::sleep(time);
                self.signal(Signal::SIGCONT);
                "stopped"
            }
            2 => {
                self.trim();
                "trimmed"
            }
            _ => {
                self.say("FLUSHALL");
                "emptied"
            }
        }
    }
}

impl Bus for Nats {
    fn pauses(&self) -> std::ops::Range<u64> {
        1500..4500
    }

    fn suffer(&mut self, kind: u8, time: Duration) -> &'static str {
        match kind % 5 {
            0 => {
                self.restart(false);
                "killed and started again"
            }
            1 => {
                self.restart(true);
                "killed and started again, empty"
            }
            2 => {
                self.signal(Signal::SIGSTOP);
                std::thread::sleep(time);
                self.signal(Signal::SIGCONT);
                "stopped"
            }
            3 => {
                self.try_ask("$JS.API.STREAM.PURGE.UNLADEN_town");
                "trimmed"
            }
            _ => {
                self.try_ask("$JS.API.STREAM.PURGE.UNLADEN_town_NODES");
                "without its list of nodes"
            }
        }
    }
}

impl Bus for Postgres {
    /// It takes a second or two to come up again.
    fn pauses(&self) -> std::ops::Range<u64> {
        2500..6000
    }

    fn suffer(&mut self, kind: u8, time: Duration) -> &'static str {
        match kind % 4 {
            0 => {
                self.restart(time);
                "killed and started again"
            }
            1 => {
                self.signal(Signal::SIGSTOP);
                std::thread::sleep(time);
                self.signal(Signal::SIGCONT);
                "stopped"
            }
            2 => {
                self.sql("delete from unladen_fleet.record");
                "trimmed"
            }
            _ => {
                self.sql("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'asker'");
                "parted from all who were connected"
            }
        }
    }
}

impl Bus for Far {
    fn pauses(&self) -> std::ops::Range<u64> {
        1500..4500
    }

    fn suffer(&mut self, kind: u8, time: Duration) -> &'static str {
        match kind % 4 {
            0 => {
                self.end();
                std::thread::sleep(time);
                self.server = serve(&self.cables, &self.folder);
                "killed and started again, empty"
            }
            1 => {
                self.signal(Signal::SIGSTOP);
                std::thread::sleep(time);
                self.signal(Signal::SIGCONT);
                "stopped"
            }
            _ => {
                self.cables.pull(OWN);
                std::thread::sleep(time);
                self.cables.plug(OWN);
                "without its cable"
            }
        }
    }
}

// === impl Far ===

impl Far {
    pub(crate) fn start() -> Self {
        let cables = Arc::new(Cables::new(OWN + 1));
        let folder = tempfile::tempdir().expect("a temporary folder");
        let server = serve(&cables, &folder);
        Self { server, cables, folder }
    }

    /// The way of each node to it, and to the application, for which all networks have a door.
    pub(crate) fn way(&self) -> impl Fn(usize, &str) -> Way + use<> {
        let (cables, folder) = (Arc::clone(&self.cables), self.folder.path().to_owned());
        move |number, app| {
            let door = Door::to(app, folder.join(format!("app-{number}.sock")));
            let number = u8::try_from(number).expect("few nodes");
            Way::by_cable(&cables, number, door, Valkey::url_at(address()))
        }
    }

    fn signal(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(i32::try_from(self.server.id()).expect("a pid")), signal);
    }

    fn end(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

impl Drop for Far {
    fn drop(&mut self) {
        self.end();
    }
}

/// Where it is in its network.
fn address() -> SocketAddr {
    SocketAddr::from((Cables::address(OWN), 6379))
}

fn serve(cables: &Cables, folder: &tempfile::TempDir) -> Child {
    let socket = folder.path().join("valkey.sock");
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).args(cables.inside(OWN).split(' ')).arg(Valkey::program());
    command.args(["--bind", &address().ip().to_string(), "--port", "6379", "--unixsocket"]).arg(&socket);
    command.args(["--save", "", "--appendonly", "no", "--requirepass", Valkey::PASSWORD, "--dir"]).arg(folder.path());
    let _ = std::fs::remove_file(&socket);
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    wait::until_ok("Valkey comes up", || std::os::unix::net::UnixStream::connect(&socket));
    child
}
