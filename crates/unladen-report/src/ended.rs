//! The principal type is [`Ended`].

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Complete,
    /// By the user; the blocks until then count.
    Interrupted,
    /// By a failed request; the blocks until then count.
    Failed,
}

impl Ended {
    /// The name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        }
    }
}
