//! The principal type is [`Succession`]: `unladen serve` in a folder of its own, and the processes that take over from
//! it.

use std::cell::{Cell, RefCell};
use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::readiness::Readiness;
use crate::wait;

/// `unladen serve` in a folder of its own, started once or again and again, and the processes that take over from it.
/// What is left of them is killed when this is dropped.
///
/// What it says goes into a file: those who take over say it there, too.
#[derive(Debug)]
pub struct Succession {
    folder: TempDir,
    child: RefCell<Option<Child>>,
    /// The process that serves now, if it is not the child.
    successor: Cell<Option<Pid>>,
    readiness: RefCell<Option<Readiness>>,
}

// === impl Succession ===

impl Default for Succession {
    fn default() -> Self {
        Self::new()
    }
}

impl Succession {
    /// Nothing runs yet, and there is no configuration.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { folder, child: RefCell::default(), successor: Cell::default(), readiness: RefCell::default() }
    }

    /// The path of a file in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Its configuration.
    pub fn file(&self) -> PathBuf {
        self.path("unladen.toml")
    }

    /// Text in which `DIR` stands for its folder.
    pub fn here(&self, text: &str) -> String {
        text.replace("DIR", self.folder.path().to_str().expect("its path is text"))
    }

    /// Writes the configuration, in which `DIR` stands for its folder, or writes it anew.
    pub fn write(&self, config: &str) {
        // In one step: what is half written is wrong, and would be told.
        let new = self.path(".unladen.toml.new");
        fs::write(&new, self.here(config)).expect("a file can be written");
        fs::rename(&new, self.file()).expect("a file can be renamed");
    }

    /// What is to serve: a program, by itself or through a shell script that ends in `exec "$@"`.
    pub fn command(&self, program: &Path, script: Option<&str>) -> Command {
        let mut command = match script {
            Some(script) => {
                let mut shell = Command::new("bash");
                shell.args(["-c", &self.here(script), "bash"]).arg(program);
                shell
            }
            None => Command::new(program),
        };
        command.args(["serve", "--config"]).arg(self.file());
        command
    }

    /// Starts it. It may not listen yet.
    pub fn start(&self, mut command: Command) {
        let said = OpenOptions::new().create(true).append(true).open(self.path("said")).expect("a file can be made");
        // A test that listens for notices itself has named its own socket.
        if command.get_envs().all(|(name, _)| name != Readiness::VARIABLE) {
            let readiness = Readiness::new(self.folder.path());
            command.env(Readiness::VARIABLE, readiness.path());
            self.readiness.replace(Some(readiness));
        }
        *self.child.borrow_mut() = Some(command.stderr(said).spawn().expect("it starts"));
        self.successor.set(None);
    }

    /// Waits until what was started serves, at all of its addresses.
    #[track_caller]
    pub fn wait_until_it_serves(&self) {
        let readiness = self.readiness.borrow();
        let why_not = || self.status().map(|status| format!("{status}\n{}", self.said()));
        readiness.as_ref().expect("it has been started").wait(why_not);
    }

    /// What all of its processes have said.
    pub fn said(&self) -> String {
        fs::read_to_string(self.path("said")).expect("it is text")
    }

    /// Waits until words were said so many times.
    #[track_caller]
    pub fn wait_until_said(&self, words: &str, times: usize) {
        let what = format!("{words:?} was said {times} times");
        wait::until_ok(&what, || self.or_said(self.said().matches(words).count() >= times));
    }

    /// Waits until something is so.
    #[track_caller]
    pub fn wait_until(&self, is_so: impl Fn() -> bool) {
        wait::until_ok("it is so", || self.or_said(is_so()));
    }

    /// What it has said, where something is not so yet.
    fn or_said(&self, is_so: bool) -> Result<(), String> {
        if is_so { Ok(()) } else { Err(self.said()) }
    }

    /// The process that serves.
    pub fn process(&self) -> Pid {
        let child = self.child.borrow();
        let own = || child.as_ref().and_then(|child| i32::try_from(child.id()).ok()).map(Pid::from_raw);
        self.successor.get().or_else(own).expect("it has been started")
    }

    /// Sends it a signal.
    #[track_caller]
    pub fn signal(&self, signal: Signal) {
        kill(self.process(), signal).unwrap_or_else(|error| panic!("it has ended already: {error}\n{}", self.said()));
    }

    /// Has another process take over.
    #[track_caller]
    pub fn hand_over(&self) {
        let before = self.successors().len();
        self.signal(Signal::SIGUSR2);
        self.follow(before + 1);
    }

    /// Waits until another process has taken over, so many having done so; it is the one that serves from now on.
    #[track_caller]
    pub fn follow(&self, times: usize) {
        self.wait_until(|| self.successors().len() >= times);
        self.successor.set(self.successors().last().copied());
    }

    /// All that have taken over, the last one last.
    fn successors(&self) -> Vec<Pid> {
        let of =
            |line: &str| line.strip_prefix("unladen: process ")?.split(' ').next()?.parse().ok().map(Pid::from_raw);
        self.said().lines().filter(|line| line.contains("has taken over")).filter_map(of).collect()
    }

    /// Asks it to stop, and waits until it has, with nothing to complain of.
    #[track_caller]
    pub fn stop(&self) {
        self.signal(Signal::SIGTERM);
        match self.successor.get() {
            Some(successor) => self.wait_until(|| is_gone(successor)),
            None => self.ended(0),
        }
        assert!(!self.said().contains("panicked at"), "{}", self.said());
    }

    /// Ends it without a word.
    #[track_caller]
    pub fn kill(&self) {
        let process = self.process();
        self.signal(Signal::SIGKILL);
        self.wait_until_gone(process);
    }

    /// Waits until the process that was started has ended, with this code, whoever has taken over from it.
    #[track_caller]
    pub fn ended(&self, code: i32) {
        let status = wait::until_ok("it ends", || self.status().ok_or_else(|| self.said()));
        assert_eq!(status.code(), Some(code), "{}", self.said());
        assert!(!self.said().contains("panicked at"), "{}", self.said());
    }

    /// Waits until a process that served is no more.
    #[track_caller]
    pub fn wait_until_gone(&self, process: Pid) {
        self.wait_until(|| {
            // Nobody else waits for the child.
            self.status();
            is_gone(process)
        });
    }

    /// How the process that was started has ended, if it has.
    fn status(&self) -> Option<std::process::ExitStatus> {
        let mut child = self.child.borrow_mut();
        child.as_mut().expect("it has been started").try_wait().expect("a child can be waited for")
    }
}

/// Ended with all of its threads, of which the first may be over while others still have its sockets. Perhaps nobody
/// has waited for it, as its parent is gone, and what stands in for that may not care.
fn is_gone(process: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let is_over = stat.rsplit(") ").next().is_none_or(|rest| rest.starts_with(['Z', 'X']));
    let threads = fs::read_dir(format!("/proc/{process}/task")).map_or(0, Iterator::count);
    kill(process, None).is_err() || (is_over && threads <= 1)
}

impl Drop for Succession {
    fn drop(&mut self) {
        let Some(mut child) = self.child.borrow_mut().take() else { return };
        let _ = child.kill();
        let _ = child.wait();
        let ours = self.file().display().to_string();
        for successor in self.successors() {
            // A process id may be another's by now.
            let is_ours = fs::read(format!("/proc/{successor}/cmdline"))
                .is_ok_and(|line| String::from_utf8_lossy(&line).contains(&ours));
            if is_ours {
                let _ = kill(successor, Signal::SIGKILL);
            }
        }
    }
}
