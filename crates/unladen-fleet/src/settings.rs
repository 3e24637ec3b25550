//! The principal type is [`FleetSettings`].

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::BusUrl;

/// How this process is one node of a fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetSettings {
    /// The engine, and who this is there.
    pub bus: BusSettings,
    /// A node that was not heard for so long is out of the fleet.
    pub lease: Duration,
    /// What is done with stored pages while the engine is not reached.
    pub when_cut_off: WhenCutOff,
    /// Whom a purge waits for, unless it says so itself …
    pub wait: Wait,
    /// … and for how long.
    pub wait_for: Duration,
}

/// The engine, and who this is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BusSettings {
    pub url: BusUrl,
    /// The authorities that its certificate is verified with; none: the system's.
    pub ca: Option<PathBuf>,
    /// Which fleet of those on this engine.
    pub fleet: String,
    /// This process's name, which no other has.
    pub node: String,
    /// So many records are kept at least for those who read on late.
    pub keep: u64,
}

/// What is done with stored pages that only their lifetime vouches for, while the engine is not reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WhenCutOff {
    /// The application is asked about them.
    #[default]
    Revalidate,
    Serve,
}

/// Whom a purge waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Wait {
    /// All nodes of the fleet.
    #[default]
    All,
    /// More than half of them.
    Quorum,
    /// Nobody.
    #[serde(rename = "none")]
    Nobody,
}

impl BusSettings {
    /// A name that no other process has: `name`, and eight random digits.
    pub fn unique_node(name: &str) -> String {
        format!("{name}.{:08x}", fastrand::u32(..))
    }
}

impl WhenCutOff {
    /// As the configuration has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Revalidate => "revalidate",
            Self::Serve => "serve",
        }
    }
}

impl Wait {
    /// Each, by its word.
    pub const ALL: [(&'static str, Self); 3] = [("all", Self::All), ("quorum", Self::Quorum), ("none", Self::Nobody)];

    /// Of its word; none: it is none of them.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, wait)| wait)
    }

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Quorum => "quorum",
            Self::Nobody => "none",
        }
    }
}
