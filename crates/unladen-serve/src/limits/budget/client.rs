//! The principal type is [`ClientHeld`]: how much is held for all connections of one client.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use super::bell::Bell;
use super::order::ORDER;

#[derive(Debug)]
pub(super) struct ClientHeld {
    client: IpAddr,
    held: AtomicUsize,
    /// Bytes from which its connections are checked for not reading.
    most: usize,
    pub(super) room: Bell,
}

impl ClientHeld {
    /// `limit`: what all its connections may hold.
    pub(super) fn new(client: IpAddr, limit: usize) -> Arc<Self> {
        Arc::new(Self { client, held: AtomicUsize::new(0), most: limit / 8 * 7, room: Bell::default() })
    }

    pub(super) fn client(&self) -> IpAddr {
        self.client
    }

    pub(super) fn held(&self) -> usize {
        self.held.load(ORDER)
    }

    /// Adds; whether that takes it near its bound.
    #[must_use]
    pub(super) fn take(&self, bytes: usize) -> bool {
        let before = self.held.fetch_add(bytes, ORDER);
        before <= self.most && before + bytes > self.most
    }

    /// Subtracts; whether it is no longer near its bound.
    #[must_use]
    pub(super) fn give(&self, bytes: usize) -> bool {
        let before = self.held.fetch_sub(bytes, ORDER);
        before > self.most && before.saturating_sub(bytes) <= self.most
    }

    /// Bytes to release; 0 if it is not short.
    pub(super) fn too_much(&self) -> usize {
        let held = self.held();
        if held > self.most { held - self.most / 7 * 6 } else { 0 }
    }
}
