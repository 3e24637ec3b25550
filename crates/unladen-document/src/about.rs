//! The principal type is [`About`]: what every document says of its run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::machine::Machine;

/// Where, when and how a document came about; its fields stand at the top level of the document. Documents of version
/// 0.1 lack most of them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct About {
    /// The program's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// When the run ended: RFC 3339, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The measuring machine's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The seed of all random orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The command line, a word an entry, secrets replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// What the user called the run: `release` → `1.43`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The measuring machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// The measured application's revision, where a folder was named or found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// What the machine did meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
}

/// The measuring machine and what runs on it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Environment {
    /// Release of the kernel.
    pub kernel: Option<String>,
    /// Model of the CPU.
    pub cpu: Option<String>,
    /// How many processors are online.
    pub processors: Option<u64>,
    /// The quota of the control groups, in processors; null without one.
    pub processor_quota: Option<f64>,
    /// `kvm`, `docker` and so on; null on bare metal, or where it is not known.
    pub virtualisation: Option<String>,
    pub memory_bytes: Option<u64>,
    /// Load average of one minute when the run began.
    pub load_1m: Option<f64>,
    /// Versions of the software that was seen.
    pub software: Vec<Software>,
}

/// A piece of software that was seen.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Software {
    /// `PHP`, `nginx`.
    pub name: String,
    /// As it tells it.
    pub version: String,
}

/// The revision of a folder.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Revision {
    pub folder: Option<String>,
    /// The commit that is checked out, in hexadecimal.
    pub commit: Option<String>,
    /// The branch, if one is checked out.
    pub branch: Option<String>,
    /// Whether files differ from the commit.
    pub dirty: Option<bool>,
}
