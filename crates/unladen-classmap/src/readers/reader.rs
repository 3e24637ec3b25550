//! The principal type is [`Reader`]: a kind of applications that can be read.

use std::path::Path;

use super::options::Options;
use crate::{Application, Problem};

/// Reads how an application finds its classes.
pub trait Reader: Sync {
    /// Example: `composer`.
    fn name(&self) -> &'static str;
    /// What it reads, in a line.
    fn about(&self) -> &'static str;
    /// Whether the application in `root`, an absolute folder, is of this kind.
    fn knows(&self, root: &Path) -> bool;
    /// Reads the application in `root`, with errors in some of its files as problems. Fails if an essential file cannot
    /// be read.
    fn read(&self, root: &Path, options: &Options) -> Result<Application, Problem>;
}
