//! [`plain`]: makes foreign text safe to display.

const LONGEST: usize = 300;

/// Text of an engine or a record for logs and answers: on one line, without terminal controls, and shortened.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect()
}
