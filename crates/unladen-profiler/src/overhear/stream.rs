//! The principal type is [`Stream`]: what was sent over a connection, as far as it was seen.

use unladen_trace::wire::fastcgi::{BEGIN_REQUEST, HEADER, PARAMS, STDIN, begins_request, records};

use crate::params::Params;

/// What went over a connection in one direction, with holes: of each send only the beginning is seen.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// What was seen, one after the other; holes are as long as they are, and filled with zeros.
    bytes: Vec<u8>,
    /// Where holes begin and end.
    holes: Vec<(usize, usize)>,
}

/// A request of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// All of it was seen.
    Whole {
        /// Its parameters.
        params: Params,
        /// Its body.
        body: Vec<u8>,
    },
    /// Some of it was not.
    Cut {
        /// What.
        what: &'static str,
        /// Bytes that were seen of the send that is cut.
        kept: usize,
    },
}

// === impl Stream ===

impl Stream {
    /// Of a send of `sent` bytes these were seen.
    pub(super) fn push(&mut self, seen: &[u8], sent: usize) {
        let seen = seen.get(..sent).unwrap_or(seen);
        self.bytes.extend_from_slice(seen);
        if seen.len() < sent {
            // A length that is made up fills no memory.
            let hole = (sent - seen.len()).min(1 << 20);
            let begin = self.bytes.len();
            self.bytes.resize(begin + hole, 0);
            self.holes.push((begin, begin + hole));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn beginning(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether this was seen.
    pub(super) fn contains(&self, mark: &[u8]) -> bool {
        super::contains(&self.bytes, mark)
    }

    /// The FastCGI request among whose parameters the mark is.
    pub(super) fn request_with(&self, mark: &[u8]) -> Option<Taken> {
        let mut at = 0;
        while let Some(rest) = self.bytes.get(at..).filter(|rest| !rest.is_empty()) {
            if begins_request(rest) {
                let (taken, length) = self.request_at(at);
                let whole = self.bytes.get(at..at + length).unwrap_or_default();
                if super::contains(whole, mark) {
                    return Some(taken);
                }
                at += length.max(HEADER);
            } else {
                // A stream whose beginning was not seen, or a record of a request that is of no interest.
                at += records(rest).next().map_or(1, |record| record.size().max(1));
            }
        }
        None
    }

    /// The request that begins here, and how long it is.
    fn request_at(&self, begin: usize) -> (Taken, usize) {
        let (mut params, mut body) = (Vec::new(), Vec::new());
        let mut length = 0;
        let mut own = None;
        let mut what = "parameters";
        let mut is_whole = false;
        for record in records(self.bytes.get(begin..).unwrap_or_default()) {
            if record.kind == BEGIN_REQUEST && own.is_some() {
                break;
            }
            let own = *own.get_or_insert(record.request);
            let end = begin + length + HEADER + usize::from(record.length);
            if let Some(hole) = self.hole_before(begin, end) {
                return (Taken::Cut { what, kept: hole }, end - begin);
            }
            length += record.size();
            if !record.is_whole() {
                break;
            }
            match record.kind {
                _ if record.request != own => {}
                PARAMS if record.length == 0 => what = "body",
                PARAMS => params.extend_from_slice(record.content),
                STDIN if record.length == 0 => {
                    is_whole = true;
                    break;
                }
                STDIN => body.extend_from_slice(record.content),
                _ => {}
            }
        }
        let taken = match Params::decode(&params) {
            Some(params) if is_whole => Taken::Whole { params, body },
            _ => Taken::Cut { what, kept: length },
        };
        (taken, length)
    }

    /// How much was seen before the first hole of these bytes.
    fn hole_before(&self, begin: usize, end: usize) -> Option<usize> {
        let hole = self.holes.iter().find(|(from, to)| *from < end && *to > begin)?;
        Some(hole.0.saturating_sub(begin))
    }
}

#[cfg(test)]
mod tests;
