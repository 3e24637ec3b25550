//! The principal type is [`GroupSeen`]: a group that follows the requests, and where it lives.

use serde::{Deserialize, Serialize};

use crate::interval::Interval;

/// A group that follows the requests.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GroupSeen {
    /// Its name: `www-data php-fpm8.2`.
    pub name: String,
    /// The executable of one of its processes.
    pub exe: Option<String>,
    /// Its CPU, ns a request, undisturbed.
    pub cpu: Option<Interval>,
    /// The request was seen to go through it.
    pub on_path: bool,
    /// Its CPU, ns a request, where that is not told from its other work; only of one on the path.
    pub untold: Option<Interval>,
    /// Where it lives, if its root folder is not the host's.
    pub container: Option<ContainerSeen>,
    /// Its running server, where that is one of a kind whose settings are known how to find.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerSeen>,
}

/// A running server: what its own process says of where its settings are. Facts alone; commands are made of them where
/// they are printed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerSeen {
    /// Its first process, which signals go to; 0 in a container, where it has another number.
    pub pid: u32,
    /// A file that names that process, however often it is another: of PHP-FPM alone.
    pub pid_file: Option<String>,
    /// The executable.
    pub exe: String,
    /// The settings file that it was started with; none: it has the one that it was built with.
    pub config: Option<String>,
    /// Another folder that relative paths are below (`nginx -p`, `apache2 -d`); of PostgreSQL its data.
    pub prefix: Option<String>,
    /// A folder from which it reads each `*.conf` into the outermost block of its settings for sites.
    pub folder: Option<String>,
    /// The settings file in which `folder` was looked for, if it could be read.
    pub read: Option<String>,
    /// Its pid file does not name it: a command that goes by that file speaks to another server, or to none.
    pub needs_signal: bool,
    /// Its Unix socket; of PostgreSQL the folder of it.
    pub socket: Option<String>,
    /// The port at which it listens.
    pub port: Option<u16>,
    /// The account that it runs as, if that is not the usual: `postgres`, or root.
    pub account: Option<String>,
    /// Its unit, where systemd runs.
    pub unit: Option<String>,
    /// Whether systemd runs there.
    pub has_systemd: bool,
    /// First processes of the servers that the group's processes belong to, if it is not known which of them answers: then
    /// nothing else is said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub several: Vec<u32>,
}

/// Where a group lives whose root folder is not the host's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ContainerSeen {
    /// With an article: `the container 3f9c2a81b7d0`.
    pub name: String,
    /// The command that starts it again, if its engine is known.
    pub restart: Option<String>,
    /// The folder of PHP's settings that is there, as its own processes call it.
    pub php_folder: Option<String>,
}
