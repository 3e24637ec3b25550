//! The principal type is [`Conversation`]: the traffic of one socket from the asking side.

use std::collections::VecDeque;

use crate::assembly::statements::{self, Statements};
use crate::assembly::table::{Moment, Transfer};
use crate::event::{Peer, Socket, Way};
use crate::evidence::{Protocol, QueryProtocol};
use crate::wire::mysql::MysqlClient;
use crate::wire::postgres::PostgresClient;
use crate::wire::{self, dns, tls};

const MAX_PENDING: usize = 256;

#[derive(Debug)]
pub(super) struct Conversation {
    group: usize,
    /// The process that opened it, or sent or received last.
    pub(super) pid: u32,
    /// The other end as transfers have it: it may differ from the requested one, if the kernel redirects.
    led_to: Option<Peer>,
    pub(super) peer: Peer,
    pub(super) datagram: bool,
    /// `None` if it was opened before tracing began.
    pub(super) opened_in: Option<Moment>,
    /// Time in ns until it was established, as far as that came after the connecting call.
    pub(super) connect_ns: u64,
    /// Duration of that call, ns.
    call_ns: u64,
    /// When the connecting call returned.
    asked_for_ns: u64,
    /// The call did not wait for establishment, which takes additional time.
    pending: bool,
    protocol: Protocol,
    /// The protocol before it switched to TLS.
    pub(super) inside: Option<Protocol>,
    language: Language,
    /// The other side asks: an accepted connection, whose content is ignored.
    accepted: bool,
    /// Its own port is a listening one: for an outgoing connection, one in another network.
    looks_accepted: bool,
    /// Time of the last unanswered send.
    asked_ns: Option<u64>,
    /// More was sent than opening a connection takes; for an unknown protocol, anything.
    pub(super) used: bool,
    /// Time of greeting and login before that, ns; `None` once reported.
    login_ns: Option<u64>,
}

#[derive(Debug)]
struct Asked {
    key: statements::Key,
    /// Prepared only, not executed.
    is_prepare: bool,
}

#[derive(Debug)]
enum Language {
    Unknown,
    Plain,
    Postgres(PostgresClient, VecDeque<Asked>),
    Mysql(MysqlClient, VecDeque<Asked>),
    Tls(Handshake),
    Dns(VecDeque<(String, String, u64)>),
}

impl Conversation {
    pub(super) fn opened(
        (pid, group): (u32, usize),
        socket: &Socket,
        at_ns: u64,
        call_ns: u64,
        pending: bool,
        moment: Moment,
    ) -> Self {
        Self {
            group,
            pid,
            led_to: None,
            peer: socket.peer.clone(),
            datagram: socket.datagram,
            opened_in: Some(moment),
            connect_ns: if pending { 0 } else { call_ns },
            call_ns,
            asked_for_ns: at_ns,
            pending,
            protocol: Protocol::Silent,
            inside: None,
            language: Language::Unknown,
            accepted: false,
            looks_accepted: socket.accepted,
            asked_ns: None,
            used: false,
            login_ns: None,
        }
    }

    /// Time until it was established, ns. On this machine that happens before a waiting call returns.
    pub(super) fn opening_ns(&self) -> u64 {
        if self.connect_ns == 0 { self.call_ns } else { self.connect_ns }
    }

    /// One that existed before: an end that receives first did not connect. (MySQL's server speaks first; what it says
    /// is nothing that a client says, so it is ignored too.)
    pub(super) fn joined(transfer: &Transfer<'_>) -> Self {
        let socket = transfer.socket;
        let protocol = wire::recognise(transfer.payload, &socket.peer);
        let accepted =
            socket.accepted || transfer.way == Way::In || matches!(protocol, Protocol::Other | Protocol::Silent);
        Self {
            opened_in: None,
            accepted: accepted && !socket.datagram,
            ..Self::opened(
                (transfer.pid, transfer.group),
                socket,
                transfer.at_ns,
                0,
                false,
                Moment { phase: 0, request: 0 },
            )
        }
    }

    pub(super) fn is_of(&self, socket: &Socket) -> bool {
        if self.datagram || socket.datagram {
            // Messages name their destination.
            return self.datagram == socket.datagram;
        }
        let is_other = self.led_to.as_ref().is_some_and(|peer| is_known(&socket.peer) && socket.peer != *peer);
        !is_other && (self.accepted || self.looks_accepted || !socket.accepted)
    }

    pub(super) fn key(&self) -> Key {
        (self.group, name(&self.peer), self.protocol)
    }

    /// The time of greeting and login, if it is a database's and was not reported yet.
    pub(super) fn login(&self) -> Option<u64> {
        self.login_ns.filter(|_| matches!(self.language, Language::Postgres(..) | Language::Mysql(..)))
    }

    pub(super) fn transfer(
        &mut self,
        transfer: &Transfer<'_>,
        moment: Moment,
        statements: &mut Statements,
        notice: &mut dyn FnMut(Notice),
    ) {
        self.pid = transfer.pid;
        if self.led_to.is_none() && is_known(&transfer.socket.peer) {
            self.led_to = Some(transfer.socket.peer.clone());
        }
        if self.accepted {
            return;
        }
        // An address given with the message, on an unconnected socket.
        if self.datagram && transfer.socket.peer != Peer::Unknown {
            self.peer = transfer.socket.peer.clone();
        }
        match transfer.way {
            Way::Out => self.sent(transfer, moment, statements, notice),
            Way::In => self.received(transfer, moment, statements, notice),
        }
    }

    fn sent(
        &mut self,
        transfer: &Transfer<'_>,
        moment: Moment,
        statements: &mut Statements,
        notice: &mut dyn FnMut(Notice),
    ) {
        let begun_ns = transfer.at_ns.saturating_sub(transfer.took_ns);
        if matches!(self.language, Language::Unknown) {
            self.protocol = wire::recognise(transfer.payload, &self.peer);
            self.language = match self.protocol {
                Protocol::Postgres => Language::Postgres(PostgresClient::new(), VecDeque::new()),
                Protocol::Mysql => Language::Mysql(MysqlClient::new(), VecDeque::new()),
                Protocol::Tls => Language::Tls(Handshake::default()),
                Protocol::Dns => Language::Dns(VecDeque::new()),
                _ => Language::Plain,
            };
        }
        if self.asked_ns.is_none() {
            // An answer came since: earlier questions are over, though their end was not understood.
            self.language.forget_pending();
        }
        // The server has agreed to TLS in between: this is the hello.
        if self.language.is_now_tls() {
            self.inside = Some(self.protocol);
            (self.language, self.protocol) = (Language::Tls(Handshake::default()), Protocol::Tls);
        }
        let (payload, total) = (transfer.payload, usize::try_from(transfer.result).unwrap_or(0));
        let (group, database, mut has_asked) = (self.group, name(&self.peer), false);
        let mut ask = |pending: &mut VecDeque<Asked>, protocol, statement: &wire::Statement<'_>| {
            has_asked = true;
            wait(pending, Asked::of((group, &database, protocol), statement, moment, statements));
        };
        match &mut self.language {
            Language::Unknown | Language::Plain => self.used = true,
            Language::Postgres(client, pending) => {
                client.sent(payload, total, |statement| ask(pending, QueryProtocol::Postgres, &statement));
            }
            Language::Mysql(client, pending) => {
                client.sent(payload, total, |statement| ask(pending, QueryProtocol::Mysql, &statement));
            }
            Language::Tls(handshake) => match handshake.sent(payload, begun_ns, transfer.at_ns) {
                Sent::Hello { server_name } => notice(Notice::Hello { server_name }),
                Sent::Done { took_ns, with_data } => {
                    notice(Notice::HandshakeDone { took_ns });
                    self.used |= with_data;
                }
                Sent::Data => self.used = true,
                Sent::Handshake => {}
            },
            Language::Dns(pending) => {
                self.used = true;
                for question in dns::questions(payload) {
                    notice(Notice::Question { name: question.name.clone(), kind: question.kind.clone() });
                    wait(pending, (question.name, question.kind, begun_ns));
                }
            }
        }
        self.used |= has_asked;
        if self.used
            && let Some(took_ns) = self.login()
        {
            self.login_ns = None;
            notice(Notice::Login { took_ns });
        }
        self.asked_ns = self.asked_ns.or(Some(begun_ns));
    }

    fn received(
        &mut self,
        transfer: &Transfer<'_>,
        moment: Moment,
        statements: &mut Statements,
        notice: &mut dyn FnMut(Notice),
    ) {
        let asked_ns = self.asked_ns.take();
        let took_ns = asked_ns.map(|asked_ns| transfer.at_ns.saturating_sub(asked_ns));
        match &mut self.language {
            Language::Postgres(client, pending) => {
                let rows = client.received(transfer.payload);
                answered(pending, took_ns, rows, moment, statements);
            }
            Language::Mysql(client, pending) => {
                let rows = client.received(transfer.payload);
                answered(pending, took_ns, rows, moment, statements);
            }
            Language::Dns(pending) => {
                if let Some((name, kind, asked_ns)) = pending.pop_front() {
                    let took_ns = transfer.at_ns.saturating_sub(asked_ns);
                    notice(Notice::Answer { name, kind, took_ns });
                }
            }
            Language::Tls(_) | Language::Unknown | Language::Plain => {}
        }
        if self.used {
            if let Some(took_ns) = took_ns {
                notice(Notice::Exchange { took_ns });
            }
        } else if self.opened_in.is_some() {
            // MySQL's server speaks first.
            let stands_ns = self.asked_for_ns + if self.pending { self.connect_ns } else { 0 };
            let greeting_ns =
                matches!(self.language, Language::Unknown).then(|| transfer.at_ns.saturating_sub(stands_ns));
            if let Some(took_ns) = took_ns.or(greeting_ns) {
                self.login_ns = Some(self.login_ns.unwrap_or(0).saturating_add(took_ns));
            }
        }
    }
}

impl Conversation {
    /// Rows came that were counted on their way.
    pub(super) fn rows(&self, rows: u64, moment: Moment, statements: &mut Statements) {
        if let Language::Mysql(_, pending) = &self.language {
            returned(pending, rows, moment, statements);
        }
    }
}

impl Language {
    fn is_now_tls(&self) -> bool {
        match self {
            Self::Postgres(client, _) => client.is_tls(),
            Self::Mysql(client, _) => client.is_tls(),
            _ => false,
        }
    }

    fn forget_pending(&mut self) {
        match self {
            Self::Postgres(_, pending) | Self::Mysql(_, pending) => pending.clear(),
            _ => {}
        }
    }
}

impl Asked {
    fn of(
        to: (usize, &str, QueryProtocol),
        statement: &wire::Statement<'_>,
        moment: Moment,
        statements: &mut Statements,
    ) -> Self {
        let is_prepare = statement.parse_only;
        let key = if is_prepare {
            statements.prepared(to, statement.text, moment)
        } else {
            statements.executed(to, statement.text, Some(statement.identity), moment)
        };
        Self { key, is_prepare }
    }
}

/// The first bytes of an answer came: for the oldest statement, and those sent with it. The time goes to the oldest
/// alone, since it includes the others'.
fn answered(
    pending: &mut VecDeque<Asked>,
    took_ns: Option<u64>,
    rows: Option<u64>,
    moment: Moment,
    statements: &mut Statements,
) {
    if let Some(took_ns) = took_ns {
        match pending.front() {
            Some(Asked { key, is_prepare: true }) => {
                statements.prepare_took(key, took_ns, moment);
                pending.pop_front();
            }
            Some(asked) => statements.took(&asked.key, took_ns, moment),
            None => {}
        }
    }
    if let Some(rows) = rows {
        returned(pending, rows, moment, statements);
    }
}

/// An answer may come in several parts: what was asked waits until something else is.
fn returned(pending: &VecDeque<Asked>, rows: u64, moment: Moment, statements: &mut Statements) {
    if let Some(asked) = pending.back().filter(|asked| !asked.is_prepare) {
        statements.rows(&asked.key, rows, moment);
    }
}

fn is_known(peer: &Peer) -> bool {
    match peer {
        Peer::Ip(_) => true,
        Peer::Unix(path) => !path.is_empty(),
        Peer::Unknown => false,
    }
}

fn wait<T>(pending: &mut VecDeque<T>, one: T) {
    if pending.len() == MAX_PENDING {
        pending.pop_front();
    }
    pending.push_back(one);
}

/// Group, peer and protocol.
pub(super) type Key = (usize, String, Protocol);

/// `10.0.0.5:443`, `/run/mysqld/mysqld.sock`
pub(super) fn name(peer: &Peer) -> String {
    match peer {
        Peer::Ip(address) => address.to_string(),
        Peer::Unix(path) if path.is_empty() => "an unnamed Unix socket".into(),
        Peer::Unix(path) => String::from_utf8_lossy(path).into_owned(),
        Peer::Unknown => "unknown".into(),
    }
}

#[derive(Debug)]
pub(super) enum Notice {
    Hello {
        server_name: Option<String>,
    },
    HandshakeDone {
        took_ns: u64,
    },
    Login {
        took_ns: u64,
    },
    /// Something was asked and the answer began.
    Exchange {
        took_ns: u64,
    },
    Question {
        name: String,
        kind: String,
    },
    Answer {
        name: String,
        kind: String,
        took_ns: u64,
    },
}

/// Clients of TLS 1.3 may send this before their second hello, for the sake of old middleboxes (RFC 8446, D.4).
const CHANGE_CIPHER_SPEC: &[u8] = &[20, 3, 3, 0, 1, 1];

/// A client's part of beginning TLS, up to the first data.
#[derive(Debug, Default)]
struct Handshake {
    /// When the hello was sent, ns; `None` before it, and after the end.
    hello_ns: Option<u64>,
    /// TLS 1.2 or older: the client ends the handshake by a record of the handshake's own type, and the first record of
    /// data is data. In TLS 1.3 everything after the hello looks like data, and the first of it is the end of the
    /// handshake.
    is_old: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Sent {
    Hello {
        server_name: Option<String>,
    },
    /// More of the handshake, or nothing conclusive.
    Handshake,
    Done {
        /// Since the hello, ns.
        took_ns: u64,
        /// Data was sent with it.
        with_data: bool,
    },
    Data,
}

impl Handshake {
    fn sent(&mut self, payload: &[u8], begun_ns: u64, at_ns: u64) -> Sent {
        let hello = payload.strip_prefix(CHANGE_CIPHER_SPEC).unwrap_or(payload);
        if let Some(hello) = tls::client_hello(hello) {
            // A second one, after the server rejected the first, belongs to the same handshake.
            if self.hello_ns.is_some() {
                return Sent::Handshake;
            }
            *self = Self { hello_ns: Some(begun_ns), is_old: false };
            return Sent::Hello { server_name: hello.server_name };
        }
        self.is_old |= tls::has_handshake(payload);
        let data = tls::application_data(payload);
        match self.hello_ns {
            _ if data == 0 => Sent::Handshake,
            None => Sent::Data,
            Some(hello_ns) => {
                self.hello_ns = None;
                let end_ns = if self.is_old { begun_ns } else { at_ns };
                Sent::Done { took_ns: end_ns.saturating_sub(hello_ns), with_data: self.is_old || data > 1 }
            }
        }
    }
}

#[cfg(test)]
mod tests;
