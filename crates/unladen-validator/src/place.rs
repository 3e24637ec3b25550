//! [`place`]: the index of a parameter's name.

use crate::{PathPattern, SettingsError};

pub(crate) fn place(name: &str, pattern: &PathPattern) -> Result<usize, SettingsError> {
    pattern.names().iter().position(|other| other == name).ok_or_else(|| {
        let names = if pattern.names().is_empty() { "it has none".to_owned() } else { pattern.names().join(", ") };
        SettingsError::Name { name: name.to_owned(), names }
    })
}
