//! The principal type is [`FleetSettings`]: settings of this process as a node.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::BusUrl;

/// Settings of this process as a node of a fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetSettings {
    pub bus: BusSettings,
    /// A node that is silent for this long is out of the fleet.
    pub lease: Duration,
    /// How stored pages are served while the engine is not reached.
    pub when_cut_off: WhenCutOff,
    pub wait: Wait,
    pub wait_for: Duration,
}

/// Engine, fleet and node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusSettings {
    pub url: BusUrl,
    /// Authorities for its certificate; `None` for the system's.
    pub ca: Option<PathBuf>,
    pub fleet: String,
    pub node: String,
    /// Minimum number of records kept for late readers.
    pub keep: u64,
}

/// How stored pages that only their lifetime vouches for are served while the engine is not reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum WhenCutOff {
    /// Revalidated with the application.
    #[default]
    Revalidate,
    Serve,
}

/// Which nodes a purge waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Wait {
    #[default]
    All,
    Quorum,
    #[serde(rename = "none")]
    #[strum(serialize = "none")]
    Nobody,
}

impl BusSettings {
    /// A unique name: `name`, and eight random digits.
    pub fn unique_node(name: &str) -> String {
        format!("{name}.{:08x}", fastrand::u32(..))
    }
}

impl Wait {
    /// All values with their names.
    pub const ALL: [(&'static str, Self); 3] = [("all", Self::All), ("quorum", Self::Quorum), ("none", Self::Nobody)];

    /// The value of a name; `None` if there is none.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, wait)| wait)
    }
}
