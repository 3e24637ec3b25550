//! The principal type is [`Given`]: what a table says of one [`Side`] of a knob.

use std::path::PathBuf;
use std::sync::Arc;

use crate::knob::Knob;
use crate::original::Content;

/// A side of a knob in the making.
pub(crate) struct Side {
    pub(crate) on: bool,
    /// Whether it is the one on which commands find the knob.
    pub(crate) initial: bool,
}

/// A change of one side.
pub(crate) enum Given {
    Change(Arc<dyn Knob>),
    /// What a file holds; the other side may say something of it too.
    File {
        path: PathBuf,
        content: Content,
    },
}
