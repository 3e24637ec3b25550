//! The principal type is [`Lane`]: what is on its way in one direction of a connection. It does no input or output;
//! times are ns of one clock.

use std::collections::VecDeque;

/// Bytes that came together.
#[derive(Debug)]
struct Piece {
    due: u64,
    bytes: Vec<u8>,
    /// So many of them have been forwarded.
    forwarded: usize,
}

/// What a piece takes besides its bytes.
const PIECE: usize = 64;

/// What is to be done now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Due<'a> {
    /// Forward these bytes, or as many as are taken: [`Lane::forwarded`].
    Bytes(&'a [u8]),
    /// The sender has ended: [`Lane::end_forwarded`].
    End,
    /// The sender has reset the connection. Nothing follows.
    Reset,
    /// Nothing before this time.
    Later(u64),
    /// Nothing.
    Nothing,
}

/// Where the sender's end is.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum End {
    NotYet,
    Due(u64),
    Forwarded,
}

#[derive(Debug)]
pub(crate) struct Lane {
    delay: u64,
    /// What is sent earlier counts as sent now.
    opens: u64,
    pieces: VecDeque<Piece>,
    held: usize,
    end: End,
    reset: Option<u64>,
}

impl Lane {
    pub(crate) fn new(delay: u64, opens: u64) -> Self {
        Self { delay, opens, pieces: VecDeque::new(), held: 0, end: End::NotYet, reset: None }
    }

    /// Memory of what is on its way.
    pub(crate) fn held(&self) -> usize {
        self.held
    }

    /// When what is sent now arrives.
    fn arrival(&self, now: u64) -> u64 {
        now.max(self.opens) + self.delay
    }

    /// Takes in bytes; how much more it holds.
    pub(crate) fn send(&mut self, now: u64, bytes: &[u8]) -> usize {
        let more = bytes.len() + PIECE;
        self.held += more;
        self.pieces.push_back(Piece { due: self.arrival(now), bytes: bytes.to_vec(), forwarded: 0 });
        more
    }

    pub(crate) fn end(&mut self, now: u64) {
        if self.end == End::NotYet {
            self.end = End::Due(self.arrival(now));
        }
    }

    /// The sender has reset the connection.
    pub(crate) fn reset(&mut self, now: u64) {
        let due = self.arrival(now);
        self.reset.get_or_insert(due);
    }

    /// Whether the sender can send no more.
    pub(crate) fn has_ended(&self) -> bool {
        self.end != End::NotYet || self.reset.is_some()
    }

    pub(crate) fn is_end_forwarded(&self) -> bool {
        self.end == End::Forwarded
    }

    pub(crate) fn due(&self, now: u64) -> Due<'_> {
        // Each is sent, and so due, after those before it.
        let (at, due) = match (self.pieces.front(), self.end, self.reset) {
            (Some(piece), _, _) => (piece.due, Due::Bytes(&piece.bytes[piece.forwarded..])),
            (None, End::Due(at), _) => (at, Due::End),
            (None, _, Some(at)) => (at, Due::Reset),
            (None, _, None) => return Due::Nothing,
        };
        if at <= now { due } else { Due::Later(at) }
    }

    /// Whether a reset is due that stands behind bytes which are not taken.
    pub(crate) fn overtakes(&self, now: u64) -> bool {
        self.reset.is_some_and(|at| at <= now)
    }

    /// When a reset is due, if there is one.
    pub(crate) fn reset_due(&self) -> Option<u64> {
        self.reset
    }

    /// The first bytes that were due have been taken; how much less it holds.
    pub(crate) fn forwarded(&mut self, bytes: usize) -> usize {
        let Some(piece) = self.pieces.front_mut() else { return 0 };
        piece.forwarded += bytes;
        if piece.forwarded < piece.bytes.len() {
            return 0;
        }
        let less = piece.bytes.len() + PIECE;
        self.pieces.pop_front();
        self.held -= less;
        less
    }

    pub(crate) fn end_forwarded(&mut self) {
        self.end = End::Forwarded;
    }

    /// Forgets what is on its way; how much less it holds.
    pub(crate) fn clear(&mut self) -> usize {
        self.pieces.clear();
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_arrive_in_their_order_when_they_are_due() {
        let mut lane = Lane::new(10, 0);
        assert_eq!(lane.due(0), Due::Nothing);
        lane.send(100, b"one");
        lane.send(105, b"two");
        assert_eq!((lane.due(109), lane.held()), (Due::Later(110), 6 + 2 * PIECE));
        assert_eq!(lane.due(110), Due::Bytes(b"one"));
        lane.forwarded(1);
        assert_eq!((lane.due(120), lane.held()), (Due::Bytes(b"ne"), 6 + 2 * PIECE));
        lane.forwarded(2);
        assert_eq!(lane.due(114), Due::Later(115));
        assert_eq!(lane.due(115), Due::Bytes(b"two"));
        lane.forwarded(3);
        assert_eq!((lane.due(1_000), lane.held()), (Due::Nothing, 0));
    }

    #[test]
    fn what_comes_before_the_connection_stands_leaves_when_it_does() {
        let mut lane = Lane::new(10, 120);
        lane.send(100, b"early");
        lane.send(119, b"too");
        lane.send(121, b"late");
        assert_eq!(lane.due(129), Due::Later(130));
        assert_eq!(lane.due(130), Due::Bytes(b"early"));
        lane.forwarded(5);
        assert_eq!(lane.due(130), Due::Bytes(b"too"));
        lane.forwarded(3);
        assert_eq!(lane.due(130), Due::Later(131));
    }

    #[test]
    fn an_end_comes_after_all_bytes() {
        let mut lane = Lane::new(10, 0);
        lane.send(100, b"last");
        lane.end(101);
        lane.end(150);
        assert!(lane.has_ended() && !lane.is_end_forwarded());
        assert_eq!(lane.due(111), Due::Bytes(b"last"));
        lane.forwarded(4);
        assert_eq!(lane.due(110), Due::Later(111));
        assert_eq!(lane.due(111), Due::End);
        lane.end_forwarded();
        assert_eq!(lane.due(999), Due::Nothing);
        assert!(lane.is_end_forwarded());
    }

    #[test]
    fn a_reset_comes_last_and_does_not_wait_for_bytes_that_are_not_taken() {
        let mut lane = Lane::new(10, 0);
        lane.send(100, b"sent before");
        lane.reset(103);
        assert_eq!(lane.due(109), Due::Later(110));
        assert_eq!(lane.due(113), Due::Bytes(b"sent before"));
        assert!(lane.overtakes(113) && !lane.overtakes(112));
        assert_eq!(lane.reset_due(), Some(113));
        assert_eq!((lane.clear(), lane.held()), (11 + PIECE, 0));
        assert_eq!((lane.due(112), lane.due(113)), (Due::Later(113), Due::Reset));
    }
}
