//! What a program costs: [`run`] waits for it and takes its CPU time from the kernel's account of waited-for children.

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
