//! The principal function is [`overhear`].

mod stream;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use unladen_load::{Cancel, Driver, DriverConfig, Header, Target};
use unladen_probe::{Tracer, TracerConfig, Watched};
use unladen_trace::wire::{fastcgi, http};
use unladen_trace::{Event, Object, Peer, Way, What};

use self::stream::{Stream, Taken};
use crate::application::{Application, Listener};
use crate::error::ProfilerError;
use crate::params::{Address, Params};

/// Requests that are sent until one was seen whole: events can be lost where much else goes on.
const TRIES: usize = 3;
/// Servers that hand a request to one another, at most.
const MOST_HOPS: usize = 8;
/// Connections that are looked through for the mark; what is beyond is not our request.
const MOST_STREAMS: usize = 100_000;
/// Bytes that are kept of a connection.
const MOST_OF_A_STREAM: usize = 16 << 20;

/// What a web server hands to an application for a request.
#[derive(Debug, Clone)]
pub struct Overheard {
    /// The parameters, without our mark.
    pub params: Params,
    /// The body that went with it.
    pub body: Vec<u8>,
    /// Where to.
    pub address: Address,
    /// Who takes it there.
    pub application: Application,
    /// The status of the answer, as the web server gave it to us.
    pub status: u16,
}

/// A connection, as one of its ends writes to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Sender {
    pid: u32,
    socket: u64,
}

/// A connection over which the mark went.
struct Marked {
    pid: u32,
    peer: Peer,
    stream: Stream,
}

/// Sends the first request of `driver` with a mark, a header of random name and value, and looks for it in what those send to sockets who
/// take the request, and those to whom they hand it on: the FastCGI request that bears it is the one that the web server made of ours.
///
/// # Errors
/// When the request fails, the kernel lets nobody look, or no FastCGI request bears the mark.
pub fn overhear(driver: &DriverConfig, cancel: &Cancel) -> Result<Overheard, ProfilerError> {
    let Some(request) = driver.requests.first() else {
        return Err(ProfilerError::NotFound("there is no request to follow".to_owned()));
    };
    let value: String = std::iter::repeat_with(fastrand::alphanumeric).take(32).collect();
    let name: String = std::iter::repeat_with(fastrand::lowercase).take(12).collect();
    let header: Header = format!("X-Unladen-{name}: {value}")
        .parse()
        .map_err(|error| ProfilerError::NotFound(format!("no header can be made: {error}")))?;
    let marked = DriverConfig {
        requests: vec![request.clone().with_header_first(&header)],
        concurrency: 1,
        rate: None,
        ..driver.clone()
    };
    let mut driver = Driver::start(marked)?;
    let target = driver.target(0).cloned();
    if target.as_ref().is_some_and(|target| !target.is_local()) {
        return Err(ProfilerError::NotFound(format!(
            "{} is not served by this machine: profile where the application runs",
            request.url()
        )));
    }
    let mut tracer = Tracer::open(&TracerConfig::default())?;
    // Those who take the connection, then those to whom they hand it on, and so forth: to look at all processes would be to look at
    // whatever else a busy machine does.
    let mut watched = Watch::default();
    watched.add(target.iter().flat_map(addresses))?;
    let (mut lost, mut tries, mut hops) = (0, 0, 0);
    while tries < TRIES {
        tracer.watch(&watched.all)?;
        tracer.take()?;
        let sample = driver.sample(0, cancel)?;
        let batch = tracer.take()?;
        let found = marked_streams(&batch.events, value.as_bytes());
        match choose(&found, value.as_bytes()) {
            Some(Ok((seen, params, body))) => {
                let (address, application) = whose(seen)?;
                return Ok(Overheard { params, body, address, application, status: sample.status.as_u16() });
            }
            Some(Err(why)) => return Err(ProfilerError::NotFound(why)),
            None if batch.lost > 0 => (lost, tries) = (batch.lost, tries + 1),
            None if hops < MOST_HOPS && watched.add(found.iter().filter_map(Marked::address))? => hops += 1,
            None => return Err(ProfilerError::NotFound(explain(request.url().as_str(), target.as_ref(), &found))),
        }
    }
    Err(ProfilerError::NotFound(format!(
        "so much goes on here that {lost} events were lost while the request was followed, {TRIES} times: try when it is quieter"
    )))
}

/// Processes to look at.
#[derive(Default)]
struct Watch {
    all: Vec<Watched>,
}

impl Watch {
    /// Those who listen at these addresses; whether there is one that was not there before.
    fn add(&mut self, addresses: impl Iterator<Item = Address>) -> Result<bool, ProfilerError> {
        let before = self.all.len();
        for address in addresses {
            for pid in Listener::all(&address)? {
                if pid != std::process::id() && self.all.iter().all(|known| known.pid != pid) {
                    self.all.push(Watched { pid, group: 0, own: true });
                }
            }
        }
        Ok(self.all.len() > before)
    }
}

// === impl Marked ===

impl Marked {
    /// Where it went.
    fn address(&self) -> Option<Address> {
        match &self.peer {
            Peer::Ip(address) => Some(Address::Tcp(*address)),
            Peer::Unix(path) if !path.is_empty() => Some(Address::Unix(PathBuf::from(OsStr::from_bytes(path)))),
            _ => None,
        }
    }
}

/// Where the requests go.
fn addresses(target: &Target) -> impl Iterator<Item = Address> {
    let unix = target.unix_path().map(|path| Address::Unix(path.to_owned()));
    unix.into_iter().chain(target.addresses().iter().map(|address| Address::Tcp(*address)))
}

/// The connections over which the mark was sent, in the order in which they were first used.
fn marked_streams(events: &[Event], mark: &[u8]) -> Vec<Marked> {
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
            peer: socket.peer.clone(),
            stream: Stream::default(),
        });
        if entry.stream.len() < MOST_OF_A_STREAM {
            entry.stream.push(payload, sent);
        }
    }
    let marked = |sender| streams.remove(sender).filter(|seen| seen.stream.contains(mark));
    order.iter().filter_map(marked).collect()
}

/// The FastCGI request that bears the mark, if there is one, and what can be had of it.
type Chosen<'a> = Result<(&'a Marked, Params, Vec<u8>), String>;

fn choose<'a>(found: &'a [Marked], mark: &[u8]) -> Option<Chosen<'a>> {
    found.iter().find_map(|seen| match seen.stream.request_with(mark)? {
        Taken::Whole { mut params, body } => {
            params.0.retain(|(_, value)| !contains(value, mark));
            Some(Ok((seen, params, body)))
        }
        Taken::Cut { what, kept } => Some(Err(format!(
            "{} hands the request to FastCGI, but its {what} cannot be seen whole: the kernel's part keeps the first {kept} bytes of \
             what is sent at once. Send a request with fewer or shorter headers and cookies, or a shorter body",
            process(seen.pid)
        ))),
    })
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len().max(1)).any(|window| window == part)
}

/// Where the request went, and to whom.
fn whose(seen: &Marked) -> Result<(Address, Application), ProfilerError> {
    let Some(address) = seen.address() else {
        return Err(ProfilerError::NotFound(format!(
            "{} hands the request to FastCGI over a socket without a name: start the application so that it listens at a path or a \
             port",
            process(seen.pid)
        )));
    };
    let listener = Listener::find(&address)?;
    Ok((listener.reached(&address, seen.pid), listener.application))
}

/// What was seen instead, and what can be done.
fn explain(url: &str, target: Option<&Target>, found: &[Marked]) -> String {
    let mut text = format!("{url} is answered, but no FastCGI request was seen to follow from it");
    for seen in found {
        let to = match &seen.peer {
            Peer::Ip(address) => address.to_string(),
            Peer::Unix(path) => String::from_utf8_lossy(path).into_owned(),
            Peer::Unknown => "a socket".to_owned(),
        };
        let kind = seen.stream.protocol();
        text.push_str(&format!("; {} hands it on to {to} by {kind}", process(seen.pid)));
    }
    let listener = target.and_then(|target| addresses(target).find_map(|address| Listener::find(&address).ok()));
    match (found.is_empty(), listener) {
        (true, Some(listener)) => {
            text.push_str(&format!(
                "; {} answers itself, or over a connection of its own",
                process(listener.application.pid)
            ));
        }
        (true, None) => text.push_str("; nobody hands it on"),
        (false, _) => {}
    }
    text.push_str(
        ". A page from a cache, or one that the web server makes itself (mod_php, php -S), goes to no application: profile such a PHP \
         with --prepended, or the processes by the kernel's clock (--profiler perf)",
    );
    text
}

/// A process, as people know it.
pub(crate) fn process(pid: u32) -> String {
    let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    match name.trim() {
        "" => format!("process {pid}"),
        name => format!("{name} (process {pid})"),
    }
}

// === impl Stream ===

impl Stream {
    /// What is spoken, for people.
    fn protocol(&self) -> &'static str {
        let begins = self.beginning();
        if fastcgi::begins_request(begins) {
            "FastCGI"
        } else if http::request(begins).is_some() {
            "HTTP"
        } else if is_scgi(begins) {
            "SCGI, which is not followed yet"
        } else if is_uwsgi(begins) {
            "uwsgi, which is not followed yet"
        } else {
            "a protocol that is not known"
        }
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

#[cfg(test)]
mod tests;
