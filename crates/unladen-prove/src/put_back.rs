//! The principal type is [`PutBack`]: what was put back, and what was not.

use std::fmt;
use std::path::PathBuf;

/// What was put back, and what was not; displayed as a line for each.
#[derive(Debug, Default)]
#[must_use = "what could not be put back has to be said"]
pub struct PutBack {
    pub done: Vec<String>,
    pub failed: Vec<NotPutBack>,
    pub journal: Option<PathBuf>,
}

/// Something that could not be put back.
#[derive(Debug)]
pub struct NotPutBack {
    pub what: String,
    pub why: String,
    /// Command to type instead.
    pub by_hand: Option<String>,
}

// === impl PutBack ===

impl PutBack {
    /// Whether everything was put back.
    pub fn is_complete(&self) -> bool {
        self.failed.is_empty()
    }
}

impl fmt::Display for PutBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.done.as_slice() {
            [] if self.failed.is_empty() => return f.write_str("there was nothing to put back"),
            [] => f.write_str("nothing was put back")?,
            done => write!(f, "put back: {}", done.join(", "))?,
        }
        for NotPutBack { what, why, by_hand } in &self.failed {
            write!(f, "\nNOT put back: {what}: {why}")?;
            if let Some(by_hand) = by_hand {
                write!(f, "\n  by hand: {by_hand}")?;
            }
        }
        if let (Some(journal), false) = (&self.journal, self.failed.is_empty()) {
            let journal = journal.display();
            write!(
                f,
                "\nThe originals are in {journal}: `unladen prove --restore` tries again; remove it when all is well"
            )?;
        }
        Ok(())
    }
}
