//! The principal type is [`PhpSettings`].

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Name of the file into which a fix writes PHP's settings. It is read after all others: folders of settings are read
/// in the order of names, and not all of those begin with a number (`subject.ini` is read after `99-unladen.ini`, and
/// switched off again what that had switched on).
pub const PHP_FILE: &str = "zz-unladen.ini";

/// What a PHP reports about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PhpSettings {
    pub group: usize,
    pub ini: String,
    pub ini_folder: String,
    /// php-fpm's own file to which lines for the pool can be appended; empty if none or unknown.
    pub fpm_config: String,
    pub extensions: Vec<String>,
    /// `opcache.enable` → `1`
    pub settings: BTreeMap<String, String>,
    /// Overrides that apply after the file into which a fix writes, whose values for them have no effect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_again: Vec<PhpSetAgain>,
    /// Why it is unknown whether its pool overrides some; `None` if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool_unknown: Option<String>,
}

/// A place that overrides a setting.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PhpSetAgain {
    /// `opcache.enable`
    pub name: String,
    pub by: PhpSetter,
    /// The pool's name, or the words that set it: `-d opcache.enable=0`, `XDEBUG_MODE=debug`; empty for a file.
    pub who: String,
    /// Empty if none or unknown.
    pub file: String,
    /// From 1; 0 if unknown.
    pub line: u32,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// Value by the settings files and the command line; `None` if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_files: Option<String>,
}

/// The kind of place that overrides a setting.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhpSetter {
    /// A pool of php-fpm, by `php_admin_value`, `php_admin_flag`, `php_value` or `php_flag`.
    #[default]
    Pool,
    /// A settings file read later.
    File,
    /// `-d`.
    CommandLine,
    Environment,
}

impl PhpSettings {
    /// A setting that is on or off; `None` if unknown.
    pub fn is_on(&self, name: &str) -> Option<bool> {
        self.settings.get(name).map(|value| Self::reads_as_on(value))
    }

    /// Whether PHP takes a value as on.
    pub fn reads_as_on(value: &str) -> bool {
        !matches!(value.to_ascii_lowercase().as_str(), "" | "0" | "off" | "no" | "no value" | "false" | "none")
    }
}
