//! What `fuzz/` reaches of what tells endpoints: [`listed`], [`told`].

use super::found::{Found, MOST, is_zone};
use super::{list, xds};
use crate::endpoint::Address;

/// The addresses that a file lists, if it is taken.
///
/// # Panics
/// If what is taken cannot be used.
pub fn listed(bytes: &[u8]) -> Result<Vec<Address>, String> {
    list::parse(bytes).map(used).map_err(|error| list::why(&error))
}

/// The addresses that a message of a control plane has for the cluster or the assignment `a`; none: it is not among
/// them.
///
/// # Errors
/// Why the message is refused.
///
/// # Panics
/// If what is taken cannot be used.
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
