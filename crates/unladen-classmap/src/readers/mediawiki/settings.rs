//! The principal type is [`Settings`]: which extensions and skins LocalSettings.php loads.

use std::path::PathBuf;

use bstr::BString;

use crate::Problem;

/// What its calls come to, in their order.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// Manifests that are loaded for sure.
    pub(super) loaded: Vec<PathBuf>,
    /// Manifests and folders of Composer's loaders that are loaded on a condition.
    pub(super) perhaps: Vec<PathBuf>,
    /// Whether any other extension may be loaded, by code that was not followed.
    pub(super) open: bool,
    /// Folders of Composer's loaders that are included.
    pub(super) vendors: Vec<PathBuf>,
    /// Classes that are added to the AutoLoader by hand, and the file that does so.
    pub(super) classes: Vec<(PathBuf, BString, BString)>,
    /// The same in `$wgAutoloadClasses`.
    pub(super) old_classes: Vec<(PathBuf, BString, BString)>,
    /// Namespaces that are added to the AutoLoader by hand.
    pub(super) namespaces: Vec<(BString, BString)>,
    /// All files that were read.
    pub(super) inputs: Vec<PathBuf>,
    /// What was not followed.
    pub(super) problems: Vec<Problem>,
}
