//! The principal type is [`Virtualisation`].

use std::fmt;

use serde::{Serialize, Serializer};

use crate::root::Root;

mod container;
mod hypervisor;

/// What stands between the programs that are measured and the hardware.
///
/// It serialises as it is displayed: `none`, `kvm`, `docker`, `docker on kvm`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Virtualisation {
    /// The hypervisor of a virtual machine, by the name that systemd has for it; `virtual machine` if it does not say
    /// which it is.
    pub hypervisor: Option<&'static str>,
    /// The kind of container; `container` if the kind is not known.
    pub container: Option<&'static str>,
}

// === impl Virtualisation ===

impl Virtualisation {
    pub(crate) fn read(root: &Root) -> Self {
        Self { hypervisor: hypervisor::hypervisor(root), container: container::container(root) }
    }
}

impl fmt::Display for Virtualisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.container, self.hypervisor) {
            (None, None) => f.pad("none"),
            (Some(only), None) | (None, Some(only)) => f.pad(only),
            (Some(container), Some(hypervisor)) => f.pad(&format!("{container} on {hypervisor}")),
        }
    }
}

impl Serialize for Virtualisation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests;
