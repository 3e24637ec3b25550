//! The principal type is [`Binaries`].

use std::path::{Path, PathBuf};

use super::error::RealError;

/// What is run: where it lies.
#[derive(Debug, Clone)]
pub struct Binaries {
    /// The folder of `unladen`, `burn` and `burn-child`.
    folder: PathBuf,
}

impl Binaries {
    /// Builds them beside the running program, in its profile.
    ///
    /// # Errors
    /// If cargo fails.
    pub fn build() -> Result<Self, RealError> {
        let program = std::env::current_exe().map_err(RealError::io("this program"))?;
        // A test lies a folder deeper than a program.
        let folder = program.ancestors().skip(1).find(|folder| !folder.ends_with("deps")).unwrap_or(Path::new("/"));
        // Whoever runs all tests has built both.
        if std::env::var_os("UNLADEN_BINARY").is_some() {
            return Ok(Self { folder: folder.to_owned() });
        }
        // One by one: together they would be built with other features than alone, all dependencies anew.
        for package in ["unladen", "unladen-burn"] {
            let mut cargo = std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            cargo.args(["build", "--locked", "--quiet", "--package", package]);
            cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
            if let Some(target) = folder.parent() {
                cargo.arg("--target-dir").arg(target);
            }
            if folder.ends_with("release") {
                cargo.arg("--release");
            }
            let status = cargo.status().map_err(RealError::io("cargo"))?;
            if !status.success() {
                return Err(RealError::failed(format!("cargo could not build {package}")));
            }
        }
        Ok(Self { folder: folder.to_owned() })
    }

    /// Where the built `unladen` is.
    pub(crate) fn unladen(&self) -> PathBuf {
        self.path("unladen")
    }

    /// Where one of these names is.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}
