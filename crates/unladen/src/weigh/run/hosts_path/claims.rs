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

// === impl Claims ===

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
mod tests {
    use super::*;

    /// What several hosts had led nowhere, and nobody was told.
    #[test]
    fn an_address_that_several_hosts_claim_is_told_with_their_names() {
        let host = |name: &str, ips: &[&str]| (name.to_owned(), ips.iter().map(|ip| ip.parse().unwrap()).collect());
        let claims = Claims { hosts: vec![host("db", &["10.0.0.2", "172.17.0.1"]), host("evil", &["172.17.0.1"])] };
        let whose = |ip: &str| claims.host_at(ip.parse().unwrap());
        assert_eq!(whose("::ffff:10.0.0.2"), Claim::Of("db".into()));
        assert_eq!(whose("172.17.0.1"), Claim::Several(vec!["db".into(), "evil".into()]));
        assert_eq!(whose("10.0.0.9"), Claim::Nobody);
    }
}
