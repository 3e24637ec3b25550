//! The principal type is [`MysqlClient`]: a client's side of a connection to MySQL or MariaDB.
//!
//! Source: MySQL's "Client/Server Protocol" in its source documentation (Basic Packets, Connection Phase, Command
//! Phase), and MariaDB's "Clients & Utilities: Client/Server Protocol" for its extensions.

mod attributes;
mod command;
mod packet;
mod recognise;
mod statements;
#[cfg(test)]
mod tests;

use super::prepared::Text;
use super::reader::ByteReader;
use super::statement::{Statement, identity, values};
use crate::event::MAX_TAIL;
use attributes::attributes;
use command::Command;
use packet::{ATTRIBUTES, COMPRESS, HEAD, SSL, SSL_REQUEST, ZSTD, number};
use recognise::{is_command, is_handshake, may_begin_command};
use statements::Statements;

pub use recognise::looks_like_mysql;

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

    /// Whether the connection is compressed, and unreadable from now on.
    pub fn is_compressed(&self) -> bool {
        self.state == State::Compressed
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
