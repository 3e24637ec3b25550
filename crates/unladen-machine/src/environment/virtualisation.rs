//! The principal type is [`Virtualisation`].

use std::fmt;

use serde::{Serialize, Serializer};

use crate::root::Root;

mod container;
mod hypervisor;

/// The layers between the measured programs and the hardware.
///
/// It serialises as it is displayed: `none`, `kvm`, `docker`, `docker on kvm`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Virtualisation {
    /// The hypervisor by systemd's name for it; `virtual machine` if unknown.
    pub hypervisor: Option<&'static str>,
    /// The kind of container; `container` if unknown.
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
