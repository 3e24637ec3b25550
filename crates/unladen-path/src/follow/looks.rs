//! The principal type is [`Looks`]: whether a path was observed often enough.

use unladen_trace::PathUnknown;

/// Requests observed once nobody new turns up.
const ENOUGH: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Looks {
    /// Requests seen whole, in which nobody new turned up.
    quiet: usize,
    lost: u64,
}

impl Looks {
    /// Adds a request. If events were lost, it does not show that there is nobody else.
    pub(super) fn add(&mut self, is_wider: bool, lost: u64) {
        self.lost += lost;
        match (is_wider, lost) {
            // Earlier requests were observed without them.
            (true, _) => self.quiet = 0,
            (false, 0) => self.quiet += 1,
            (false, _) => {}
        }
    }

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
