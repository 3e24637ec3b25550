//! The principal type is [`VendorLoader`]: the loader of a `vendor` folder.

use std::path::PathBuf;

use crate::{Loader, Problem};

#[derive(Debug, Default)]
pub(crate) struct VendorLoader {
    pub(crate) loader: Loader,
    pub(crate) prepends: bool,
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) problems: Vec<Problem>,
}
