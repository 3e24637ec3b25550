//! A client of FastCGI. The principal function is [`request`]: sends one request to an application, as a web server
//! would.
//!
//! Source: FastCGI Specification, version 1.0. The application is told to close the connection, as most web servers do.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use socket2::{Domain, SockAddr, Socket, Type};
use unladen_fastcgi::{
    Decoder, Fault, ParamTooLong, Params, RequestWriter, STDIN, Stderr, Unwrapped, end_of_stdin, parse_head,
    write_record,
};
use unladen_http1::HeadLimits;
use unladen_load::Cancel;
use unladen_path::Address;

use crate::profiler::ProfilerError;

/// The only request of a connection.
const REQUEST: u16 = 1;
/// Body bytes in each of our records.
const MOST_CONTENT: usize = 32 << 10;
/// Delay until a cancelled request ends.
const LOOK: Duration = Duration::from_millis(50);

/// Time for an attempt to connect over TCP: the second packet goes after a second.
const FIRST_PACKET: Duration = Duration::from_millis(2500);

#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// From connecting to the end of the answer.
    pub(crate) timeout: Duration,
    /// Bytes kept of the body; its length is counted beyond.
    pub(crate) keep: usize,
}

#[derive(Debug)]
pub(crate) struct Timed {
    pub(crate) response: Response,
    /// From connecting to the end of the answer.
    pub(crate) took: Duration,
}

/// Sends a request and reads the answer. Fails if nobody listens, or the answer is not FastCGI or late; with
/// [`ProfilerError::Cancelled`] when cancelled.
pub(crate) fn request(
    address: &Address,
    params: &Params,
    body: &[u8],
    limits: Limits,
    cancel: &Cancel,
) -> Result<Timed, ProfilerError> {
    let begun = Instant::now();
    let failed = |why: String| ProfilerError::Answer(format!("the application at {address} {why}"));
    let waiting = Waiting { deadline: begun.checked_add(limits.timeout), timeout: limits.timeout, cancel };
    let mut socket =
        connect(address, &waiting).map_err(|end| end.into_error(&failed, "does not accept connections"))?;
    let message = encode(params, body).map_err(|error| ProfilerError::Answer(error.to_string()))?;
    let mut reader = ResponseReader::new(REQUEST, limits.keep);
    let talked = talk(&mut socket, &message, &mut reader, &waiting);
    let took = begun.elapsed();
    talked.map_err(|end| end.into_error(&failed, &reader.so_far()))?;
    let response = reader.finish().map_err(failed)?;
    Ok(Timed { response, took })
}

pub(crate) fn encode(params: &Params, body: &[u8]) -> Result<Vec<u8>, ParamTooLong> {
    let mut bytes = Vec::with_capacity(body.len() + 4096);
    let mut writer = RequestWriter::begin(&mut bytes, REQUEST, false);
    for (name, value) in &params.0 {
        writer.param(name, value)?;
    }
    writer.end();
    for chunk in body.chunks(MOST_CONTENT) {
        write_record(&mut bytes, STDIN, REQUEST, chunk);
    }
    end_of_stdin(&mut bytes, REQUEST);
    Ok(bytes)
}

enum End {
    Cancelled,
    Late(Duration),
    Io(io::Error),
    Told(String),
}

impl End {
    fn into_error(self, failed: &impl Fn(String) -> ProfilerError, so_far: &str) -> ProfilerError {
        match self {
            Self::Cancelled => ProfilerError::Cancelled,
            Self::Late(timeout) => failed(format!("has not answered within {timeout:?}: {so_far}")),
            Self::Io(error) => failed(format!("{so_far}: {error}")),
            Self::Told(why) => failed(why),
        }
    }
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

struct Waiting<'a> {
    /// `None` if it is beyond the range of time.
    deadline: Option<Instant>,
    timeout: Duration,
    cancel: &'a Cancel,
}

impl Waiting<'_> {
    fn look(&self) -> Result<Duration, End> {
        if self.cancel.is_cancelled() {
            return Err(End::Cancelled);
        }
        let Some(deadline) = self.deadline else { return Ok(LOOK) };
        match deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero()) {
            Some(left) => Ok(left.clamp(Duration::from_millis(1), LOOK)),
            None => Err(End::Late(self.timeout)),
        }
    }
}

fn connect(address: &Address, waiting: &Waiting<'_>) -> Result<Socket, End> {
    let (domain, address) = match address {
        Address::Tcp(address) => (Domain::for_address(*address), SockAddr::from(*address)),
        Address::Unix(path) => (Domain::UNIX, SockAddr::unix(with_abstract(path))?),
    };
    loop {
        let left = waiting.look()?;
        let socket = Socket::new(domain, Type::STREAM, None)?;
        // Connecting to a Unix socket whose queue is full blocks for the send timeout; over TCP each attempt begins
        // anew.
        socket.set_write_timeout(Some(if domain == Domain::UNIX { left } else { FIRST_PACKET }))?;
        match socket.connect(&address) {
            Ok(()) => {
                socket.set_nonblocking(true)?;
                return Ok(socket);
            }
            Err(error)
                if matches!(
                    error.raw_os_error(),
                    Some(nix::libc::EAGAIN | nix::libc::EINTR | nix::libc::EINPROGRESS)
                ) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// An abstract name begins with a zero.
fn with_abstract(path: &Path) -> std::path::PathBuf {
    match path.as_os_str().as_bytes().strip_prefix(b"@") {
        Some(name) => Path::new(std::ffi::OsStr::from_bytes(&[b"\0", name].concat())).to_owned(),
        None => path.to_owned(),
    }
}

/// Sends and receives at once: an application may answer before it has read a long body.
fn talk(socket: &mut Socket, mut unsent: &[u8], reader: &mut ResponseReader, waiting: &Waiting<'_>) -> Result<(), End> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let left = waiting.look()?;
        let mut flags = PollFlags::POLLIN;
        if !unsent.is_empty() {
            flags |= PollFlags::POLLOUT;
        }
        let mut polled = [PollFd::new(socket.as_fd(), flags)];
        let timeout = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        match poll(&mut polled, timeout) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {}
            Err(errno) => return Err(End::Io(errno.into())),
        }
        let ready = polled[0].revents().unwrap_or(PollFlags::empty());
        if ready.contains(PollFlags::POLLOUT) {
            match socket.write(unsent) {
                Ok(written) => unsent = unsent.get(written..).unwrap_or_default(),
                Err(error) if is_later(&error) => {}
                // It wants no more of the body; its answer counts.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => unsent = &[],
                Err(error) => return Err(error.into()),
            }
        }
        if ready.intersects(PollFlags::POLLIN | PollFlags::POLLHUP | PollFlags::POLLERR) {
            match socket.read(&mut buffer) {
                Ok(0) => return Err(End::Told(format!("has closed the connection: {}", reader.so_far()))),
                Ok(read) => {
                    if reader.push(buffer.get(..read).unwrap_or_default()).map_err(End::Told)? {
                        return Ok(());
                    }
                }
                Err(error) if is_later(&error) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

const HEAD: HeadLimits = HeadLimits { bytes: 256 << 10, fields: 1024 };

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    pub(crate) body_bytes: u64,
    /// The beginning of the body.
    pub(crate) body: Vec<u8>,
    /// The beginning of standard error.
    pub(crate) stderr: Stderr,
}

/// Assembles an answer from records.
///
/// No input or output: bytes may be split anywhere. The head is that of CGI (RFC 3875, section 6).
#[derive(Debug)]
pub(crate) struct ResponseReader {
    decoder: Decoder,
    keep: usize,
    /// Output not taken yet, and the beginning of an incomplete record.
    pending: Vec<u8>,
    ready: usize,
    has_head: bool,
    response: Response,
}

impl ResponseReader {
    pub(crate) fn new(request: u16, keep: usize) -> Self {
        Self {
            decoder: Decoder::new(request),
            keep,
            pending: Vec::new(),
            ready: 0,
            has_head: false,
            response: Response::default(),
        }
    }

    /// Adds bytes; returns whether the answer has ended. The error continues a sentence that begins with the
    /// application.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<bool, String> {
        let told = |fault: Fault| format!("cannot be parsed: {fault}");
        self.pending.extend_from_slice(bytes);
        let unwrapped = self.decoder.unwrap(&mut self.pending, self.ready, &mut self.response.stderr).map_err(told)?;
        let Unwrapped { start, ready, rest } = unwrapped;
        self.pending.drain(..start);
        self.pending.truncate(ready + rest);
        self.ready = ready;
        if let Some(refusal) = self.decoder.refusal() {
            return Err(format!("has not accepted the request: {refusal}"));
        }
        let has_ended = self.decoder.has_ended();
        if !self.has_head {
            let mut head = unladen_http1::Response::default();
            let output = self.pending.get(..ready).unwrap_or_default();
            match parse_head(&mut head, output, None, false, &HEAD).map_err(told)? {
                Some(length) => {
                    self.has_head = true;
                    self.response.status = head.status;
                    let fields = head.fields.iter();
                    self.response.headers = fields
                        .map(|field| (String::from_utf8_lossy(field.name).into_owned(), field.value.to_vec()))
                        .collect();
                    self.pending.drain(..length);
                    self.ready -= length;
                }
                None => return Ok(has_ended),
            }
        }
        let content = self.pending.get(..self.ready).unwrap_or_default();
        self.response.body_bytes = self.response.body_bytes.saturating_add(content.len() as u64);
        let room = self.keep.saturating_sub(self.response.body.len());
        self.response.body.extend_from_slice(content.get(..room).unwrap_or(content));
        self.pending.drain(..self.ready);
        self.ready = 0;
        Ok(has_ended)
    }

    pub(crate) fn so_far(&self) -> String {
        let came = match (self.has_head, self.ready) {
            (true, _) => format!("{} bytes of a body were received", self.response.body_bytes),
            (false, 0) => {
                "nothing was received (all of its processes may be busy, or held by connections that the web server \
                           keeps: keepalive, enablereuse)"
                    .to_owned()
            }
            (false, _) => "only part of a head was received".to_owned(),
        };
        came + &self.response.said()
    }

    /// The answer after its end; fails if it had no head.
    pub(crate) fn finish(self) -> Result<Response, String> {
        if self.has_head { Ok(self.response) } else { Err(format!("has answered without a head: {}", self.so_far())) }
    }
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&[u8]> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| &value[..])
    }

    /// Its standard error, for the end of a sentence.
    pub(crate) fn said(&self) -> String {
        let text: String = self.stderr.line().chars().take(1000).collect();
        if text.is_empty() { String::new() } else { format!("; it says: {text}") }
    }
}

#[cfg(test)]
mod tests;
