//! The principal type is [`Kind`]: a kind of knob, for the reader of experiment files.

use std::fmt;

use unladen_toml::{Bad, Table};

use crate::read::{Given, Reading, Side};

/// A kind of knob.
pub struct Kind {
    pub key: &'static str,
    pub with: &'static [&'static str],
    pub summary: &'static str,
    pub(crate) read: fn(&Table<'_>, &Side, &Reading<'_>) -> Result<Given, Bad>,
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kind").field("key", &self.key).field("with", &self.with).finish_non_exhaustive()
    }
}
