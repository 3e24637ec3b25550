//! The principal type is [`Clients`]: each client's part of the files for waiting bodies.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::room::Room;
use crate::limits::crowd::network;

/// Divisor of the disk bound for one client: half, which also bounds a single body.
const OF_CLIENT: u64 = 2;
/// Entries from which empty ones are purged, and again at twice the remaining number.
const MANY: usize = 256;

#[derive(Debug)]
pub(super) struct Clients {
    bound: u64,
    known: Mutex<Known>,
}

#[derive(Debug)]
struct Known {
    rooms: HashMap<IpAddr, Weak<Room>>,
    most: usize,
}

impl Clients {
    pub(super) fn new(all: u64) -> Self {
        Self { bound: all / OF_CLIENT, known: Mutex::new(Known { rooms: HashMap::new(), most: MANY }) }
    }

    pub(super) fn bound(&self) -> u64 {
        self.bound
    }

    /// Disk space of this client (an address, or an IPv6 /64), shared by its bodies.
    pub(super) fn room(&self, client: IpAddr) -> Arc<Room> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.rooms.len() >= known.most {
            known.rooms.retain(|_, room| room.strong_count() > 0);
            known.most = MANY.max(known.rooms.len() * 2);
        }
        let kept = known.rooms.entry(network(client)).or_default();
        match kept.upgrade() {
            Some(room) => room,
            None => {
                let room = Room::new(self.bound);
                *kept = Arc::downgrade(&room);
                room
            }
        }
    }
}
