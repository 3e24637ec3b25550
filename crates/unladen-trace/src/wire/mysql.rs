//! The principal type is [`MysqlClient`]: a client's side of a connection to MySQL or MariaDB.
//!
//! Source: MySQL's "Client/Server Protocol" in its source documentation (Basic Packets, Connection Phase, Command
//! Phase), and MariaDB's "Clients & Utilities: Client/Server Protocol" for its extensions.

mod recognise;

pub use recognise::looks_like_mysql;

use crate::event::MAX_TAIL;
use crate::wire::prepared::{Prepared, Statement, Text, identity, values};
use crate::wire::reader::{ByteReader, Kept};
use recognise::{
    ATTRIBUTES, COMPRESS, HEAD, LARGE, SSL, SSL_REQUEST, ZSTD, is_command, is_handshake, may_begin_command, number,
};

/// Decodes the client's side of one connection.
#[derive(Debug, Default)]
pub struct MysqlClient {
    state: State,
    command: Option<Command>,
    /// First bytes of a packet whose head is incomplete.
    head: Vec<u8>,
    /// Whether queries carry attributes before their text; `None` if the connection's beginning was not seen.
    attributes: Option<bool>,
    statements: Statements,
    awaits: Awaits,
    /// Hash of data sent ahead of an execution.
    long_data: u64,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Nothing was sent yet: the answer to the greeting, unless the beginning was not seen.
    #[default]
    Start,
    Commands,
    /// A hole covers the beginning of a packet.
    Lost,
    Encrypted,
    /// Unreadable.
    Compressed,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Awaits {
    /// Nothing of interest.
    #[default]
    Nothing,
    /// A query, or an execution.
    Rows,
    Prepared,
}

impl MysqlClient {
    /// A connection with nothing seen yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the connection is encrypted, and unreadable from now on.
    pub fn is_tls(&self) -> bool {
        self.state == State::Encrypted
    }

    /// Handles one send: its first bytes and total length. `out` gets each query, each prepared statement
    /// (`parse_only`) and each execution.
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
                command.kept.read(&mut reader, true);
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

    /// Handles the last bytes of one receive; returns the number of changed rows, if given.
    pub fn received(&mut self, tail: &[u8]) -> Option<u64> {
        // Libraries that read a packet's head separately come back for the rest.
        if tail.len() <= HEAD {
            return None;
        }
        let awaits = std::mem::take(&mut self.awaits);
        let whole = tail.len() < MAX_TAIL;
        let mut reader = ByteReader(tail);
        let packet = match reader.u24_le() {
            // The first packet of the answer, if seen entirely.
            Some(length) if whole && reader.u8() == Some(1) => reader.take(length as usize),
            _ => None,
        };
        match (awaits, packet) {
            (Awaits::Prepared, packet) => {
                self.statements.answered(packet);
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
                // Its length is known and its content not needed: a packet like others.
                self.state == State::Commands
            }
            State::Start | State::Lost => {
                self.state = if is_command(payload, total) { State::Commands } else { State::Lost };
                self.state == State::Commands
            }
            State::Commands => {
                let other = payload.get(3).is_some_and(|sequence| *sequence != 0);
                let single = ByteReader(payload).u24_le().is_some_and(|length| length as usize + HEAD == total);
                // Authentication, or a file requested by the server, is skipped whole.
                let known = payload.len() <= HEAD || !other && may_begin_command(payload);
                if !(known || other && single) {
                    self.state = State::Lost;
                }
                known
            }
            State::Encrypted | State::Compressed => false,
        }
    }

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
        self.command.as_ref().is_none_or(|command| command.kept.left == 0)
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
            Some(command) if sequence == command.sequence.wrapping_add(1) => command.packet(sequence, length),
            Some(_) => {
                self.lose();
                return false;
            }
            None => self.command = Some(Command::new(sequence, length)),
        }
        true
    }

    fn lose(&mut self) {
        self.state = State::Lost;
        self.command = None;
        self.head.clear();
    }

    fn complete(&mut self, out: &mut impl FnMut(Statement<'_>)) {
        let Some(command) = self.command.take_if(|command| command.is_complete()) else { return };
        // Authentication, or a file requested by the server (LOAD DATA LOCAL).
        if command.first != 0 {
            return;
        }
        if self.awaits == Awaits::Prepared {
            // Its answer was not seen.
            self.statements.answered(None);
        }
        self.awaits = Awaits::Nothing;
        let truncated = command.kept.is_truncated();
        let Some((kind, body)) = command.kept.bytes.split_first() else { return };
        match kind {
            // COM_QUERY
            0x03 => {
                let (attributes, text) = self.query(body);
                let values = values(attributes, if truncated { command.kept.length } else { 0 });
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
                self.statements.prepare(Text { bytes: body.to_vec(), truncated });
                self.awaits = Awaits::Prepared;
            }
            // COM_STMT_EXECUTE, and MariaDB's COM_STMT_BULK_EXECUTE
            0x17 | 0xfa => {
                let mut reader = ByteReader(body);
                if let Some(id) = reader.u32_le() {
                    self.execute(id, reader.0, command.kept.length, truncated, out);
                }
            }
            // COM_STMT_SEND_LONG_DATA
            0x18 => self.long_data = values(body, command.kept.length ^ self.long_data),
            // COM_STMT_CLOSE
            0x19 => self.statements.close(body.get(..4).unwrap_or_default()),
            // COM_CHANGE_USER, COM_RESET_CONNECTION
            0x11 | 0x1f => self.statements.forget(),
            _ => {}
        }
    }

    fn query<'b>(&self, body: &'b [u8]) -> (&'b [u8], &'b [u8]) {
        // No statement begins with a NUL, which decides if the greeting was not seen.
        if !self.attributes.unwrap_or_else(|| body.starts_with(&[0, 1])) {
            return (&[], body);
        }
        let text = attributes(body).unwrap_or(body);
        body.split_at_checked(body.len() - text.len()).unwrap_or((&[], body))
    }

    fn execute(&mut self, id: u32, rest: &[u8], length: u64, cut: bool, out: &mut impl FnMut(Statement<'_>)) {
        let values = values(rest, length ^ std::mem::take(&mut self.long_data));
        let unseen;
        let (text, truncated) = match self.statements.executed(id) {
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
}

#[derive(Debug)]
struct Command {
    /// Sequence of its first packet: 0, unless it is only part of something else.
    first: u8,
    /// Sequence of its last packet.
    sequence: u8,
    kept: Kept,
    /// The packet has the maximum length: another follows.
    more: bool,
}

impl Command {
    fn new(sequence: u8, length: u32) -> Self {
        let mut command = Self { first: sequence, sequence, kept: Kept::default(), more: false };
        command.packet(sequence, length);
        command
    }

    fn packet(&mut self, sequence: u8, length: u32) {
        self.sequence = sequence;
        self.kept.announce(u64::from(length));
        self.more = length == LARGE;
    }

    /// Skips unseen bytes; returns how many were its own, including heads of its further packets.
    fn skip(&mut self, hole: u64) -> u64 {
        // A client that waits for its answer sends nothing else.
        if self.more && hole > self.kept.left {
            self.kept.announce(hole - self.kept.left);
            self.more = false;
        }
        self.kept.skip(hole)
    }

    fn is_complete(&self) -> bool {
        self.kept.left == 0 && !self.more
    }
}

const MAX_ATTRIBUTES: u64 = 1000;

/// The text after the attributes of a query: count, sets (always one), and if there are any: which are NULL, their
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
            // TIMESTAMP, DATE, TIME, DATETIME: with a length prefix
            7 | 10 | 11 | 12 => usize::from(reader.u8()?),
            _ => usize::try_from(number(&mut reader)?).ok()?,
        };
        reader.take(length)?;
    }
    Some(reader.0)
}

const MAX_WAITING: usize = 64;
/// MariaDB: the statement prepared last.
const LAST_PREPARED: u32 = u32::MAX;

/// Texts of prepared statements by id.
#[derive(Debug, Default)]
struct Statements {
    prepared: Prepared,
    /// Id of the next prepared statement, if one was seen: the server counts them. (The first is not always 1: MariaDB
    /// goes on counting when a thread takes another connection.)
    next_id: Option<u32>,
    /// Texts before the first seen id, oldest first; their ids are below it.
    waiting: Vec<Text>,
    last: Option<Text>,
    /// Its id is known from the answer or an execution.
    sure: bool,
}

impl Statements {
    /// COM_STMT_PREPARE.
    fn prepare(&mut self, text: Text) {
        self.last = Some(text);
        self.sure = false;
    }

    /// The answer to COM_STMT_PREPARE, if it was seen. Ids count up, even on failure: without an answer the order
    /// decides.
    fn answered(&mut self, packet: Option<&[u8]>) {
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

    /// Learns the id of the statement prepared last; waiting ones precede it.
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

    /// COM_STMT_EXECUTE: the text of the statement, if known.
    fn executed(&mut self, id: u32) -> Option<&Text> {
        if !self.sure && id != LAST_PREPARED && self.prepared.get(&id.to_le_bytes()).is_none() {
            // Most statements are executed right after preparation.
            self.told(id);
        }
        if id == LAST_PREPARED { self.last.as_ref() } else { self.prepared.get(&id.to_le_bytes()) }
    }

    /// COM_STMT_CLOSE.
    fn close(&mut self, id: &[u8]) {
        self.prepared.remove(id);
    }

    /// COM_CHANGE_USER, COM_RESET_CONNECTION: the server closes all; it goes on counting.
    fn forget(&mut self) {
        self.prepared.clear();
        self.waiting.clear();
        self.last = None;
    }
}

#[cfg(test)]
mod tests;
