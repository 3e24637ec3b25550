//! [`title`]: what tables call a counter.

use super::name::known_name;

/// Looks up a counter's title in tables by its stable name; `None` if the counter is unknown.
pub type Titles = fn(&str) -> Option<&'static str>;

/// As the document says; of an older one, as the probes call it today, or by its name.
pub(super) fn title(said: &str, counter: &str, titles: Titles) -> &'static str {
    let named = || titles(counter).unwrap_or_else(|| known_name(&counter.replace('_', " ")));
    if said.is_empty() { named() } else { known_name(said) }
}
