//! The principal type is [`Claims`]: which addresses hosts say that they have.

use std::net::IpAddr;

use crate::weigh::elsewhere::Elsewhere;

/// Which addresses hosts say that they have. Nothing but their own word is known of it.
#[derive(Debug)]
pub(super) struct Claims {
    hosts: Vec<(String, Vec<IpAddr>)>,
}

/// Whose an address is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// As this host alone says, its own.
    Of(String),
    /// No host says so.
    Nobody,
    /// Each of these says so, as of networks of containers.
    Several(Vec<String>),
}

impl Claims {
    /// Of these hosts.
    pub(super) fn of(elsewhere: &[Elsewhere]) -> Self {
        let of = |host: &Elsewhere| {
            let addresses = &host.standpoint.as_ref()?.addresses;
            Some((host.name.clone(), addresses.iter().map(IpAddr::to_canonical).collect()))
        };
        Self { hosts: elsewhere.iter().filter_map(of).collect() }
    }

    /// Whose this one is.
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
