//! The principal type is [`ClientHeld`]: how much is held for all connections of one client.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use super::bell::Bell;
use super::{Budget, ORDER};
use crate::limits::crowd::network;

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
    /// Of this client: one for all its connections.
    pub(super) fn of(budget: &Budget, address: IpAddr) -> Arc<Self> {
        let client = network(address);
        let mut clients = budget.clients();
        if let Some(held) = clients.get(&client).and_then(std::sync::Weak::upgrade) {
            return held;
        }
        let most = budget.client_limit() / 8 * 7;
        let held = Arc::new(Self { client, held: AtomicUsize::new(0), most, room: Bell::default() });
        clients.insert(client, Arc::downgrade(&held));
        held
    }

    pub(super) fn held(&self) -> usize {
        self.held.load(ORDER)
    }

    pub(super) fn take(&self, budget: &Budget, bytes: usize) {
        let before = self.held.fetch_add(bytes, ORDER);
        if before <= self.most && before + bytes > self.most {
            budget.client_is_short();
        }
    }

    pub(super) fn give(&self, budget: &Budget, bytes: usize) {
        let before = self.held.fetch_sub(bytes, ORDER);
        if before > self.most && before.saturating_sub(bytes) <= self.most {
            budget.client_is_short_no_more();
        }
        self.room.ring();
    }

    /// What is to be let go of: none, if it is not short.
    pub(super) fn too_much(&self) -> usize {
        let held = self.held();
        if held > self.most { held - self.most / 7 * 6 } else { 0 }
    }

    /// A connection does not use it any more: the last one takes it off the list.
    pub(super) fn leave(self: Arc<Self>, budget: &Budget) {
        let client = self.client;
        let mut clients = budget.clients();
        drop(self);
        if clients.get(&client).is_some_and(|held| held.strong_count() == 0) {
            clients.remove(&client);
        }
    }
}
