//! PostgreSQL's programs, run as somebody else than root: [`own`] and [`made`].

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Result;

/// One of its programs, of the newest version that is installed. It refuses to be run by root.
pub(crate) fn own(program: &str) -> Result<Command> {
    let program = programs()?.join(program);
    if !nix::unistd::geteuid().is_root() {
        return Ok(Command::new(program));
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(program);
    Ok(command)
}

/// The data of a new one in this folder, which becomes its own. Whoever connects is believed.
pub(crate) fn made(folder: &Path) -> Result<PathBuf> {
    if nix::unistd::geteuid().is_root() {
        finish(Command::new("chown").arg("postgres").arg(folder))?;
    }
    let data = folder.join("data");
    let mut make = own("initdb")?;
    make.arg("-D").arg(&data).args(["--auth=trust", "--locale=C.UTF-8", "--encoding=UTF8", "--no-sync"]);
    finish(make.args(["--username=postgres"]))?;
    Ok(data)
}

fn programs() -> Result<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql")?.flatten();
    let newest = versions.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).max();
    let newest = newest.ok_or("there is no PostgreSQL in /usr/lib/postgresql")?;
    Ok(Path::new("/usr/lib/postgresql").join(newest.to_string()).join("bin"))
}

/// Runs it to its end.
pub(crate) fn finish(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let name = command.get_program().to_string_lossy().into_owned();
    Err(format!("{name}: {}", said.trim().lines().last().unwrap_or("it failed")).into())
}
