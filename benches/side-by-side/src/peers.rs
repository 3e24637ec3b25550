//! The programs to compare with, from Debian's packages.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether the package is there, or could be installed; says so if not.
pub(crate) fn has(package: &str) -> bool {
    let lib = root().join("subjects/lib.sh");
    // The library takes its own place from $0.
    let ended = Command::new("bash")
        .args(["-euc", ". \"$0\"; need \"$@\" >&2"])
        .args([lib.as_os_str(), package.as_ref()])
        .stdin(Stdio::null())
        .output();
    match ended {
        Ok(output) if output.status.success() => true,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            println!("  (without {package}: {})", said.trim().lines().last().unwrap_or("it cannot be installed"));
            false
        }
        Err(error) => {
            println!("  (without {package}: bash: {error})");
            false
        }
    }
}
