//! The principal type is [`Kind`]: a kind of knob, as the experiment file knows it.

use std::fmt;

use unladen_toml::{Bad, Table};

use crate::read::{Given, Reading, Side};

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

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kind").field("key", &self.key).field("with", &self.with).finish_non_exhaustive()
    }
}
