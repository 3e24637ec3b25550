//! The principal type is [`SourceKind`]: what a source of counters elsewhere is.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceKind {
    /// A machine or container with an agent in it.
    Host,
    /// An HTTP endpoint with metrics.
    Exporter,
}
