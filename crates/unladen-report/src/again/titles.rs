//! [`Titles`]: what tables call counters.

/// What tables call a counter, by its stable name; none of one that is not known.
pub type Titles = fn(&str) -> Option<&'static str>;
