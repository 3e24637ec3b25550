//! The principal type is [`ClientHeld`]: how much is held for all connections of one client.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use super::bell::Bell;
use super::order::ORDER;

/// How much is held for all connections of one client.
#[derive(Debug)]
pub(super) struct ClientHeld {
    client: IpAddr,
    held: AtomicUsize,
    /// From so much on it is looked at who of its connections does not read.
    most: usize,
    /// Told when something of it is let go.
    pub(super) room: Bell,
}

impl ClientHeld {
    /// Nothing yet, of this client; `limit`: what all its connections may hold.
    pub(super) fn new(client: IpAddr, limit: usize) -> Arc<Self> {
        Arc::new(Self { client, held: AtomicUsize::new(0), most: limit / 8 * 7, room: Bell::default() })
    }

    /// Whose it is.
    pub(super) fn client(&self) -> IpAddr {
        self.client
    }

    pub(super) fn held(&self) -> usize {
        self.held.load(ORDER)
    }

    /// Holds so much more: whether it is near to its bound from now on.
    #[must_use]
    pub(super) fn take(&self, bytes: usize) -> bool {
        let before = self.held.fetch_add(bytes, ORDER);
        before <= self.most && before + bytes > self.most
    }

    /// Holds so much less: whether it is near to its bound no more.
    #[must_use]
    pub(super) fn give(&self, bytes: usize) -> bool {
        let before = self.held.fetch_sub(bytes, ORDER);
        before > self.most && before.saturating_sub(bytes) <= self.most
    }

    /// What is to be let go of: none, if it is not short.
    pub(super) fn too_much(&self) -> usize {
        let held = self.held();
        if held > self.most { held - self.most / 7 * 6 } else { 0 }
    }
}
