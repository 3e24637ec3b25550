//! Which addresses of a name make one endpoint: [`pair`].

use std::net::SocketAddr;

/// Pairs the n-th IPv6 with the n-th IPv4 address, IPv6 first (RFC 8305, section 4); the rest stay alone.
///
/// A name with both families mostly has the same hosts in both, and if one family does not work, each endpoint needs
/// the other. Earlier pairs stay together while both addresses exist, so that one address more or less does not move
/// all others.
pub(crate) fn pair(addresses: &[SocketAddr], before: &[Vec<SocketAddr>]) -> Vec<Vec<SocketAddr>> {
    let mut pairs: Vec<_> = before
        .iter()
        .filter(|pair| pair.len() == 2 && pair.iter().all(|address| addresses.contains(address)))
        .cloned()
        .collect();
    let (mut v6, mut v4): (Vec<_>, Vec<_>) = addresses
        .iter()
        .copied()
        .filter(|address| !pairs.iter().any(|pair| pair.contains(address)))
        .partition(SocketAddr::is_ipv6);
    for family in [&mut v6, &mut v4] {
        family.sort_unstable();
        family.dedup();
    }
    let paired = v6.len().min(v4.len());
    pairs.extend(v6.iter().zip(&v4).map(|(v6, v4)| vec![*v6, *v4]));
    pairs.extend(v6.iter().skip(paired).chain(v4.iter().skip(paired)).map(|alone| vec![*alone]));
    pairs.sort_unstable();
    pairs
}

#[cfg(test)]
mod tests;
