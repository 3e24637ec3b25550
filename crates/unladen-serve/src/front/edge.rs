//! Stands in until the edge is there.
use std::net::IpAddr;

use unladen_http1::Fields;

#[derive(Debug)]
pub(crate) struct Trust;

#[derive(Debug)]
pub(crate) struct Country;

pub(crate) const UNKNOWN: &str = "XX";

impl Trust {
    pub(crate) fn is_trusted(&self, _: IpAddr) -> bool {
        false
    }
    pub(crate) fn client(&self, _: &Fields, address: Option<IpAddr>) -> Option<IpAddr> {
        address
    }
    pub(crate) fn is_https(&self, _: &Fields) -> Option<bool> {
        None
    }
}

impl Country {
    pub(crate) fn lookup(&self, _: IpAddr) -> &str {
        UNKNOWN
    }
}
