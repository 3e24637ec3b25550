//! The principal type is [`Reader`]: a kind of applications that can be read.

use std::path::Path;

use crate::{Application, Problem};

/// Reads how an application finds its classes.
pub trait Reader: Sync {
    /// Example: `composer`.
    fn name(&self) -> &'static str;
    /// What it reads, in a line.
    fn about(&self) -> &'static str;
    /// Whether the application in `root`, an absolute folder, is of this kind; one for any kind waits to be named.
    fn knows(&self, _root: &Path) -> bool {
        false
    }
    /// Reads the application in `root`, with errors in some of its files as problems. Fails if an essential file cannot
    /// be read.
    fn read(&self, root: &Path, options: &Options) -> Result<Application, Problem>;
}

/// What the caller wants to be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// MediaWiki's extensions and skins; elsewhere plugins, templates and modules.
    pub extensions: Extensions,
    /// MediaWiki's LocalSettings.php, if not in the root; for WordPress, a file that wp-config.php includes.
    pub settings: Option<std::path::PathBuf>,
    /// Whether Composer's development packages and folders count, if it has not been dumped.
    pub dev: bool,
    /// What Composer would write now, not what it has written.
    pub anew: bool,
    /// Prefixes and their folders, relative to the root or absolute.
    pub psr4: Vec<(bstr::BString, std::path::PathBuf)>,
    pub answers: Option<std::path::PathBuf>,
}

/// Which extensions are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Extensions {
    /// Those that LocalSettings.php enables; elsewhere, where files do not say which are, none.
    #[default]
    Enabled,
    All,
}
