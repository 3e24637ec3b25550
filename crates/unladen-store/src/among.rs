//! The principal type is [`Among`]: candidates for a filter.

/// Runs that can match a filter, as far as the index of targets shows.
///
/// No index covers parts of a target. But targets repeat: a hundred thousand runs have some hundred of them, and the
/// index leads from each to the next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Among {
    All,
    /// Runs whose targets begin with one of these few.
    TargetsThatBegin(Vec<String>),
    None,
}
