//! The principal type is [`Victim`]: the server that a disturbance is for.

use std::net::SocketAddr;

use super::burn::Burn;

/// Its processes, which a quota limits, and where other clients ask it.
#[derive(Debug, Clone)]
pub(super) struct Victim {
    pub(super) pids: Vec<u32>,
    pub(super) address: SocketAddr,
}

impl From<&Burn> for Victim {
    fn from(burn: &Burn) -> Self {
        Self { pids: vec![burn.pid()], address: burn.address() }
    }
}
