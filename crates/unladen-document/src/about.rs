//! The principal type is [`About`]: what every document says about its run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::machine::Machine;

/// Where, when and how a document was made; its fields are on the top level of the document. Documents of version 0.1
/// lack most of them.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct About {
    /// The version of Unladen that wrote the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// When the run ended: RFC 3339, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The name of the machine that measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The seed of all random orders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The command line, a word an entry; secrets are replaced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// What the user called the run, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// The machine that measured, and what runs on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Environment>,
    /// The revision of the measured application, where its folder is in a git work tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// What the machine did meanwhile; absent for a load that was recorded earlier.
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
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Environment {
    /// The kernel's release.
    pub kernel: Option<String>,
    /// The model of the processor.
    pub cpu: Option<String>,
    /// Processors that the process may use at the same time.
    #[schemars(required)]
    pub processors: Option<u64>,
    /// The smallest quota of the control groups, in processors; null without one.
    pub processor_quota: Option<f64>,
    /// `kvm`, `docker` and so on; null on bare metal, or if unknown.
    pub virtualisation: Option<String>,
    /// Memory that the kernel manages, in bytes.
    pub memory_bytes: Option<u64>,
    /// The load average of about one minute, in threads.
    pub load_1m: Option<f64>,
    /// Programs on which the figures depend.
    pub software: Vec<Software>,
}

/// Software on which the figures depend.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Software {
    /// What it is called.
    pub name: String,
    /// Its version; null if it is not known.
    pub version: String,
}

/// The revision of a folder.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema, Serialize)]
#[serde(default)]
pub struct Revision {
    /// The work tree's top folder.
    #[schemars(required)]
    pub folder: Option<String>,
    /// The commit that is checked out, in hexadecimal.
    #[schemars(required)]
    pub commit: Option<String>,
    /// The branch; null if the head is detached.
    pub branch: Option<String>,
    /// Whether a tracked file differs from the commit; null if that is not known.
    pub dirty: Option<bool>,
}
