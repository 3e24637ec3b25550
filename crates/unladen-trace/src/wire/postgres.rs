//! The principal type is [`PostgresClient`]: a client's side of a connection to PostgreSQL.
//!
//! Source: chapter "Frontend/Backend Protocol" of PostgreSQL's documentation, mainly section "Message Formats".

use std::collections::HashMap;

use crate::event::MAX_TAIL;
use crate::wire::prepared::{Prepared, Statement, Text, identity, values};
use crate::wire::reader::{ByteReader, Kept};

/// Portals remembered. Clients that name them close them; most use the unnamed one.
const MAX_PORTALS: usize = 64;

/// Decodes the client's side of one connection.
#[derive(Debug, Default)]
pub struct PostgresClient {
    state: State,
    message: Option<Message>,
    /// First bytes of a message whose head is incomplete.
    head: Vec<u8>,
    prepared: Prepared,
    portals: HashMap<Vec<u8>, Portal>,
    /// Name of the last statement parsed and not executed yet.
    parsed: Option<Vec<u8>>,
    /// The end of an answer whose rows are not known yet: what completes it may be split between two receives.
    answer: Vec<u8>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Nothing was sent yet: a message without a tag, unless the beginning was not seen.
    #[default]
    Start,
    /// TLS or GSSAPI encryption was requested.
    Asked,
    /// Messages with a tag.
    Messages,
    /// A hole covers the beginning of a message.
    Lost,
    Encrypted,
}

/// A statement with its values.
#[derive(Debug)]
struct Portal {
    statement: Vec<u8>,
    values: u64,
    truncated: bool,
    executed: bool,
}

impl PostgresClient {
    /// A connection with nothing seen yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the connection is encrypted, and unreadable from now on. Known once the server has answered `S` or `G`,
    /// or the client's hello was seen.
    pub fn is_tls(&self) -> bool {
        self.state == State::Encrypted
    }

    /// Handles one send: its first bytes and total length. `out` gets each statement when its message (for prepared
    /// ones: Execute) is complete.
    pub fn sent(&mut self, payload: &[u8], total: usize, mut out: impl FnMut(Statement<'_>)) {
        let total = total.max(payload.len());
        if self.state == State::Encrypted || total == 0 {
            return;
        }
        self.answer.clear();
        if self.message.is_none() && self.head.is_empty() && !self.begin(payload, total) {
            return;
        }
        let mut reader = ByteReader(payload);
        while !reader.0.is_empty() {
            if self.message.is_none() && !self.read_head(&mut reader) {
                break;
            }
            if let Some(message) = &mut self.message {
                message.read(&mut reader);
            }
            self.complete(&mut out);
        }
        let mut hole = (total - payload.len()) as u64;
        if hole > 0
            && let Some(message) = &mut self.message
        {
            hole -= message.kept.skip(hole);
            self.complete(&mut out);
        }
        if hole > 0 && self.state != State::Lost {
            self.lose();
        }
    }

    /// Handles the last bytes of one receive; at the end of an answer, returns the number of rows that its commands
    /// returned or changed.
    pub fn received(&mut self, tail: &[u8]) -> Option<u64> {
        if self.state == State::Asked {
            match tail {
                [b'S' | b'G'] => self.state = State::Encrypted,
                [b'N'] => self.state = State::Start,
                // An error of an old server.
                _ => {}
            }
            return None;
        }
        if self.state == State::Encrypted {
            return None;
        }
        let follows = !self.answer.is_empty() && tail.len() < MAX_TAIL;
        if !follows {
            self.answer.clear();
        }
        self.answer.extend_from_slice(tail);
        self.answer.drain(..self.answer.len().saturating_sub(MAX_TAIL));
        // Message boundaries are unknown unless everything was seen: try each start from which messages chain up to the
        // end.
        let starts = if follows || tail.len() >= MAX_TAIL { self.answer.len() } else { 1 };
        let rows = (0..starts).find_map(|start| rows(self.answer.get(start..)?));
        if rows.is_some() {
            self.answer.clear();
        }
        rows
    }

    /// At the beginning of a send between messages: whether it can be read.
    fn begin(&mut self, payload: &[u8], total: usize) -> bool {
        match self.state {
            State::Asked | State::Start if super::tls::is_record(payload) => {
                self.state = State::Encrypted;
                false
            }
            // The answer to SSLRequest was not seen.
            State::Asked => {
                self.state = State::Start;
                true
            }
            State::Start if !is_startup(payload) => {
                self.state = if chains(payload, total) { State::Messages } else { State::Lost };
                self.state == State::Messages
            }
            State::Lost if !chains(payload, total) => false,
            State::Lost => {
                self.state = State::Messages;
                true
            }
            _ => true,
        }
    }

    /// Reads tag and length; `false` if they are incomplete, or invalid.
    fn read_head(&mut self, reader: &mut ByteReader<'_>) -> bool {
        let tagged = self.state != State::Start;
        let wanted = 4 + usize::from(tagged);
        let take = wanted.saturating_sub(self.head.len()).min(reader.0.len());
        self.head.extend_from_slice(reader.take(take).unwrap_or_default());
        if self.head.len() < wanted {
            return false;
        }
        let head = std::mem::take(&mut self.head);
        let mut head = ByteReader(&head);
        let tag = if tagged { head.u8().unwrap_or(0) } else { 0 };
        let length = head.u32().unwrap_or(0);
        if tagged && !is_tag(tag) || !(4..=MAX_MESSAGE).contains(&length) {
            self.lose();
            return false;
        }
        let length = u64::from(length) - 4;
        self.message = Some(Message::new(tag, length));
        true
    }

    fn lose(&mut self) {
        self.state = State::Lost;
        self.message = None;
        self.head.clear();
        self.parsed = None;
    }

    fn complete(&mut self, out: &mut impl FnMut(Statement<'_>)) {
        let Some(message) = self.message.take_if(|message| message.kept.left == 0) else { return };
        let truncated = message.kept.is_truncated();
        let mut body = ByteReader(&message.kept.bytes);
        match message.tag {
            0 => self.first(body.u32().unwrap_or(0)),
            b'Q' => {
                let text = message.kept.bytes.strip_suffix(b"\0").unwrap_or(&message.kept.bytes);
                let values = values(&[], message.kept.length);
                let identity = identity(text, values);
                out(Statement { text, identity, truncated, prepared: false, parse_only: false });
            }
            b'P' => {
                self.flush_parsed(out);
                let Some(name) = body.until_nul() else { return };
                let text = ByteReader(body.0).until_nul();
                let truncated = text.is_none();
                let bytes = text.unwrap_or(body.0).to_vec();
                self.prepared.insert(name, Text { bytes, truncated });
                self.parsed = Some(name.to_vec());
            }
            b'B' => {
                let (Some(portal), Some(statement)) = (body.until_nul(), body.until_nul()) else { return };
                if self.portals.len() >= MAX_PORTALS && !self.portals.contains_key(portal) {
                    self.portals.clear();
                }
                let values = values(body.0, message.kept.length);
                let bound = Portal { statement: statement.to_vec(), values, truncated, executed: false };
                self.portals.insert(portal.to_vec(), bound);
            }
            b'E' => {
                if let Some(name) = body.until_nul() {
                    self.execute(name, out);
                }
            }
            b'C' => match (body.u8(), body.until_nul()) {
                (Some(b'S'), Some(name)) => self.prepared.remove(name),
                (Some(b'P'), Some(name)) => {
                    self.portals.remove(name);
                }
                _ => {}
            },
            b'S' | b'H' => self.flush_parsed(out),
            _ => {}
        }
    }

    fn first(&mut self, code: u32) {
        self.state = match code {
            SSL | GSSENC => State::Asked,
            // Nothing follows; it has its own connection.
            CANCEL => State::Lost,
            _ => State::Messages,
        };
    }

    fn execute(&mut self, portal: &[u8], out: &mut impl FnMut(Statement<'_>)) {
        let Some(portal) = self.portals.get_mut(portal).filter(|portal| !portal.executed) else {
            // More rows of an earlier execution, or a portal bound before anything was seen.
            return;
        };
        portal.executed = true;
        if self.parsed.as_ref() == Some(&portal.statement) {
            self.parsed = None;
        }
        let unseen;
        let (text, cut) = match self.prepared.get(&portal.statement) {
            Some(text) => (text.bytes.as_slice(), text.truncated),
            None => {
                unseen = [b"EXECUTE \"", portal.statement.as_slice(), b"\""].concat();
                (unseen.as_slice(), true)
            }
        };
        let identity = identity(text, portal.values);
        let truncated = cut || portal.truncated;
        out(Statement { text, identity, truncated, prepared: true, parse_only: false });
    }

    /// Reports a statement that was parsed and may be executed later.
    fn flush_parsed(&mut self, out: &mut impl FnMut(Statement<'_>)) {
        if let Some(text) = self.parsed.take().and_then(|name| self.prepared.get(&name)) {
            let identity = identity(&text.bytes, 0);
            out(Statement { text: &text.bytes, identity, truncated: text.truncated, prepared: true, parse_only: true });
        }
    }
}

#[derive(Debug)]
struct Message {
    /// 0 for the first of a connection, which has none.
    tag: u8,
    kept: Kept,
}

impl Message {
    fn new(tag: u8, length: u64) -> Self {
        let mut kept = Kept::default();
        kept.announce(length);
        Self { tag, kept }
    }

    fn read(&mut self, reader: &mut ByteReader<'_>) {
        // Passwords and the data of COPY are of no interest.
        self.kept.read(reader, !matches!(self.tag, b'p' | b'd'));
    }
}

/// Rows of all completed commands, if backend messages chain up to the end and one of them completes a command.
fn rows(tail: &[u8]) -> Option<u64> {
    let mut reader = ByteReader(tail);
    let mut rows = None;
    while let Some(tag) = reader.u8() {
        if !matches!(
            tag,
            b'1' | b'2'
                | b'3'
                | b'A'
                | b'C'
                | b'D'
                | b'E'
                | b'I'
                | b'K'
                | b'N'
                | b'R'
                | b'S'
                | b'T'
                | b'Z'
                | b'c'
                | b'n'
                | b's'
                | b't'
        ) {
            return None;
        }
        let length = reader.u32()?.checked_sub(4)?;
        let body = reader.take(usize::try_from(length).ok()?)?;
        match (tag, body) {
            (b'C', body) => {
                let command = command_rows(body.strip_suffix(b"\0")?)?;
                rows = Some(rows.unwrap_or(0_u64).saturating_add(command));
            }
            (b'Z', [b'I' | b'T' | b'E']) => {}
            (b'Z', _) => return None,
            _ => {}
        }
    }
    rows
}

/// `SELECT 5`, `INSERT 0 1`, `BEGIN`.
fn command_rows(tag: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(tag).ok()?;
    let (command, last) = text.rsplit_once(' ').unwrap_or((text, ""));
    if !command.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b' ' | b'0'..=b'9'))
        || command.is_empty()
    {
        return None;
    }
    Some(last.parse().unwrap_or(0))
}

/// Longest message (`PQ_LARGE_MESSAGE_LIMIT`, 1 GiB less one).
const MAX_MESSAGE: u32 = (1 << 30) - 1;

/// Whether a client may send this first, or after unseen bytes.
pub fn looks_like_postgres(first: &[u8]) -> bool {
    // Truncation is unknown here: the end of the last message may be missing.
    is_startup(first) || chains(first, usize::MAX) && is_telling(first)
}

/// Any bytes may look like a tag and a length: more is required without a seen beginning.
fn is_telling(first: &[u8]) -> bool {
    let mut reader = ByteReader(first);
    let (Some(tag), Some(length)) = (reader.u8(), reader.u32()) else { return false };
    let body = usize::try_from(length).ok().and_then(|length| reader.0.get(..length - 4));
    match (tag, body) {
        (b'Q', Some(body)) => memchr::memchr(0, body) == Some(body.len().wrapping_sub(1)),
        (b'Q', None) => memchr::memchr(0, reader.0).is_none(),
        (b'P', _) => ByteReader(reader.0).until_nul().is_some_and(|name| name.len() < 64 && !name.contains(&b'\n')),
        (b'B', Some(body)) => body.len() >= 8,
        (b'X' | b'S' | b'H', Some(body)) => body.is_empty(),
        (b'C' | b'D', Some([b'S' | b'P', .., 0])) => true,
        _ => false,
    }
}

/// Whether messages with tags follow each other from the first to the last seen byte.
fn chains(payload: &[u8], total: usize) -> bool {
    let mut reader = ByteReader(payload);
    let mut seen = false;
    while let Some(tag) = reader.u8() {
        if !is_tag(tag) {
            return false;
        }
        let Some(length) = reader.u32() else { return seen };
        let body = (length as usize).saturating_sub(4);
        if !(4..=MAX_MESSAGE).contains(&length) {
            return false;
        }
        seen = true;
        if reader.take(body).is_none() {
            // It continues in unseen bytes, or in the next send.
            return total > payload.len() || is_telling(payload);
        }
    }
    seen
}

fn is_tag(tag: u8) -> bool {
    matches!(tag, b'Q' | b'P' | b'B' | b'D' | b'E' | b'C' | b'S' | b'H' | b'F' | b'X' | b'd' | b'c' | b'f' | b'p')
}

/// Codes in place of a protocol version, in the first message of a connection.
const CANCEL: u32 = 80_877_102;
const SSL: u32 = 80_877_103;
const GSSENC: u32 = 80_877_104;
/// The protocol's major version, in the upper half of the code.
const VERSION: u32 = 3;
/// Longest first message accepted by the server (`MAX_STARTUP_PACKET_LENGTH`).
const MAX_STARTUP: u32 = 10_000;

/// The first message of a connection.
fn is_startup(first: &[u8]) -> bool {
    let mut reader = ByteReader(first);
    let (Some(length), Some(code)) = (reader.u32(), reader.u32()) else { return false };
    match code {
        SSL | GSSENC => length == 8,
        CANCEL => (16..=MAX_STARTUP).contains(&length),
        code => code >> 16 == VERSION && (9..=MAX_STARTUP).contains(&length),
    }
}

#[cfg(test)]
mod tests;
