//! The principal type is [`Claims`]: the addresses that hosts claim to have.

use std::net::IpAddr;

use crate::weigh::elsewhere::Elsewhere;

/// The addresses that hosts claim to have; there is nothing but their word for it.
#[derive(Debug)]
pub(super) struct Claims {
    hosts: Vec<(String, Vec<IpAddr>)>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// Claimed by this host alone.
    Of(String),
    Nobody,
    /// Claimed by each of these, as with container networks.
    Several(Vec<String>),
}

impl Claims {
    pub(super) fn of(elsewhere: &[Elsewhere]) -> Self {
        let of = |host: &Elsewhere| {
            let addresses = &host.standpoint.as_ref()?.addresses;
            Some((host.name.clone(), addresses.iter().map(IpAddr::to_canonical).collect()))
        };
        Self { hosts: elsewhere.iter().filter_map(of).collect() }
    }

    pub(super) fn host_at(&self, ip: IpAddr) -> Claim {
        let ip = ip.to_canonical();
        let hosts = self.hosts.iter().filter(|(_, addresses)| addresses.contains(&ip));
        let mut names: Vec<String> = hosts.map(|(name, _)| name.clone()).collect();
        match (names.pop(), names.is_empty()) {
            (None, _) => Claim::Nobody,
            (Some(only), true) => Claim::Of(only),
            (Some(last), false) => {
                names.push(last);
                Claim::Several(names)
            }
        }
    }
}

#[cfg(test)]
mod tests;
