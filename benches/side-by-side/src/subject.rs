//! The principal type is [`Subject`]: one of subjects/, up until it is dropped.

use std::io::{PipeWriter, Read as _, pipe};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::program::root;
use crate::{Result, roles};

/// A running subject, with a state of its own: it is in nobody's way.
///
/// A process of its own process group takes it down when its standard input ends: also when the bench is killed.
pub(crate) struct Subject {
    name: &'static str,
    pub(crate) url: String,
    variables: Vec<(String, PathBuf)>,
    lifeline: Option<PipeWriter>,
    keeper: Child,
}

impl Subject {
    pub(crate) fn up(name: &'static str) -> Result<Self> {
        Self::up_with(name, Vec::new())
    }

    /// With variables that its script reads.
    pub(crate) fn up_with(name: &'static str, variables: Vec<(String, PathBuf)>) -> Result<Self> {
        let (reader, writer) = pipe()?;
        let keeper = Command::new("/proc/self/exe")
            .args([roles::KEEP, name])
            .stdin(reader)
            .stdout(Stdio::null())
            .process_group(0)
            .spawn()?;
        let mut subject = Self { name, url: String::new(), variables, lifeline: Some(writer), keeper };
        subject.run("up")?.trim().clone_into(&mut subject.url);
        Ok(subject)
    }

    /// Has its script do something; what it prints.
    pub(crate) fn run(&self, word: &str) -> Result<String> {
        let mut command = command(self.name);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        let output = command.arg(word).stdin(Stdio::null()).stderr(Stdio::inherit()).output()?;
        if !output.status.success() {
            return Err(format!("subjects/{}/run {word}: {}", self.name, output.status).into());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    /// The folder of its settings.
    pub(crate) fn state(&self) -> Result<PathBuf> {
        Ok(self.get("STATE")?.into())
    }

    /// What its script says of itself under this name.
    pub(crate) fn get(&self, name: &str) -> Result<String> {
        let said = self.run("env")?;
        let value = said.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        Ok(value.ok_or_else(|| format!("subjects/{}/run env has no {name}", self.name))?.to_owned())
    }

    /// The process of one of its daemons; none of one that is not there.
    pub(crate) fn daemon(&self, name: &str) -> Result<Option<u32>> {
        let status = self.run("status")?;
        let pid = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        Ok(pid.map(str::parse).transpose()?)
    }

    /// Its daemons and their children.
    pub(crate) fn processes(&self) -> Result<Vec<u32>> {
        let status = self.run("status")?;
        let daemons = status.lines().filter_map(|line| line.split_once(' ')?.1.parse::<u32>().ok());
        let mut all: Vec<u32> = daemons.collect();
        for daemon in all.clone() {
            let children = std::fs::read_to_string(format!("/proc/{daemon}/task/{daemon}/children"))?;
            all.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
        }
        if all.is_empty() { Err(format!("subjects/{}/run status names no process", self.name).into()) } else { Ok(all) }
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        self.lifeline = None;
        if !self.keeper.wait().is_ok_and(|status| status.success()) {
            eprintln!("unladen-bench: subjects/{}/run down failed", self.name);
        }
    }
}

/// As the process that takes a subject down in the end.
pub(crate) fn keep(arguments: &[String]) -> Result<()> {
    let name = arguments.first().ok_or("the subject is missing")?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    let status = command(name).args(["down", "--purge"]).stdin(Stdio::null()).status()?;
    if status.success() { Ok(()) } else { Err(format!("subjects/{name}/run down: {status}").into()) }
}

fn command(name: &str) -> Command {
    let mut command = Command::new(root().join("subjects").join(name).join("run"));
    command.env("UNLADEN_STATE", state());
    command
}

fn state() -> PathBuf {
    let root = root();
    root.canonicalize().unwrap_or(root).join(".state/bench")
}
