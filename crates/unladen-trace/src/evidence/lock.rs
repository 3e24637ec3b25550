//! The principal type is [`LockSeen`].

use serde::{Deserialize, Serialize};

use super::counted::Counted;
use crate::event::LockCall;

/// A kind of lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockKind {
    Call(LockCall),
    /// By making a file that must not exist, or a link: link(2), or open with O_EXCL of a file that is removed again in
    /// the same request.
    File,
}

/// A lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockSeen {
    pub group: usize,
    pub kind: LockKind,
    /// The locked file as far as known.
    pub path: String,
    /// With the time waited.
    pub counted: Counted,
}
