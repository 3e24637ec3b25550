//! The principal type is [`Options`].

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
