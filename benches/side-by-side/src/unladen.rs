//! The program itself, as a user has it.

use std::path::PathBuf;
use std::process::Command;

use crate::Result;
use crate::peers::root;

/// Where it is, built if need be.
pub(crate) fn built() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status =
        Command::new(cargo).args(["build", "--release", "--quiet", "-p", "unladen"]).current_dir(root()).status()?;
    if !status.success() {
        return Err("unladen does not build".into());
    }
    // Both lie in the same folder, wherever that is.
    let path = std::env::current_exe()?.with_file_name("unladen");
    if path.exists() { Ok(path) } else { Err("run the benches with cargo run --release".into()) }
}
