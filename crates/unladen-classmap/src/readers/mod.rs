//! The kinds of applications that can be read, one file a kind.

mod bundled;
pub(crate) mod composer;
mod constants;
pub(crate) mod dokuwiki;
mod drupal;
mod mediawiki;
pub(crate) mod path;
pub(crate) mod psr4;
mod wordpress;

use std::path::Path;

use crate::Application;

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
    fn read(&self, root: &Path, options: &Options) -> Result<Application, crate::Problem>;
}

/// What the caller wants to be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// Which of MediaWiki's extensions and skins, and of plugins, templates and modules elsewhere.
    pub extensions: Extensions,
    /// MediaWiki's LocalSettings.php, where it is not in the root; of WordPress, a file that wp-config.php includes.
    pub settings: Option<std::path::PathBuf>,
    /// Whether Composer's packages and folders for development count, where it has not been dumped.
    pub dev: bool,
    /// What Composer would write now, rather than what it has written.
    pub anew: bool,
    /// Prefixes and their folders, below the root or absolute.
    pub psr4: Vec<(bstr::BString, std::path::PathBuf)>,
}

/// Which extensions are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Extensions {
    /// Those that LocalSettings.php enables; elsewhere, where files do not say which are, none.
    #[default]
    Enabled,
    /// All that are there.
    All,
}

/// All readers, the more special first: the first that knows an application reads it.
pub const READERS: &[&dyn Reader] = &[
    &mediawiki::MediaWiki,
    &wordpress::WordPress,
    &dokuwiki::DokuWiki,
    &drupal::Drupal,
    &composer::Composer,
    &psr4::Psr4,
];

#[cfg(test)]
mod tests {
    use super::READERS;

    #[test]
    fn every_reader_has_a_row() {
        let page = include_str!("../../../../docs/reference/classmap.md");
        for reader in READERS {
            let row = format!("| `{}` |", reader.name());
            assert!(page.contains(&row), "{row} is not in docs/reference/classmap.md");
        }
    }
}
