//! The principal type is [`Stream`]: what was seen of a connection; and [`marked`], those that bear a mark.

use std::collections::HashMap;
use std::ops::Range;

use unladen_trace::{Event, Object, Peer, Way, What};

use crate::route::Address;

/// Connections searched for the mark; our request is not beyond these.
const MOST_STREAMS: usize = 100_000;
/// Bytes kept of a connection.
const MOST_OF_A_STREAM: usize = 16 << 20;

/// One direction of a connection, with holes: of each send only the beginning is seen.
#[derive(Debug, Default)]
pub struct Stream {
    /// The observed bytes, with holes of their length, filled with zeros.
    bytes: Vec<u8>,
    holes: Vec<Range<usize>>,
}

/// A connection over which the mark went.
#[derive(Debug)]
pub struct Marked {
    pub pid: u32,
    /// The socket as in its events.
    pub socket: u64,
    pub peer: Peer,
    pub stream: Stream,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Sender {
    pid: u32,
    socket: u64,
}

impl Stream {
    /// Adds a send of `sent` bytes, of which `seen` was observed.
    pub fn push(&mut self, seen: &[u8], sent: usize) {
        let seen = seen.get(..sent).unwrap_or(seen);
        self.bytes.extend_from_slice(seen);
        if seen.len() < sent {
            // Bounded, so that a false length cannot fill the memory.
            let hole = (sent - seen.len()).min(1 << 20);
            let begin = self.bytes.len();
            self.bytes.resize(begin + hole, 0);
            self.holes.push(begin..begin + hole);
        }
    }

    /// The observed bytes, with zeros in holes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Start of the first hole in these bytes.
    pub fn hole_in(&self, bytes: Range<usize>) -> Option<usize> {
        let hole = self.holes.iter().find(|hole| hole.start < bytes.end && hole.end > bytes.start)?;
        Some(hole.start)
    }

    /// Whether it contains the mark.
    pub fn contains(&self, mark: &[u8]) -> bool {
        contains(&self.bytes, mark)
    }
}

impl Marked {
    /// Where it went.
    pub fn address(&self) -> Option<Address> {
        Address::of(&self.peer)
    }
}

/// The connections over which the mark was sent, in the order of first use.
pub fn marked(events: &[Event], mark: &[u8]) -> Vec<Marked> {
    let mut order = Vec::new();
    let mut streams: HashMap<Sender, Marked> = HashMap::new();
    for event in events {
        let What::Transfer { way: Way::Out, object: Object::Socket(socket), result, payload, .. } = &event.what else {
            continue;
        };
        let (Ok(sent), false) = (usize::try_from(*result), socket.datagram) else { continue };
        let sender = Sender { pid: event.pid, socket: socket.id };
        if !streams.contains_key(&sender) {
            if streams.len() >= MOST_STREAMS {
                continue;
            }
            order.push(sender);
        }
        let entry = streams.entry(sender).or_insert_with(|| Marked {
            pid: event.pid,
            socket: socket.id,
            peer: socket.peer.clone(),
            stream: Stream::default(),
        });
        if entry.stream.bytes.len() < MOST_OF_A_STREAM {
            entry.stream.push(payload, sent);
        }
    }
    let marked = |sender| streams.remove(sender).filter(|seen| seen.stream.contains(mark));
    order.iter().filter_map(marked).collect()
}

/// Whether `bytes` contain `part`.
pub fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len().max(1)).any(|window| window == part)
}
