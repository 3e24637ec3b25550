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

// === impl Looks ===

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
mod tests {
    use super::*;

    /// Each of 24 requests lost events, and the route that was half seen was told as whole.
    #[test]
    fn lost_events_left_the_path_known() {
        let mut looks = Looks::default();
        looks.add(true, 0);
        for _ in 0..23 {
            looks.add(false, 2);
        }
        assert!(!looks.are_enough());
        assert!(looks.unknown().unwrap().why.starts_with("46 events were lost"), "{looks:?}");
        for _ in 0..3 {
            looks.add(false, 0);
        }
        assert!(looks.are_enough() && looks.unknown().is_none());
    }

    #[test]
    fn who_turns_up_late_is_looked_at_as_often() {
        let mut looks = Looks::default();
        for is_wider in [false, false, true, false, false] {
            looks.add(is_wider, 0);
        }
        assert_eq!(looks.unknown().unwrap().why, "each request went to somebody else");
    }
}
