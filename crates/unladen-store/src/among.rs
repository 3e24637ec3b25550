//! The principal type is [`Among`]: the runs that can meet a filter at all.

/// The runs that can meet a filter at all, as far as the index of targets tells.
///
/// A part of a target is in no index. Targets repeat, though: a hundred thousand runs have some hundred of them, and the
/// index leads from each to the next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Among {
    /// Any run.
    All,
    /// Those whose targets begin with one of these: they are few.
    TargetsThatBegin(Vec<String>),
    /// None.
    None,
}
