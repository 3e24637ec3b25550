//! The principal type is [`Reader`]: a kind of applications that can be read.

use std::path::Path;

use super::options::Options;
use crate::{Application, Problem};

/// Reads what an application does to find its classes.
pub trait Reader: Sync {
    /// Its name: `composer`.
    fn name(&self) -> &'static str;
    /// What it reads, in a line.
    fn about(&self) -> &'static str;
    /// Whether the application in `root`, an absolute folder, is of this kind.
    fn knows(&self, root: &Path) -> bool;
    /// The application in `root`. What is wrong with some of its files is told in the application's problems.
    ///
    /// # Errors
    /// If nothing can be said about it: a file that all hangs on cannot be read.
    fn read(&self, root: &Path, options: &Options) -> Result<Application, Problem>;
}
