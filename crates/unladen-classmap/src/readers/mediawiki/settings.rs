//! The principal type is [`Settings`]: which extensions and skins LocalSettings.php loads.

use std::path::PathBuf;

use bstr::BString;

use crate::Problem;

/// The effects of its calls, in order.
#[derive(Debug, Default)]
pub(super) struct Settings {
    /// Manifests that are certainly loaded.
    pub(super) loaded: Vec<PathBuf>,
    /// Conditionally loaded manifests and folders of Composer's loaders.
    pub(super) perhaps: Vec<PathBuf>,
    /// Whether code that was not followed may load further extensions.
    pub(super) open: bool,
    pub(super) vendors: Vec<PathBuf>,
    /// Classes added to the AutoLoader by hand, with the file that does so.
    pub(super) classes: Vec<(PathBuf, BString, BString)>,
    /// The same in `$wgAutoloadClasses`.
    pub(super) old_classes: Vec<(PathBuf, BString, BString)>,
    pub(super) namespaces: Vec<(BString, BString)>,
    pub(super) inputs: Vec<PathBuf>,
    pub(super) problems: Vec<Problem>,
}
