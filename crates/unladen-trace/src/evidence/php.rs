//! The principal type is [`PhpSettings`]: what a PHP says of itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The name of the file into which a fix writes PHP's settings. It is read after all others: folders of settings are read
/// in the order of names, and not all of those begin with a number (`subject.ini` is read after `99-unladen.ini`, and
/// switched off again what that had switched on).
pub const PHP_FILE: &str = "zz-unladen.ini";

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
    /// The file of php-fpm's own at whose end a line is added to the pool; empty if there is none, or it is not known which.
    pub fpm_config: String,
    /// Extensions loaded.
    pub extensions: Vec<String>,
    /// `opcache.enable` → `1`
    pub settings: BTreeMap<String, String>,
    /// What sets some of them again, after the file into which a fix writes: what that one says of them counts for
    /// nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_again: Vec<PhpSetAgain>,
    /// Why it is not known whether its pool sets some of them again; none: it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool_unknown: Option<String>,
}

/// A place that sets a setting again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PhpSetAgain {
    /// `opcache.enable`
    pub name: String,
    /// What kind of place it is.
    pub by: PhpSetter,
    /// The pool's name, or the words that set it: `-d opcache.enable=0`, `XDEBUG_MODE=debug`; empty for a file.
    pub who: String,
    /// The file; empty where there is none, or it is not known which.
    pub file: String,
    /// Which line of the file, from 1; 0 where it is not known.
    pub line: u32,
    /// That line as it is.
    pub text: String,
    /// Why the file is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// The value that the settings files and the command line give it; none: it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_files: Option<String>,
}

/// What kind of place sets a setting again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PhpSetter {
    /// A pool of php-fpm, by `php_admin_value`, `php_admin_flag`, `php_value` or `php_flag`.
    #[default]
    Pool,
    /// A settings file that is read later.
    File,
    /// An option of the command line, `-d`.
    CommandLine,
    /// A variable of the environment.
    Environment,
}

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
