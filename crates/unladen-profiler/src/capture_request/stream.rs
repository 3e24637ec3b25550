//! The principal function is [`request_with`]: the FastCGI request of a connection that has a mark.

use unladen_fastcgi::Params;
use unladen_path::Stream;
use unladen_trace::wire::fastcgi::{BEGIN_REQUEST, HEADER, PARAMS, STDIN, begins_request, records};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    Whole {
        params: Params,
        body: Vec<u8>,
    },
    Cut {
        what: &'static str,
        /// Bytes seen of the truncated send.
        kept: usize,
    },
}

pub(super) fn request_with(stream: &Stream, mark: &[u8]) -> Option<Taken> {
    let mut at = 0;
    while let Some(rest) = stream.bytes().get(at..).filter(|rest| !rest.is_empty()) {
        if begins_request(rest) {
            let (taken, length) = request_at(stream, at);
            let whole = stream.bytes().get(at..at + length).unwrap_or_default();
            if unladen_path::contains(whole, mark) {
                return Some(taken);
            }
            at += length.max(HEADER);
        } else {
            // A stream whose beginning was not seen, or a record of another request.
            at += records(rest).next().map_or(1, |record| record.size().max(1));
        }
    }
    None
}

fn request_at(stream: &Stream, begin: usize) -> (Taken, usize) {
    let (mut params, mut body) = (Vec::new(), Vec::new());
    let mut length = 0;
    let mut own = None;
    let mut what = "parameters";
    let mut is_whole = false;
    for record in records(stream.bytes().get(begin..).unwrap_or_default()) {
        if record.kind == BEGIN_REQUEST && own.is_some() {
            break;
        }
        let own = *own.get_or_insert(record.request);
        let end = begin + length + HEADER + usize::from(record.length);
        if let Some(hole) = hole_before(stream, begin, end) {
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

/// Bytes seen before the first hole.
fn hole_before(stream: &Stream, begin: usize, end: usize) -> Option<usize> {
    Some(stream.hole_in(begin..end)?.saturating_sub(begin))
}

#[cfg(test)]
mod tests;
