//! The principal type is [`Binaries`].

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::RealError;

/// What is run: where it lies.
#[derive(Debug, Clone)]
pub struct Binaries {
    /// The folder of `unladen`, `burn` and `burn-child`.
    folder: PathBuf,
}

impl Binaries {
    /// Builds them beside the running program, in its profile.
    pub fn build() -> Result<Self, RealError> {
        let program = std::env::current_exe().map_err(RealError::of("this program"))?;
        // A test lies a folder deeper than a program.
        let folder = program.ancestors().skip(1).find(|folder| !folder.ends_with("deps")).unwrap_or(Path::new("/"));
        // Whoever runs all tests has built both.
        if std::env::var_os("UNLADEN_BINARY").is_some() {
            return Ok(Self { folder: folder.to_owned() });
        }
        // One by one: together they would be built with other features than alone, all dependencies anew.
        for package in ["unladen", "unladen-burn"] {
            let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            cargo.args(["build", "--locked", "--quiet", "--package", package]);
            cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
            if let Some(target) = folder.parent() {
                cargo.arg("--target-dir").arg(target);
            }
            if folder.ends_with("release") {
                cargo.arg("--release");
            }
            let status = cargo.status().map_err(RealError::of("cargo"))?;
            if !status.success() {
                return Err(RealError::failed(format!("cargo could not build {package}")));
            }
        }
        Ok(Self { folder: folder.to_owned() })
    }

    /// What `unladen` prints, told this. It ends by itself: its time is bounded, and so is each request.
    pub(crate) fn unladen<S: AsRef<OsStr>>(
        &self,
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<Vec<u8>, RealError> {
        let mut unladen = Command::new(self.path("unladen"));
        unladen.env("UNLADEN_STORE", "off").args(arguments).stdin(Stdio::null());
        let output = unladen.output().map_err(RealError::of("unladen"))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(RealError::failed(format!("unladen: {}: {said}", output.status)))
    }

    /// Where one of these names is.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}
