//! The program itself, as a user has it.

use std::path::PathBuf;
use std::process::Command;

use crate::Result;
use crate::peers::root;

/// Where it is, built if need be: beside this bench, which may take minutes.
pub(crate) fn built() -> Result<PathBuf> {
    let path = std::env::current_exe()?.with_file_name("unladen");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--locked", "--quiet", "-p", "unladen"]).current_dir(root());
    // Both lie in the same folder, wherever that is.
    if let Some(target) = path.ancestors().nth(2) {
        cargo.arg("--target-dir").arg(target);
    }
    eprintln!("unladen-bench: building {}, if it is not of these sources", path.display());
    let status = cargo.status().map_err(|error| format!("cargo in {}: {error}", root().display()))?;
    if !status.success() {
        return Err("unladen does not build".into());
    }
    if path.exists() { Ok(path) } else { Err("run the benches with cargo run --release".into()) }
}
