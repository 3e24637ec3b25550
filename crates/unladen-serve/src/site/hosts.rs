//! The principal type is [`Hosts`]: which site at an address answers for a name.

use std::collections::HashMap;

use unladen_serve_config::{HostName, SiteSettings};

/// Longest DNS name, with a dot at its end (RFC 1035, section 2.3.4).
const LONGEST: usize = 254;

#[derive(Debug)]
pub(crate) struct Hosts<T> {
    exact: HashMap<Box<[u8]>, T>,
    /// By what follows `*.`.
    below: HashMap<Box<[u8]>, T>,
    /// For all other names.
    rest: Option<T>,
}

/// Normalised name: without port and final dot, in lower case.
#[derive(Debug)]
pub(crate) struct Name {
    bytes: [u8; LONGEST],
    length: usize,
}

impl<T: Clone> Hosts<T> {
    pub(crate) fn new<'s>(sites: impl IntoIterator<Item = (&'s SiteSettings, T)>) -> Self {
        let mut hosts = Self { exact: HashMap::new(), below: HashMap::new(), rest: None };
        for (settings, site) in sites {
            for host in &settings.hosts {
                let (map, name) = match host {
                    HostName::Exact(name) => (&mut hosts.exact, name),
                    HostName::Below(name) => (&mut hosts.below, name),
                };
                map.entry(name.as_bytes().into()).or_insert_with(|| site.clone());
            }
            if settings.takes_all_names() {
                hosts.rest.get_or_insert(site);
            }
        }
        hosts
    }

    pub(crate) fn find(&self, authority: &[u8]) -> Option<&T> {
        let Some(name) = Name::of(authority) else { return self.rest.as_ref() };
        self.named(name.bytes()).or(self.rest.as_ref())
    }

    /// The site with this exact name, or with the longest wildcard for it.
    pub(crate) fn named(&self, name: &[u8]) -> Option<&T> {
        if let Some(site) = self.exact.get(name) {
            return Some(site);
        }
        if self.below.is_empty() {
            return None;
        }
        let dots = name.iter().enumerate().filter(|(at, byte)| **byte == b'.' && *at > 0);
        dots.map(|(at, _)| name.get(at + 1..).unwrap_or_default()).find_map(|parent| self.below.get(parent))
    }
}

impl Name {
    /// `None` if empty or too long.
    pub(crate) fn of(authority: &[u8]) -> Option<Self> {
        let host = without_port(authority);
        let host = host.strip_suffix(b".").unwrap_or(host);
        let mut name = Self { bytes: [0; LONGEST], length: host.len() };
        let to = name.bytes.get_mut(..host.len()).filter(|to| !to.is_empty())?;
        to.copy_from_slice(host);
        to.make_ascii_lowercase();
        Some(name)
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// An IPv6 address has its colons in brackets.
pub(crate) fn without_port(authority: &[u8]) -> &[u8] {
    match authority.iter().rposition(|byte| *byte == b':') {
        Some(colon) if !authority[colon..].contains(&b']') => &authority[..colon],
        _ => authority,
    }
}

#[cfg(test)]
mod tests;
