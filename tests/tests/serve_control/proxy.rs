//! The principal type is [`Proxy`]: `unladen serve` and the processes that take over from it.

use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;
use unladen_tests::{binary, wait, wait_until_it_takes_signals};

use super::client::Client;

/// `unladen serve`, and the processes that take over from it. What is left of them is killed when this is dropped.
///
/// What it says goes into a file: those who take over say it there, too.
pub struct Proxy {
    child: std::cell::RefCell<Child>,
    /// The process that serves now, if it is not the child.
    heir: Option<Pid>,
    program: PathBuf,
    folder: TempDir,
}

/// How it is to be started.
pub struct Start {
    env: Vec<(&'static str, std::ffi::OsString)>,
    script: Option<&'static str>,
}

impl Start {
    pub fn env(mut self, name: &'static str, value: impl Into<std::ffi::OsString>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// A script that ends in `exec "$@"`.
    pub fn through_shell(mut self, script: &'static str) -> Self {
        self.script = Some(script);
        self
    }
}

impl Proxy {
    /// With this configuration; up when its Unix socket `search.sock` is.
    pub fn start(config: &str) -> Self {
        let proxy = Self::start_as_it_is(config, |start| start);
        drop(Client::unix_when_it_listens(&proxy.path("search.sock")));
        wait_until_it_takes_signals(proxy.process());
        proxy
    }

    /// The same, of a copy of the program in its folder.
    pub fn start_copy(config: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let program = folder.path().join("unladen");
        fs::copy(binary(), &program).expect("the program can be copied");
        let proxy = Self::spawn(folder, program, config, |start| start, Stdio::null(), Stdio::null());
        drop(Client::unix_when_it_listens(&proxy.path("search.sock")));
        wait_until_it_takes_signals(proxy.process());
        proxy
    }

    /// Does not wait for anything.
    pub fn start_as_it_is(config: &str, how: impl FnOnce(Start) -> Start) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self::spawn(folder, binary().to_owned(), config, how, Stdio::null(), Stdio::null())
    }

    /// With these as its standard input and output, through a script that knows `NAMES`.
    pub fn start_with(config: &str, stdin: Stdio, stdout: OwnedFd, script: &'static str, names: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let how = |start: Start| start.through_shell(script).env("NAMES", names);
        Self::spawn(folder, binary().to_owned(), config, how, stdin, Stdio::from(stdout))
    }

    fn spawn(
        folder: TempDir,
        program: PathBuf,
        config: &str,
        how: impl FnOnce(Start) -> Start,
        stdin: Stdio,
        stdout: Stdio,
    ) -> Self {
        let file = folder.path().join("unladen.toml");
        fs::write(&file, config).expect("a file can be written");
        let Start { env, script } = how(Start { env: Vec::new(), script: None });
        let mut command = match script {
            Some(script) => {
                let mut command = Command::new("bash");
                command.args(["-c", script, "bash"]).arg(&program);
                command
            }
            None => Command::new(&program),
        };
        let said = File::create(folder.path().join("said")).expect("a file can be made");
        command.args(["serve".as_ref(), "--config".as_ref(), file.as_os_str()]).envs(env);
        let child = command.stdin(stdin).stdout(stdout).stderr(said).spawn().expect("it starts");
        Self { child: child.into(), heir: None, program, folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn file(&self) -> PathBuf {
        self.path("unladen.toml")
    }

    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Writes the configuration anew.
    pub fn write(&self, config: &str) {
        // In one step: what is half written is wrong, and would be told.
        let new = self.path(".unladen.toml.new");
        fs::write(&new, config).expect("a file can be written");
        fs::rename(&new, self.file()).expect("a file can be renamed");
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
        self.heir.unwrap_or_else(|| Pid::from_raw(i32::try_from(self.child.borrow().id()).expect("a pid")))
    }

    pub fn signal(&self, signal: Signal) {
        kill(self.process(), signal).unwrap_or_else(|error| panic!("it has ended already: {error}\n{}", self.said()));
    }

    /// Waits until another process has taken over, so many having done so; it is the one that serves from now on.
    #[track_caller]
    pub fn follow_heir(&mut self, times: usize) {
        self.wait_until_said("has taken over", times);
        self.heir = self.heirs().last().copied();
    }

    fn heirs(&self) -> Vec<Pid> {
        let said = self.said();
        let of =
            |line: &str| line.strip_prefix("unladen: process ")?.split(' ').next()?.parse().ok().map(Pid::from_raw);
        said.lines().filter(|line| line.contains("has taken over")).filter_map(of).collect()
    }

    /// Asks it to stop, and waits until it has, with nothing to complain of.
    #[track_caller]
    pub fn stop(&self) {
        self.signal(Signal::SIGTERM);
        match self.heir {
            None => self.ended(0),
            Some(heir) => {
                wait::until_ok("it ends", || self.or_said(kill(heir, None).is_err() || is_zombie(heir)));
                // The first handed over long ago.
                self.ended(0);
            }
        }
        assert!(!self.said().contains("panicked at"), "{}", self.said());
    }

    /// Waits until the first process has ended, with this code.
    #[track_caller]
    pub fn ended(&self, code: i32) {
        let status = wait::until_ok("it ends", || {
            self.child.borrow_mut().try_wait().expect("a child can be waited for").ok_or_else(|| self.said())
        });
        assert_eq!(status.code(), Some(code), "{}", self.said());
        assert!(!self.said().contains("panicked at"), "{}", self.said());
    }
}

/// Ended, and nobody has waited for it: its parent is gone, and what stands in for that may not care.
fn is_zombie(process: Pid) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_none_or(|rest| rest.starts_with(['Z', 'X']))
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let mut child = self.child.borrow_mut();
        let _ = child.kill();
        let _ = child.wait();
        let ours = self.file().display().to_string();
        for heir in self.heirs() {
            // A process id may be another's by now.
            let is_ours = fs::read(format!("/proc/{heir}/cmdline"))
                .is_ok_and(|line| String::from_utf8_lossy(&line).contains(&ours));
            if is_ours {
                let _ = kill(heir, Signal::SIGKILL);
            }
        }
    }
}
