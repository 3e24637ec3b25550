//! What a program costs: [`run`] waits for it and takes its CPU time from the kernel's account of waited-for children.
//! [`tied`] makes one that ends with the bench.

use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;

use crate::Result;

/// A program that ran to its end.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Its CPU time, and that of its children that it waited for.
    pub(crate) cpu: Duration,
    pub(crate) wall: Duration,
    pub(crate) stdout: String,
}

/// A program that is killed when the bench ends, however that comes about: a load must not outlive who asked for it.
///
/// util-linux's setpriv turns into the program; it costs both sides of a comparison the same half millisecond.
pub(crate) fn tied(program: impl AsRef<OsStr>) -> Command {
    tied_by("KILL", program)
}

/// The same by another signal, for a program that has children of its own to end.
pub(crate) fn tied_by(signal: &str, program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", signal, "--"]).arg(program);
    command
}

/// A program that is run by another, which turns into it.
pub(crate) fn behind(mut first: Command, command: &Command) -> Command {
    first.arg(command.get_program()).args(command.get_args());
    first
}

/// Runs it. Nothing else may be waited for meanwhile: the account is one for all children.
pub(crate) fn run(command: &mut Command) -> Result<Ran> {
    let before = waited_for()?;
    let begun = Instant::now();
    let name = command.get_program().to_string_lossy().into_owned();
    let output =
        command.stdin(Stdio::null()).stderr(Stdio::piped()).output().map_err(|error| format!("{name}: {error}"))?;
    let wall = begun.elapsed();
    let cpu = waited_for()?.saturating_sub(before);
    if !output.status.success() {
        return Err(format!("{name}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()).into());
    }
    Ok(Ran { cpu, wall, stdout: String::from_utf8_lossy(&output.stdout).into_owned() })
}

fn waited_for() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let us = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(u64::try_from(us)?))
}
