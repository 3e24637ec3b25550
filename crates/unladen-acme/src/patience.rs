//! Timeouts for an authority.

use std::time::Duration;

/// For each step of an order in which the authority works: it looks from several places, and may retry.
pub(crate) const ORDER: Duration = Duration::from_secs(120);
/// For connecting to one address: where IPv6 leads nowhere, there is time for IPv4.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);
/// For one request, including the connection.
pub(crate) const REQUEST: Duration = Duration::from_secs(30);
