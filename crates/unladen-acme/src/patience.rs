//! How long an authority is waited for.

use std::time::Duration;

/// For each step of an order that the authority works at: it looks from several places, and may retry.
pub(crate) const ORDER: Duration = Duration::from_secs(120);
/// For a connection to one of its addresses: where IPv6 leads nowhere, there is time for IPv4.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);
/// For one request, connection included.
pub(crate) const REQUEST: Duration = Duration::from_secs(30);
