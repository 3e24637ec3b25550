//! [`build`]: a program of Go that stands in `tests/tools`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Built by the Go at hand, once for all test programs: `version` changes with what it is made of. None: it cannot be,
/// and why is told if there is a Go.
pub(crate) fn build(name: &str, version: &str, sources: &[(&str, &str)]) -> Option<PathBuf> {
    build_package(name, version, sources, &["."])
}

/// The same of a package that the sources only name; `arguments`: what tells which, for `go build`.
pub(crate) fn build_package(
    name: &str,
    version: &str,
    sources: &[(&str, &str)],
    arguments: &[&str],
) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target = target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"));
    let folder = std::path::absolute(target.join("tools").join(version)).ok()?;
    let program = folder.join(name);
    if program.exists() {
        return Some(program);
    }
    let go = ["go", "/usr/local/go/bin/go"].into_iter().find(|go| {
        let asked = Command::new(go).arg("version").stdin(Stdio::null()).stderr(Stdio::null()).output();
        asked.is_ok_and(|output| output.status.success())
    })?;
    let part = tempfile::tempdir().ok()?;
    for (name, text) in sources {
        std::fs::write(part.path().join(name), text).ok()?;
    }
    let mut command = Command::new(go);
    command.args(["build", "-o", name]).args(arguments).current_dir(part.path());
    // The Go at hand, or none: another toolchain is not for a test to fetch.
    command.env("GOTOOLCHAIN", "local").stdin(Stdio::null());
    let output = command.output().ok()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let _ = std::io::stderr().write_all(format!("{name} cannot be built: {said}").as_bytes());
        return None;
    }
    std::fs::create_dir_all(&folder).ok()?;
    // Another program may have built it meanwhile: it is the same.
    let new = folder.join(format!("{name}.{}", std::process::id()));
    std::fs::copy(part.path().join(name), &new).ok()?;
    std::fs::rename(new, &program).ok()?;
    Some(program)
}
