//! [`Titles`]: names of counters in tables.

/// Looks up a counter's title in tables by its stable name; `None` if the counter is unknown.
pub type Titles = fn(&str) -> Option<&'static str>;
