//! The principal type is [`MysqlClient`]: what the client says on one connection to MySQL or MariaDB.
//!
//! Source: MySQL's "Client/Server Protocol" in its source documentation (Basic Packets, Connection Phase, Command
//! Phase), and MariaDB's "Clients & Utilities: Client/Server Protocol" for what is its own.

#[cfg(test)]
mod tests;

use super::prepared::{Prepared, Text};
use super::reader::ByteReader;
use super::statement::{Statement, identity, values};
use crate::event::MAX_TAIL;

/// Capabilities of the client: `CLIENT_SSL`, `CLIENT_COMPRESS`, `CLIENT_PROTOCOL_41`,
/// `CLIENT_ZSTD_COMPRESSION_ALGORITHM`, `CLIENT_QUERY_ATTRIBUTES`.
const SSL: u32 = 1 << 11;
const COMPRESS: u32 = 1 << 5;
const PROTOCOL_41: u32 = 1 << 9;
const ZSTD: u32 = 1 << 26;
const ATTRIBUTES: u32 = 1 << 27;
/// The longest packet; what is longer goes on in the next.
const LARGE: u32 = 0xff_ffff;
/// Bytes of a command that are kept; the rest is counted.
const MAX_KEPT: usize = 16 << 10;
/// A packet's head: three bytes of length, one of sequence.
const HEAD: usize = 4;
/// `SSLRequest`: the first fields of the client's answer to the greeting.
const SSL_REQUEST: usize = 32;
/// Attributes of a query that are walked over.
const MAX_ATTRIBUTES: u64 = 1000;
/// Prepared statements whose ids are not known yet.
const MAX_WAITING: usize = 64;
/// MariaDB: the statement that was prepared last.
const LAST_PREPARED: u32 = u32::MAX;

/// The client's side of one connection.
#[derive(Debug, Default)]
pub struct MysqlClient {
    state: State,
    /// The command that is under way.
    command: Option<Command>,
    /// The first bytes of a packet that was cut inside its head.
    head: Vec<u8>,
    /// Queries carry attributes before their text; `None` if the beginning of the connection was not seen.
    attributes: Option<bool>,
    prepared: Prepared,
    /// What was asked and not answered.
    awaits: Awaits,
    /// The id that the server will give to the next prepared statement, if one was seen: it counts them. (The first is
    /// not always 1: MariaDB goes on counting when a thread takes another connection.)
    next_id: Option<u32>,
    /// Texts that wait for the first id that is seen, the oldest first; their ids are below it.
    waiting: Vec<Text>,
    /// The text that was prepared last.
    last: Option<Text>,
    /// Its id was told, by the answer or by an execution.
    sure: bool,
    /// Hash of what was sent ahead of an execution.
    long_data: u64,
}

/// Where in the protocol the connection is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Nothing was sent yet: the answer to the greeting, unless the beginning was not seen.
    #[default]
    Start,
    /// Commands.
    Commands,
    /// A hole swallowed the beginning of a packet.
    Lost,
    /// TLS.
    Encrypted,
    /// Compressed: nothing can be read of it.
    Compressed,
}

/// What the next answer answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Awaits {
    /// Nothing that is looked at.
    #[default]
    Nothing,
    /// A query, or an execution.
    Rows,
    /// A prepared statement's id.
    Prepared,
}

/// A command, of one packet or several.
#[derive(Debug)]
struct Command {
    /// Of its first packet: 0, unless it is none but part of something else.
    first: u8,
    /// Of its last packet.
    sequence: u8,
    /// What was seen of it, up to [`MAX_KEPT`].
    body: Vec<u8>,
    length: u64,
    /// Bytes of the packet that are still to come.
    left: u64,
    /// The packet is of the greatest length: another follows.
    more: bool,
    /// Part of it was not seen; what comes behind is not kept.
    holed: bool,
}

// === impl MysqlClient ===

impl MysqlClient {
    /// Of a connection of which nothing was seen yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the connection is encrypted: nothing can be read of it any more.
    pub fn is_tls(&self) -> bool {
        self.state == State::Encrypted
    }

    /// Whether the connection is compressed: nothing can be read of it any more.
    pub fn is_compressed(&self) -> bool {
        self.state == State::Compressed
    }

    /// What one call sent: its first bytes, and how many they were altogether. `out` gets each query, each statement
    /// that is prepared (`parse_only`) and each execution.
    pub fn sent(&mut self, payload: &[u8], total: usize, mut out: impl FnMut(Statement<'_>)) {
        let total = total.max(payload.len());
        if matches!(self.state, State::Encrypted | State::Compressed) || total == 0 {
            return;
        }
        if self.command.is_none() && self.head.is_empty() && !self.begin(payload, total) {
            return;
        }
        let mut reader = ByteReader(payload);
        while !reader.0.is_empty() {
            if self.wants_head() && !self.read_head(&mut reader) {
                break;
            }
            if let Some(command) = &mut self.command {
                command.read(&mut reader);
            }
            self.complete(&mut out);
            if self.state != State::Commands {
                return;
            }
        }
        let mut hole = (total - payload.len()) as u64;
        if hole > 0
            && let Some(command) = &mut self.command
        {
            hole -= command.skip(hole);
            self.complete(&mut out);
        }
        if hole > 0 && self.state == State::Commands {
            self.lose();
        }
    }

    /// The last bytes of what one call received. How many rows were changed, if that was said.
    pub fn received(&mut self, tail: &[u8]) -> Option<u64> {
        // Libraries that read a packet's head by itself come back for the rest.
        if tail.len() <= HEAD {
            return None;
        }
        let awaits = std::mem::take(&mut self.awaits);
        let whole = tail.len() < MAX_TAIL;
        let mut reader = ByteReader(tail);
        let packet = match reader.u24_le() {
            // The first packet of the answer, if all of it was seen.
            Some(length) if whole && reader.u8() == Some(1) => reader.take(length as usize),
            _ => None,
        };
        match (awaits, packet) {
            (Awaits::Prepared, packet) => {
                self.place(packet);
                None
            }
            (Awaits::Rows, Some([0, rest @ ..])) => number(&mut ByteReader(rest)),
            _ => None,
        }
    }

    fn begin(&mut self, payload: &[u8], total: usize) -> bool {
        match self.state {
            State::Start if super::tls::is_record(payload) => {
                self.state = State::Encrypted;
                false
            }
            State::Start if is_handshake(payload) => {
                self.greet(payload);
                // Its length is known, and nothing of it is of interest: a packet like others.
                self.state == State::Commands
            }
            State::Start | State::Lost => {
                self.state = if is_command(payload, total) { State::Commands } else { State::Lost };
                self.state == State::Commands
            }
            State::Commands => {
                let other = payload.get(3).is_some_and(|sequence| *sequence != 0);
                let single = ByteReader(payload).u24_le().is_some_and(|length| length as usize + HEAD == total);
                // Authentication, or a file that the server asked for, is passed over whole.
                let known = payload.len() <= HEAD || !other && may_begin_command(payload);
                if !(known || other && single) {
                    self.state = State::Lost;
                }
                known
            }
            State::Encrypted | State::Compressed => false,
        }
    }

    /// The client's answer to the greeting.
    fn greet(&mut self, payload: &[u8]) {
        let mut reader = ByteReader(payload);
        let length = reader.u24_le().unwrap_or(0);
        reader.u8();
        let capabilities = reader.u32_le().unwrap_or(0);
        self.attributes = Some(capabilities & ATTRIBUTES != 0);
        self.state = if capabilities & SSL != 0 && length as usize == SSL_REQUEST {
            State::Encrypted
        } else if capabilities & (COMPRESS | ZSTD) != 0 {
            State::Compressed
        } else {
            State::Commands
        };
    }

    fn wants_head(&self) -> bool {
        self.command.as_ref().is_none_or(|command| command.left == 0)
    }

    fn read_head(&mut self, reader: &mut ByteReader<'_>) -> bool {
        let take = HEAD.saturating_sub(self.head.len()).min(reader.0.len());
        self.head.extend_from_slice(reader.take(take).unwrap_or_default());
        if self.head.len() < HEAD {
            return false;
        }
        let head = std::mem::take(&mut self.head);
        let mut head = ByteReader(&head);
        let (length, sequence) = (head.u24_le().unwrap_or(0), head.u8().unwrap_or(0));
        match &mut self.command {
            Some(command) if sequence == command.sequence.wrapping_add(1) => {
                command.sequence = sequence;
                command.begin(length);
            }
            Some(_) => {
                self.lose();
                return false;
            }
            None => {
                let mut command = Command {
                    first: sequence,
                    sequence,
                    body: Vec::new(),
                    length: 0,
                    left: 0,
                    more: false,
                    holed: false,
                };
                command.begin(length);
                self.command = Some(command);
            }
        }
        true
    }

    fn lose(&mut self) {
        self.state = State::Lost;
        self.command = None;
        self.head.clear();
    }

    fn complete(&mut self, out: &mut impl FnMut(Statement<'_>)) {
        let Some(command) = self.command.take_if(|command| command.left == 0 && !command.more) else { return };
        // Authentication, or a file that the server asked for (LOAD DATA LOCAL).
        if command.first != 0 {
            return;
        }
        if self.awaits == Awaits::Prepared {
            // Its answer was not seen.
            self.place(None);
        }
        self.awaits = Awaits::Nothing;
        let truncated = command.is_truncated();
        let Some((kind, body)) = command.body.split_first() else { return };
        match kind {
            // COM_QUERY
            0x03 => {
                let (attributes, text) = self.query(body);
                let values = values(attributes, if truncated { command.length } else { 0 });
                out(Statement {
                    text,
                    identity: identity(text, values),
                    truncated,
                    prepared: false,
                    parse_only: false,
                });
                self.awaits = Awaits::Rows;
            }
            // COM_STMT_PREPARE
            0x16 => {
                let identity = identity(body, 0);
                out(Statement { text: body, identity, truncated, prepared: true, parse_only: true });
                self.last = Some(Text { bytes: body.to_vec(), truncated });
                self.sure = false;
                self.awaits = Awaits::Prepared;
            }
            // COM_STMT_EXECUTE, and MariaDB's COM_STMT_BULK_EXECUTE
            0x17 | 0xfa => {
                let mut reader = ByteReader(body);
                if let Some(id) = reader.u32_le() {
                    self.execute(id, reader.0, command.length, truncated, out);
                }
            }
            // COM_STMT_SEND_LONG_DATA
            0x18 => self.long_data = values(body, command.length ^ self.long_data),
            // COM_STMT_CLOSE
            0x19 => self.prepared.remove(body.get(..4).unwrap_or_default()),
            // COM_CHANGE_USER, COM_RESET_CONNECTION
            0x11 | 0x1f => {
                self.prepared.clear();
                self.waiting.clear();
                self.last = None;
            }
            _ => {}
        }
    }

    /// Attributes and text of a query.
    fn query<'b>(&self, body: &'b [u8]) -> (&'b [u8], &'b [u8]) {
        // No statement begins with a NUL: where the greeting was not seen, this tells.
        if !self.attributes.unwrap_or_else(|| body.starts_with(&[0, 1])) {
            return (&[], body);
        }
        let text = attributes(body).unwrap_or(body);
        body.split_at_checked(body.len() - text.len()).unwrap_or((&[], body))
    }

    fn execute(&mut self, id: u32, rest: &[u8], length: u64, cut: bool, out: &mut impl FnMut(Statement<'_>)) {
        let values = values(rest, length ^ std::mem::take(&mut self.long_data));
        if !self.sure && id != LAST_PREPARED && self.prepared.get(&id.to_le_bytes()).is_none() {
            // Most statements are executed right after they were prepared.
            self.told(id);
        }
        let unseen;
        let known = if id == LAST_PREPARED { self.last.as_ref() } else { self.prepared.get(&id.to_le_bytes()) };
        let (text, truncated) = match known {
            Some(text) => (text.bytes.as_slice(), text.truncated),
            None => {
                unseen = format!("EXECUTE statement {id}").into_bytes();
                (unseen.as_slice(), true)
            }
        };
        let identity = identity(text, values);
        out(Statement { text, identity, truncated: truncated || cut, prepared: true, parse_only: false });
        self.awaits = Awaits::Rows;
    }

    /// The answer to COM_STMT_PREPARE, if it was seen. Ids are counted up, in failures too: without an answer the order
    /// tells.
    fn place(&mut self, packet: Option<&[u8]>) {
        match (packet, self.next_id) {
            (Some([0, a, b, c, d, ..]), _) => self.told(u32::from_le_bytes([*a, *b, *c, *d])),
            // ERR
            (Some([0xff, ..]), next) => {
                self.next_id = next.map(|id| id.wrapping_add(1));
                self.last = None;
            }
            (_, Some(next)) => {
                if let Some(text) = self.last.clone() {
                    self.prepared.insert(&next.to_le_bytes(), text);
                    self.next_id = Some(next.wrapping_add(1));
                }
            }
            (_, None) => {
                if self.waiting.len() == MAX_WAITING {
                    self.waiting.remove(0);
                }
                self.waiting.extend(self.last.clone());
            }
        }
    }

    /// The id of the statement that was prepared last; those that wait are before it.
    fn told(&mut self, id: u32) {
        let Some(last) = self.last.clone() else { return };
        // It waits too, if it was executed before its answer was seen.
        self.waiting.pop_if(|newest| *newest == last);
        for (text, before) in self.waiting.drain(..).rev().zip(1..) {
            self.prepared.insert(&id.wrapping_sub(before).to_le_bytes(), text);
        }
        self.prepared.insert(&id.to_le_bytes(), last);
        self.next_id = Some(id.wrapping_add(1));
        self.sure = true;
    }
}

// === impl Command ===

impl Command {
    fn begin(&mut self, length: u32) {
        self.left = u64::from(length);
        self.length += u64::from(length);
        self.more = length == LARGE;
    }

    fn read(&mut self, reader: &mut ByteReader<'_>) {
        let take = usize::try_from(self.left).unwrap_or(usize::MAX).min(reader.0.len());
        let bytes = reader.take(take).unwrap_or_default();
        self.left -= bytes.len() as u64;
        if !self.holed {
            let room = MAX_KEPT - self.body.len().min(MAX_KEPT);
            self.body.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
        }
    }

    /// Over bytes that were not seen; how many were its own. Heads of further packets of the same command are among
    /// them.
    fn skip(&mut self, hole: u64) -> u64 {
        let own = if self.more { hole } else { hole.min(self.left) };
        // A client that waits for its answer sends nothing behind it.
        if self.more && own > self.left {
            self.length += own - self.left;
            self.more = false;
        }
        self.left = self.left.saturating_sub(own);
        self.holed |= own > 0;
        own
    }

    fn is_truncated(&self) -> bool {
        (self.body.len() as u64) < self.length
    }
}

/// Whether these may be the first bytes that a client sends (its answer to the greeting), or that it sends after some
/// that were not seen.
pub fn looks_like_mysql(first: &[u8]) -> bool {
    is_handshake(first) || is_command(first, first.len()) || is_command(first, usize::MAX) && has_text(first)
}

/// `HandshakeResponse41` or `SSLRequest`.
fn is_handshake(first: &[u8]) -> bool {
    let mut reader = ByteReader(first);
    let (Some(length), Some(sequence), Some(capabilities)) = (reader.u24_le(), reader.u8(), reader.u32_le()) else {
        return false;
    };
    let (Some(_longest), Some(_charset), Some(filler)) = (reader.u32_le(), reader.u8(), reader.take(19)) else {
        return false;
    };
    sequence == 1
        && (SSL_REQUEST as u32..0x1_0000).contains(&length)
        && capabilities & PROTOCOL_41 != 0
        && filler.iter().all(|byte| *byte == 0)
}

/// One command, and nothing behind it: a client waits for the answer. COM_STMT_CLOSE and COM_STMT_SEND_LONG_DATA have
/// none, so that a command may follow them.
fn is_command(payload: &[u8], total: usize) -> bool {
    let mut reader = ByteReader(payload);
    let mut left = total;
    loop {
        let (Some(length), Some(sequence), Some(kind)) = (reader.u24_le(), reader.u8(), reader.u8()) else {
            return false;
        };
        let known = is_kind(kind, length);
        let length = length as usize;
        if !known || sequence != 0 {
            return false;
        }
        left = left.saturating_sub(HEAD + length);
        if left == 0 || length == LARGE as usize {
            return left > 0 || total >= HEAD + length;
        }
        if reader.take(length - 1).is_none() {
            return total > payload.len();
        }
        if reader.0.is_empty() {
            return total == usize::MAX;
        }
    }
}

/// The first five bytes of a command whose end may come later.
fn may_begin_command(payload: &[u8]) -> bool {
    let mut reader = ByteReader(payload);
    match (reader.u24_le(), reader.u8(), reader.u8()) {
        (Some(length), Some(0), Some(kind)) => is_kind(kind, length),
        _ => false,
    }
}

/// Whether there is such a command, of such a length.
fn is_kind(kind: u8, length: u32) -> bool {
    match kind {
        // QUIT, STATISTICS, PING, RESET_CONNECTION
        0x01 | 0x09 | 0x0e | 0x1f => length == 1,
        // INIT_DB, QUERY, FIELD_LIST, CHANGE_USER, PREPARE
        0x02 | 0x03 | 0x04 | 0x11 | 0x16 => length > 1,
        // EXECUTE, SEND_LONG_DATA, BULK_EXECUTE
        0x17 | 0x18 | 0xfa => length >= 7,
        // CLOSE, RESET
        0x19 | 0x1a => length == 5,
        // SET_OPTION, FETCH
        0x1b => length == 3,
        0x1c => length == 9,
        _ => false,
    }
}

/// Whether a command of text holds text.
fn has_text(first: &[u8]) -> bool {
    matches!(first.get(4), Some(0x03 | 0x16))
        && first.get(5..).is_some_and(|text| {
            let text = text.get(..32).unwrap_or(text);
            let text = text.strip_prefix(&[0, 1]).unwrap_or(text);
            text.len() >= 3 && !text.iter().any(|byte| *byte < b' ' && !byte.is_ascii_whitespace())
        })
}

/// The text behind the attributes of a query: count, sets (always one), and if there are any: which are NULL, their
/// types and names, their values.
fn attributes(body: &[u8]) -> Option<&[u8]> {
    let mut reader = ByteReader(body);
    let count = number(&mut reader)?;
    number(&mut reader)?;
    if count == 0 {
        return Some(reader.0);
    }
    if count > MAX_ATTRIBUTES {
        return None;
    }
    let nulls = reader.take(usize::try_from(count.div_ceil(8)).ok()?)?;
    if reader.u8()? != 1 {
        return None;
    }
    let mut types = Vec::new();
    for _ in 0..count {
        types.push(reader.u16_le()?.to_le_bytes()[0]);
        let name = usize::try_from(number(&mut reader)?).ok()?;
        reader.take(name)?;
    }
    for (at, kind) in types.into_iter().enumerate() {
        if nulls.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1) {
            continue;
        }
        let length = match kind {
            // TINY; SHORT, YEAR; LONG, FLOAT, INT24; DOUBLE, LONGLONG; NULL
            1 => 1,
            2 | 13 => 2,
            3 | 4 | 9 => 4,
            5 | 8 => 8,
            6 => 0,
            // TIMESTAMP, DATE, TIME, DATETIME: their length before them
            7 | 10 | 11 | 12 => usize::from(reader.u8()?),
            _ => usize::try_from(number(&mut reader)?).ok()?,
        };
        reader.take(length)?;
    }
    Some(reader.0)
}

/// A length-encoded integer.
fn number(reader: &mut ByteReader<'_>) -> Option<u64> {
    Some(match reader.u8()? {
        small @ 0..=250 => u64::from(small),
        0xfc => u64::from(reader.u16_le()?),
        0xfd => u64::from(reader.u24_le()?),
        0xfe => u64::from(reader.u32_le()?) | u64::from(reader.u32_le()?) << 32,
        _ => return None,
    })
}
