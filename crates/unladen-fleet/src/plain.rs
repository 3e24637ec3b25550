//! [`plain`]: what others say, as it may be shown.

/// Characters of what others say, at most.
const LONGEST: usize = 300;

/// What an engine or a record says, as it may go into a log and an answer: on one line, without what a terminal acts upon,
/// and not long.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect()
}
