//! The principal type is [`Given`]: what a table gives for one [`Side`] of a knob.

use std::path::PathBuf;
use std::sync::Arc;

use crate::knob::Knob;
use crate::original::Content;

pub(crate) struct Side {
    pub(crate) on: bool,
    pub(crate) initial: bool,
}

pub(crate) enum Given {
    Change(Arc<dyn Knob>),
    /// A file's content; the other side may give another.
    File {
        path: PathBuf,
        content: Content,
    },
}
