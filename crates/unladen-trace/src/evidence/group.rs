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
