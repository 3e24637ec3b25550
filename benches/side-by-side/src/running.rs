//! The principal type is [`Running`]: a program that serves. [`Listen`] is where, and [`Ports`] gives out ports.

use std::fmt;
use std::fs::{self, File, Permissions};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::processes::Processes;
use crate::{Result, children};

/// How long one may take to come up, and to end when it is told to.
const PATIENCE: Duration = Duration::from_secs(20);

/// Of memory, where Linux has it.
const SHARED: &str = "/dev/shm";

/// Where a program listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Listen {
    /// A port of 127.0.0.1.
    Tcp(u16),
    Unix(PathBuf),
}

impl fmt::Display for Listen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(port) => write!(f, "127.0.0.1:{port}"),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl Listen {
    fn answers(&self) -> bool {
        match self {
            Self::Tcp(port) => TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).is_ok(),
            Self::Unix(path) => UnixStream::connect(path).is_ok(),
        }
    }
}

/// Gives out ports that nobody has, below those that the kernel gives to who opens connections.
#[derive(Debug)]
pub(crate) struct Ports(u16);

impl Ports {
    pub(crate) fn new() -> Self {
        // Two benches at once begin at different places.
        Self(20_000 + u16::try_from(std::process::id() % 8_000).unwrap_or(0))
    }

    pub(crate) fn free(&mut self) -> Result<u16> {
        while self.0 < 32_000 {
            self.0 += 1;
            if TcpListener::bind((Ipv4Addr::LOCALHOST, self.0)).is_ok() {
                return Ok(self.0);
            }
        }
        Err("there is no free port below 32,000".into())
    }
}

/// It serves until it is dropped, also when the bench is killed.
pub(crate) struct Running {
    name: String,
    folder: PathBuf,
    /// Of what it keeps in shared memory, which goes with it.
    unique: String,
    child: Option<Child>,
}

impl Running {
    /// Makes its folder, and takes away what an earlier one has left.
    pub(crate) fn prepare(name: &str, folder: &Path, listens: &[Listen]) -> Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let _ = fs::remove_dir_all(folder);
        fs::create_dir(folder)?;
        // Some become a user of their own, and write there as that.
        fs::set_permissions(folder, Permissions::from_mode(0o777))?;
        for listen in listens {
            if let Listen::Unix(path) = listen {
                let _ = fs::remove_file(path);
            }
        }
        let unique = format!("bench{}x{}x", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        Ok(Self { name: name.to_owned(), folder: folder.to_owned(), unique, child: None })
    }

    /// A word that nothing else on this machine is called.
    pub(crate) fn unique(&self) -> &str {
        &self.unique
    }

    /// Starts a program; returns when all its listeners are there.
    pub(crate) fn start(mut self, command: &Command, listens: &[Listen]) -> Result<Self> {
        let log = File::create(self.folder.join("said"))?;
        // Told to end, nginx tells its workers; killed, it would leave them behind.
        let mut tied = children::tied_by("TERM", command.get_program());
        tied.args(command.get_args()).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let child = self.child.insert(tied.spawn()?);
        let begun = Instant::now();
        for listen in listens {
            while !listen.answers() {
                if child.try_wait()?.is_some() || begun.elapsed() > PATIENCE {
                    let said = fs::read_to_string(self.folder.join("said")).unwrap_or_default();
                    let last: Vec<&str> = said.trim().lines().rev().take(5).collect();
                    return Err(format!("{} does not come up: {}", self.name, last.join("\n")).into());
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        Ok(self)
    }

    /// Its processes, when it has answered: those that do the work may come after the listener.
    pub(crate) fn processes(&self) -> Processes {
        self.child.as_ref().map_or_else(Processes::default, |child| Processes::of(child.id()))
    }

    fn end(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        if let Ok(pid) = i32::try_from(child.id()) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Ok(Some(_)) = child.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        eprintln!("unladen-bench: {} does not end: killing it", self.name);
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
        // It lies in memory.
        let Ok(segments) = fs::read_dir(SHARED) else { return };
        for segment in segments.flatten().filter(|entry| entry.file_name().to_string_lossy().starts_with(&self.unique))
        {
            let _ = fs::remove_dir_all(segment.path());
            let _ = fs::remove_file(segment.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_port_is_given_out_twice() {
        let mut ports = Ports::new();
        let first = ports.free().unwrap();
        assert!(ports.free().unwrap() > first);
    }
}
