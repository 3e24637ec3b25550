//! The principal function is [`capture_request`].

use unladen_fastcgi::Params;
use unladen_load::{Cancel, DriverConfig};
use unladen_path::{Address, Marked, PathError, Stream, Trail, contains, marked, name_of};
use unladen_trace::Peer;
use unladen_trace::wire::fastcgi::{self, BEGIN_REQUEST, HEADER, PARAMS, STDIN, begins_request, records};
use unladen_trace::wire::http;

use crate::application::Application;
use crate::profiler::ProfilerError;

/// Requests sent until one was seen whole: events can be lost on a busy machine.
const TRIES: usize = 3;
const MOST_HOPS: usize = 8;

/// What a web server hands to an application for a request.
#[derive(Debug, Clone)]
pub struct Captured {
    /// Without our mark.
    pub params: Params,
    pub body: Vec<u8>,
    pub address: Address,
    pub application: Application,
    /// As the web server answered us.
    pub status: u16,
}

/// Sends the first request of `driver` with a mark, a header of random name and value, and looks for it in what the
/// servers that take the request or are handed it send to sockets: the FastCGI request with the mark is the one that
/// the web server made of ours. Fails if the request fails, the kernel refuses tracing, or no FastCGI request has the
/// mark.
pub fn capture_request(driver: &DriverConfig, cancel: &Cancel) -> Result<Captured, ProfilerError> {
    let mut trail = Trail::open(driver, 0).map_err(|error| match error {
        PathError::Remote { url } => {
            ProfilerError::NotFound(format!("{url} is not served by this machine: profile where the application runs"))
        }
        error => error.into(),
    })?;
    let (mut lost, mut tries, mut hops) = (0, 0, 0);
    while tries < TRIES {
        let seen = trail.send(cancel)?;
        let found = marked(&seen.events, trail.mark());
        match choose(&found, trail.mark()) {
            Some(Ok((by, params, body))) => {
                let (address, application) = whose(by)?;
                return Ok(Captured { params, body, address, application, status: seen.sample.status.as_u16() });
            }
            Some(Err(why)) => return Err(ProfilerError::NotFound(why)),
            None if seen.lost > 0 => (lost, tries) = (seen.lost, tries + 1),
            None if hops < MOST_HOPS && trail.widen(found.iter().filter_map(Marked::address))? => hops += 1,
            None => return Err(ProfilerError::NotFound(explain(&trail, &found))),
        }
    }
    Err(ProfilerError::NotFound(format!(
        "the machine is too busy: {lost} events were lost while the request was followed, {TRIES} times: try again \
         when it is quieter"
    )))
}

type Chosen<'a> = Result<(&'a Marked, Params, Vec<u8>), String>;

fn choose<'a>(found: &'a [Marked], mark: &[u8]) -> Option<Chosen<'a>> {
    found.iter().find_map(|seen| match request_with(&seen.stream, mark)? {
        Taken::Whole { mut params, body } => {
            params.0.retain(|(_, value)| !contains(value, mark));
            Some(Ok((seen, params, body)))
        }
        Taken::Cut { what, kept } => Some(Err(format!(
            "{} passes the request to FastCGI, but its {what} cannot be seen completely: the kernel's part keeps the \
             first {kept} bytes of each write. Send a request with fewer or shorter headers and cookies, or a shorter \
             body",
            name_of(seen.pid)
        ))),
    })
}

fn whose(seen: &Marked) -> Result<(Address, Application), ProfilerError> {
    let Some(address) = seen.address() else {
        return Err(ProfilerError::NotFound(format!(
            "{} passes the request to FastCGI over an unnamed socket: start the application so that it listens at a \
             path or a port",
            name_of(seen.pid)
        )));
    };
    let application = Application::that_listens_at(&address)?;
    Ok((application.reached(&address, seen.pid), application))
}

fn explain(trail: &Trail, found: &[Marked]) -> String {
    let mut text = format!("{} is answered, but no FastCGI request was seen to result from it", trail.url());
    for seen in found {
        let to = match &seen.peer {
            Peer::Ip(address) => address.to_string(),
            Peer::Unix(path) => String::from_utf8_lossy(path).into_owned(),
            Peer::Unknown => "a socket".to_owned(),
        };
        let kind = protocol(&seen.stream);
        text.push_str(&format!("; {} passes it on to {to} with {kind}", name_of(seen.pid)));
    }
    let listener = trail.target().find_map(|address| Application::that_listens_at(&address).ok());
    match (found.is_empty(), listener) {
        (true, Some(listener)) => {
            text.push_str(&format!("; {} answers itself, or over another connection", name_of(listener.pid)));
        }
        (true, None) => text.push_str("; no process passes it on"),
        (false, _) => {}
    }
    text.push_str(advice(!found.is_empty()));
    text
}

/// What to do: a request that is handed on reaches an application, but not over FastCGI.
fn advice(is_handed_on: bool) -> &'static str {
    match is_handed_on {
        true => {
            ". Unladen cannot run a profiler in an application behind these: profile its processes with the kernel's \
             clock (--profiler perf), a PHP with --prepended; or record it with a profiler of its language (py-spy, \
             rbspy), whose file `unladen profile import` reads"
        }
        false => {
            ". A page from a cache, or one that the web server makes itself (mod_php, php -S), goes to no \
             application: profile such a PHP with --prepended, or the processes with the kernel's clock (--profiler \
             perf)"
        }
    }
}

fn protocol(stream: &Stream) -> &'static str {
    let begins = stream.bytes();
    if fastcgi::begins_request(begins) {
        "FastCGI"
    } else if http::request(begins).is_some() {
        "HTTP"
    } else if is_scgi(begins) {
        "SCGI, which is not supported yet"
    } else if is_uwsgi(begins) {
        "uwsgi, which is not supported yet"
    } else {
        "an unknown protocol"
    }
}

/// A netstring whose first name is `CONTENT_LENGTH`.
fn is_scgi(bytes: &[u8]) -> bool {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && bytes.get(digits..).is_some_and(|rest| rest.starts_with(b":CONTENT_LENGTH\0"))
}

/// Modifier 0, the size of all variables, modifier 0 or 5 or 30…, and the length of the first name.
fn is_uwsgi(bytes: &[u8]) -> bool {
    let [_, low, high, _, name_low, name_high, first, ..] = bytes else { return false };
    let (size, name) = (u16::from_le_bytes([*low, *high]), u16::from_le_bytes([*name_low, *name_high]));
    name > 0 && name < size && first.is_ascii_uppercase()
}

#[derive(Debug, PartialEq, Eq)]
enum Taken {
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

/// The FastCGI request of a connection that has a mark.
fn request_with(stream: &Stream, mark: &[u8]) -> Option<Taken> {
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
