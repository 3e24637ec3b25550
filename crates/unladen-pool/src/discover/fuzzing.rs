//! Parsers of endpoint sources for `fuzz/`: [`listed`], [`told`].

use super::found::{Found, MOST, is_zone};
use super::{list, xds};
use crate::endpoint::Address;

/// Addresses of an endpoint file, if it is accepted.
///
/// # Panics
/// If the accepted content cannot be used.
pub fn listed(bytes: &[u8]) -> Result<Vec<Address>, String> {
    list::parse(bytes).map(used).map_err(|error| list::why(&error))
}

/// Addresses that a control plane's message has for the cluster or the assignment `a`; `None` if it is not included.
///
/// # Errors
/// Why the message is rejected.
///
/// # Panics
/// If the accepted content cannot be used.
pub fn told(message: &[u8]) -> Result<Option<Vec<Address>>, String> {
    Ok(xds::fuzzing(message, "a")?.map(used))
}

fn used(found: Vec<Found>) -> Vec<Address> {
    assert!(found.len() <= MOST);
    let addresses = found.into_iter().map(|one| {
        assert!(one.weight > 0 && one.priority < 128 && one.zone.as_deref().is_none_or(is_zone));
        one.address
    });
    addresses.collect()
}
