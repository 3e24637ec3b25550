//! The principal type is [`GroupSeen`]: a group of processes, its server, its container, and its PHP's settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::series::Interval;

/// A group that follows the requests, and where it lives.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GroupSeen {
    /// `www-data php-fpm8.2`.
    pub name: String,
    /// The executable of one of its processes.
    pub exe: Option<String>,
    /// CPU, ns a request, undisturbed.
    pub cpu: Option<Interval>,
    /// The request was seen to pass through it.
    pub on_path: bool,
    /// CPU, ns a request, if not distinguishable from its other work; only for one on the path.
    pub untold: Option<Interval>,
    /// Its container, if its root folder is not the host's.
    pub container: Option<ContainerSeen>,
    /// Its running server, if its kind is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerSeen>,
}

/// Where a running server's settings are, by its own process. Only facts; commands are built from them where they are
/// printed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerSeen {
    /// Its first process, which gets signals; 0 in a container, where its id differs.
    pub pid: u32,
    /// A file that names the current process; only for PHP-FPM.
    pub pid_file: Option<String>,
    pub exe: String,
    /// The settings file it was started with; `None` for the built-in one.
    pub config: Option<String>,
    /// Another base of relative paths (`nginx -p`, `apache2 -d`); for PostgreSQL its data.
    pub prefix: Option<String>,
    /// A folder from which it reads each `*.conf` into the outermost block of its settings for sites.
    pub folder: Option<String>,
    /// The settings file searched for `folder`, if readable.
    pub read: Option<String>,
    /// Its pid file does not name it: a command that uses that file would reach another server, or none.
    pub needs_signal: bool,
    /// Its Unix socket; for PostgreSQL the socket's folder.
    pub socket: Option<String>,
    pub port: Option<u16>,
    /// Its account, if not the usual: `postgres`, or root.
    pub account: Option<String>,
    pub unit: Option<String>,
    pub has_systemd: bool,
    /// It is another user's, whose files and options only root sees: then nothing else is set.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_hidden: bool,
    /// First processes of all servers of the group, if it is unknown which of them answers: then nothing else is set.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub several: Vec<u32>,
}

/// The container of a group whose root folder is not the host's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContainerSeen {
    /// With an article: `the container 3f9c2a81b7d0`.
    pub name: String,
    /// Command that restarts it, if its engine is known.
    pub restart: Option<String>,
    /// Its folder of PHP's settings, as its own processes see it.
    pub php_folder: Option<String>,
}

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
