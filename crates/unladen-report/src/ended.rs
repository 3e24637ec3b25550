//! The principal type is [`Ended`].

/// How a run came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// As planned.
    Complete,
    /// By the user; the blocks until then are counted.
    Interrupted,
    /// By a request that failed; the blocks until then are counted.
    Failed,
}

impl Ended {
    /// As it stands in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        }
    }
}
