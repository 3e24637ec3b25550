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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// The measured application's, if its folder was named or found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine: Option<Machine>,
}

impl About {
    /// Adds what is known of the run; the seed and the machine of the result itself stay.
    pub fn complete(&mut self, run: Self) {
        *self = Self { seed: self.seed.or(run.seed), machine: self.machine.take().or(run.machine), ..run };
    }
}

/// The measuring machine and its software.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Environment {
    pub kernel: Option<String>,
    pub cpu: Option<String>,
    pub processors: Option<u64>,
    pub processor_quota: Option<f64>,
    /// `kvm`, `docker` and so on; null on bare metal, or if unknown.
    pub virtualisation: Option<String>,
    pub memory_bytes: Option<u64>,
    pub load_1m: Option<f64>,
    pub software: Vec<Software>,
}

/// Software on which the figures depend.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Software {
    pub name: String,
    pub version: String,
}

/// The revision of a folder.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Revision {
    pub folder: Option<String>,
    pub commit: Option<String>,
    pub branch: Option<String>,
    pub dirty: Option<bool>,
}
