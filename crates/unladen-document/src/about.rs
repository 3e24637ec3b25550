//! The principal type is [`About`]: what every document says about its run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::machine::Machine;

/// Where, when and how a document was made; its fields are on the top level of the document. Documents of version 0.1
/// lack most of them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct About {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// End of the run: RFC 3339, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Name of the measuring machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Seed of all random orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// One entry per word, secrets replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// The user's labels: `release` → `1.43`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The measuring machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// Of the measured application, if its folder was named or found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
}

/// The measuring machine and its software.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Environment {
    pub kernel: Option<String>,
    pub cpu: Option<String>,
    /// Online processors.
    pub processors: Option<u64>,
    /// Quota of the control groups, in processors.
    pub processor_quota: Option<f64>,
    /// `kvm`, `docker` and so on; null on bare metal, or if unknown.
    pub virtualisation: Option<String>,
    pub memory_bytes: Option<u64>,
    /// One-minute load average at the run's start.
    pub load_1m: Option<f64>,
    pub software: Vec<Software>,
}

/// Software on which the figures depend.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Software {
    /// `PHP`, `nginx`.
    pub name: String,
    /// As it reports it.
    pub version: String,
}

/// The revision of a folder.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Revision {
    pub folder: Option<String>,
    /// Hexadecimal.
    pub commit: Option<String>,
    /// Null if the head is detached.
    pub branch: Option<String>,
    /// Whether files differ from the commit.
    pub dirty: Option<bool>,
}
