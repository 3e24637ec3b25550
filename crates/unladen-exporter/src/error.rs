//! The principal type is [`ParseError`]: where and why an answer does not have its format.

use crate::limits;

/// An answer that was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    pub fault: Fault,
}

/// Why an answer was refused, or a line of it left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("the answer is longer than {} MiB: make the exporter report fewer (its collectors, or ?collect[]=)", limits::BODY >> 20)]
    BodyTooLong,
    #[error("bytes that are not UTF-8; is this the exporter's /metrics?")]
    NotUtf8,
    /// The last line has no end: the answer was truncated.
    #[error("the last line does not end: the answer was cut off")]
    CutOff,
    #[error("a line longer than {} KiB", limits::LINE >> 10)]
    LineTooLong,
    #[error("more than {most} {what}: make the exporter report fewer (its collectors, or ?collect[]=)")]
    TooMany { what: &'static str, most: usize },
    #[error("expected {expected}, found {found}; is this the exporter's /metrics?")]
    Unexpected { expected: &'static str, found: String },
    #[error("`{0}` is not a metric type")]
    UnknownType(String),
    /// The family was described already, or its samples came before.
    #[error("the type of `{0}` is given twice, or after its samples")]
    Late(String),
    /// The samples of a family are not together (OpenMetrics).
    #[error("the samples of `{0}` are not together")]
    Interleaved(String),
    #[error("`{0}` is there twice")]
    Duplicate(String),
    #[error("`# EOF` is missing: the answer was cut off")]
    NoEof,
    #[error("something follows `# EOF`")]
    AfterEof,
}

impl Fault {
    /// Whether it concerns one line alone, so that the others can be read.
    pub(crate) fn is_of_line(&self) -> bool {
        !matches!(self, Self::BodyTooLong | Self::CutOff | Self::TooMany { .. } | Self::NoEof | Self::AfterEof)
    }
}
