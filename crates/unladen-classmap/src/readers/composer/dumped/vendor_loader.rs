//! The principal type is [`VendorLoader`]: the loader of a `vendor` folder.

use std::path::PathBuf;

use crate::{Loader, Problem};

/// The loader of a `vendor` folder.
#[derive(Debug, Default)]
pub(crate) struct VendorLoader {
    pub(crate) loader: Loader,
    /// Whether it goes before the loaders that are registered already.
    pub(crate) prepends: bool,
    /// The files that say so.
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) problems: Vec<Problem>,
}
