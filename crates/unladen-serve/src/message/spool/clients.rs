//! The principal type is [`Clients`]: what each client may take of the files that bodies wait in.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::room::Room;
use crate::limits::crowd::network;

/// What a client may take of all: half. It is as much as one body may be long.
const OF_CLIENT: u64 = 2;
/// Those that have nothing any more are looked for when there are so many, and again when there are twice as many as
/// are left.
const MANY: usize = 256;

/// What each client may take of the files.
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
    /// Of files that take so much together.
    pub(super) fn new(all: u64) -> Self {
        Self { bound: all / OF_CLIENT, known: Mutex::new(Known { rooms: HashMap::new(), most: MANY }) }
    }

    /// What each of them may take.
    pub(super) fn bound(&self) -> u64 {
        self.bound
    }

    /// What this client (an address; of IPv6 its /64) has of it, one for all its bodies.
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
