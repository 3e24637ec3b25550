//! The principal type is [`Running`]: a program that serves.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::listen::Listen;
use super::process::Processes;
use crate::scratch::ScratchFolder;
use crate::{Result, children};

/// How long one may take to come up, and to end when it is told to.
const PATIENCE: Duration = Duration::from_secs(20);

/// It serves until it is dropped, also when the bench is killed.
pub(crate) struct Running {
    name: String,
    child: Child,
    folder: PathBuf,
}

impl Running {
    /// Starts a program; returns when all its listeners are there.
    pub(crate) fn start(
        name: &str,
        scratch: &ScratchFolder,
        command: impl FnOnce(&Path) -> Result<Command>,
        listens: &[Listen],
    ) -> Result<Self> {
        let folder = scratch.path(&format!("run-{name}").replace('/', "-"));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder)?;
        for listen in listens {
            if let Listen::Unix(path) = listen {
                let _ = fs::remove_file(path);
            }
        }
        let command = command(&folder)?;
        let log = File::create(folder.join("said"))?;
        // Told to end, nginx tells its workers; killed, it would leave them behind.
        let mut tied = children::tied_by("TERM", command.get_program());
        tied.args(command.get_args()).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let child = tied.spawn()?;
        let mut running = Self { name: name.to_owned(), child, folder };
        running.wait_for(listens)?;
        Ok(running)
    }

    /// Its processes, when it has answered: those that do the work may come after the listener.
    pub(crate) fn processes(&self) -> Processes {
        Processes::of(self.child.id())
    }

    fn wait_for(&mut self, listens: &[Listen]) -> Result<()> {
        let begun = Instant::now();
        for listen in listens {
            while !answers(listen) {
                if self.child.try_wait()?.is_some() || begun.elapsed() > PATIENCE {
                    let said = fs::read_to_string(self.folder.join("said")).unwrap_or_default();
                    let last: Vec<&str> = said.trim().lines().rev().take(5).collect();
                    return Err(format!("{} does not come up: {}", self.name, last.join("\n")).into());
                }
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(pid) = i32::try_from(self.child.id()) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        }
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        eprintln!("unladen-bench: {} does not end: killing it", self.name);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answers(listen: &Listen) -> bool {
    match listen {
        Listen::Tcp(port) => TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).is_ok(),
        Listen::Unix(path) => UnixStream::connect(path).is_ok(),
    }
}
