//! The principal type is [`Standpoint`]: which kernel's counters are read, and which processes can be seen from there.

mod witness;

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

pub use self::witness::Witness;

const MAX_ADDRESSES: usize = 256;

/// Length of a kernel's boot id, as text (RFC 9562): `0b1c3e64-7c0e-4c25-8d6e-2c5a3f1d9b7e`.
const BOOT_ID_LENGTH: usize = 36;

/// Where counters are read. Two of them count the same processes twice if one sees the other's [`Witness`], and read
/// the same kernel's machine counters if their boot ids are equal.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standpoint {
    /// Random id of the kernel's boot; `None` if it cannot be read.
    pub boot_id: Option<String>,
    /// The reading process, by which others know whether they see it; `None` if its own /proc does not show it.
    pub witness: Option<Witness>,
    /// Whether /proc hides other users' processes.
    pub is_hiding: bool,
    /// Addresses of the machine, without loopback.
    pub addresses: Vec<IpAddr>,
}

impl Standpoint {
    /// The standpoint of this process.
    pub fn here() -> Self {
        let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok();
        Self {
            boot_id: boot_id.map(|id| id.trim().to_owned()),
            witness: Witness::here(),
            // Everybody may read it, unless /proc is mounted with hidepid.
            is_hiding: std::fs::read("/proc/1/stat").is_err(),
            addresses: addresses(),
        }
        .checked()
    }

    pub(crate) fn checked(mut self) -> Self {
        let is_one =
            |id: &String| id.len() == BOOT_ID_LENGTH && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
        self.boot_id = self.boot_id.filter(is_one);
        self.addresses.truncate(MAX_ADDRESSES);
        self
    }

    /// Whether both certainly share a kernel.
    pub fn is_same_kernel(&self, other: &Self) -> bool {
        self.boot_id.is_some() && self.boot_id == other.boot_id
    }

    /// Whether both are certainly in one PID namespace of one kernel.
    pub fn is_same_namespace(&self, other: &Self) -> bool {
        let namespace = |at: &Self| at.witness.and_then(|witness| witness.namespace);
        self.is_same_kernel(other) && namespace(self).is_some() && namespace(self) == namespace(other)
    }

    /// Whether all processes visible from there are certainly shown.
    pub fn is_clear(&self) -> bool {
        self.witness.is_some() && !self.is_hiding
    }

    /// Which of these processes can be seen from here.
    pub fn sees(witnesses: &[Witness]) -> Vec<bool> {
        witness::seen(witnesses)
    }
}

/// Addresses of this machine's interfaces: loopback is the same on every machine, and link-local ones mean nothing
/// beyond their link.
fn addresses() -> Vec<IpAddr> {
    let Ok(interfaces) = nix::ifaddrs::getifaddrs() else { return Vec::new() };
    let of = |address: nix::sys::socket::SockaddrStorage| {
        let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
        v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip())))
    };
    let is_reached = |ip: &IpAddr| match ip {
        IpAddr::V4(ip) => !ip.is_loopback() && !ip.is_link_local(),
        IpAddr::V6(ip) => !ip.is_loopback() && !ip.is_unicast_link_local(),
    };
    interfaces.filter_map(|interface| of(interface.address?)).filter(is_reached).collect()
}

#[cfg(test)]
mod tests;
