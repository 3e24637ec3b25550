//! The principal type is [`Looks`]: whether a path was looked at often enough.

use unladen_trace::PathUnknown;

/// Requests that are looked at when nobody new turns up.
const ENOUGH: usize = 3;

/// How the requests that were looked at went.
#[derive(Debug, Default)]
pub(super) struct Looks {
    /// Those, seen whole, in which nobody new turned up.
    quiet: usize,
    /// Events that were lost.
    lost: u64,
}

impl Looks {
    /// One more: whether somebody new turned up, and how many events were lost. One that was not seen whole shows whom
    /// it shows, and not that there is nobody else.
    pub(super) fn add(&mut self, is_wider: bool, lost: u64) {
        self.lost += lost;
        match (is_wider, lost) {
            // What came before was seen without them.
            (true, _) => self.quiet = 0,
            (false, 0) => self.quiet += 1,
            (false, _) => {}
        }
    }

    /// Whether that is enough.
    pub(super) fn are_enough(&self) -> bool {
        self.quiet >= ENOUGH
    }

    /// Why the path is not known, if they were not enough.
    pub(super) fn unknown(&self) -> Option<PathUnknown> {
        let why = match self.lost {
            _ if self.are_enough() => return None,
            0 => "each request went to somebody else".to_owned(),
            lost => format!("{lost} events were lost while the request was followed: too much else goes on here"),
        };
        Some(PathUnknown { why, takes: String::new() })
    }
}

#[cfg(test)]
mod tests;
