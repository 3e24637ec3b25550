//! The principal type is [`PhpSettings`]: what a PHP says of itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a PHP says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PhpSettings {
    /// Index of the group.
    pub group: usize,
    /// The main settings file.
    pub ini: String,
    /// The folder of further ones.
    pub ini_folder: String,
    /// The pool's or the master's own file, if there is one.
    pub fpm_config: String,
    /// Extensions loaded.
    pub extensions: Vec<String>,
    /// `opcache.enable` → `1`
    pub settings: BTreeMap<String, String>,
}

// === impl PhpSettings ===

impl PhpSettings {
    /// A setting that is on or off; `None` if it is not known.
    pub fn is_on(&self, name: &str) -> Option<bool> {
        self.settings.get(name).map(|value| Self::reads_as_on(value))
    }

    /// Whether PHP takes a value as on.
    pub fn reads_as_on(value: &str) -> bool {
        !matches!(value.to_ascii_lowercase().as_str(), "" | "0" | "off" | "no" | "no value" | "false" | "none")
    }
}
