//! The principal type is [`Kind`]: a kind of knob, as the experiment file knows it. One file a kind, and one list,
//! [`KINDS`], that drives the reader, its errors and the page docs/reference/experiments.md.

mod command;
mod env;
mod file;
mod header;
mod patch;
mod url;

use std::fmt;

pub use self::command::CommandKnob;
pub use self::env::EnvKnob;
pub use self::file::FileKnob;
pub use self::header::HeaderKnob;
pub use self::patch::PatchKnob;
pub use self::url::UrlKnob;
use crate::read::{Bad, Given, Reading, Side, Table};

/// A kind of knob.
pub struct Kind {
    /// The key by which a side of a knob is of this kind.
    pub key: &'static str,
    /// The keys that there may be beside it.
    pub with: &'static [&'static str],
    /// What it does, in a line.
    pub summary: &'static str,
    pub(crate) read: fn(&Table<'_>, &Side, &Reading<'_>) -> Result<Given, Bad>,
}

/// All kinds, in the order of the documentation.
pub const KINDS: [&Kind; 6] = [&command::KIND, &file::KIND, &env::KIND, &patch::KIND, &url::KIND, &header::KIND];

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kind").field("key", &self.key).field("with", &self.with).finish_non_exhaustive()
    }
}
