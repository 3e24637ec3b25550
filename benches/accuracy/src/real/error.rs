//! The principal type is [`RealError`].

/// Why a run gave no result.
#[derive(Debug, thiserror::Error)]
pub enum RealError {
    /// A file or process.
    #[error("{what}: {source}")]
    Io {
        /// Which, or what for.
        what: String,
        /// Why.
        source: std::io::Error,
    },
    /// A program of ours failed.
    #[error("{what}")]
    Failed {
        /// What it said.
        what: String,
    },
    /// An answer is not as agreed.
    #[error("{what}: {source}")]
    Json {
        /// Whose.
        what: &'static str,
        /// Why.
        source: serde_json::Error,
    },
}

impl RealError {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { what: what.into(), source }
    }

    pub(crate) fn failed(what: impl Into<String>) -> Self {
        Self::Failed { what: what.into() }
    }
}
