//! The principal type is [`GroupSeen`].

use serde::{Deserialize, Serialize};

use crate::interval::Interval;

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
