//! The principal type is [`Plan`]: what is to be read.

use std::path::PathBuf;
use std::time::Duration;

/// What is to be read.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) file: PathBuf,
    pub(super) query: String,
    pub(super) places: Box<[usize]>,
    pub(super) timeout: Duration,
}
