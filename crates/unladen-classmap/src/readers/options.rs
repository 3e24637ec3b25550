//! The principal type is [`Options`].

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
    /// The file with what the application's loaders answered.
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
