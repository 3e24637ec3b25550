//! What one program takes: [`measured`], and [`measure`], the small process that asks the kernel for it. The principal
//! type is [`Took`].

use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};

use crate::{Result, children, roles};

/// One run of a program, from its start to its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Took {
    pub(super) wall_ms: f64,
    /// The most memory that was resident at once, in one process.
    pub(super) peak_mib: f64,
}

/// Runs it. The kernel tells a peak of all children that ever were, so this one is the only child of a process of its
/// own.
pub(super) fn measured(program: &Command) -> Result<Took> {
    let mut command = Command::new("/proc/self/exe");
    command.arg(roles::MEASURE).arg(program.get_program()).args(program.get_args());
    for (name, value) in program.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    if let Some(folder) = program.get_current_dir() {
        command.current_dir(folder);
    }
    let said = children::run(&mut command)?.stdout;
    let mut numbers = said.split_whitespace().map(str::parse);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(wall_ms)), Some(Ok(peak_mib))) => Ok(Took { wall_ms, peak_mib }),
        _ => Err(format!("no two numbers: {said}").into()),
    }
}

/// As that process.
pub(crate) fn measure(arguments: &[String]) -> Result<()> {
    let (program, arguments) = arguments.split_first().ok_or("the program is missing")?;
    let mut command = children::tied(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let begun = Instant::now();
    let output = command.output()?;
    let wall = begun.elapsed();
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{program}: {}: {}", output.status, said.trim()).into());
    }
    let kib = getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss();
    println!("{} {}", wall.as_secs_f64() * 1e3, kib as f64 / 1024.0);
    Ok(())
}
