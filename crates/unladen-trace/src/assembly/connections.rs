//! The principal type is [`Connections`]: connections that followed processes open as clients, and their traffic.

mod conversation;

use std::collections::{BTreeMap, HashMap};

use nix::errno::Errno;

use crate::assembly::statements::Statements;
use crate::assembly::table::{MAX_KEYS, Moment, Table, Transfer};
use crate::event::{Peer, Socket};
use crate::evidence::{ConnectionSeen, DnsSeen, Evidence, Protocol};
use crate::series::Series;
use conversation::{Conversation, Key, Notice, name};

const MAX_SOCKETS: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct Connections {
    open: HashMap<u64, Conversation>,
    seen: BTreeMap<Key, Seen>,
    opened: Table<Key>,
    handshakes: Table<Key>,
    logins: Table<Key>,
    exchanges: Table<Key>,
    questions: Table<(usize, String, String, String)>,
    dropped: u64,
    /// Replaces entries for which `seen` has no room.
    beyond: Seen,
}

#[derive(Debug, Default)]
struct Seen {
    local: bool,
    server_name: Option<String>,
    inside: Option<Protocol>,
    refused: Series,
    reused: Series,
    unused: Series,
}

impl Connections {
    pub(super) fn connect(
        &mut self,
        (at_ns, pid, group): (u64, u32, usize),
        socket: &Socket,
        result: i32,
        took_ns: u64,
        moment: Moment,
    ) {
        let pending = result == -(Errno::EINPROGRESS as i32);
        if result != 0 && !pending {
            self.seen((group, name(&socket.peer), Protocol::Silent), &socket.peer).refused.add(moment.phase, 1);
            return;
        }
        if self.open.len() >= MAX_SOCKETS {
            self.dropped += 1;
            return;
        }
        // A socket connected again without a seen close is another conversation.
        if let Some(former) = self.open.remove(&socket.id) {
            self.account(former, moment);
        }
        self.open.insert(socket.id, Conversation::opened((pid, group), socket, at_ns, took_ns, pending, moment));
    }

    pub(super) fn established(&mut self, socket: &Socket, took_ns: u64) {
        if let Some(conversation) = self.open.get_mut(&socket.id) {
            conversation.connect_ns = conversation.connect_ns.max(took_ns);
        }
    }

    pub(super) fn transfer(&mut self, transfer: &Transfer<'_>, moment: Moment, statements: &mut Statements) {
        if transfer.result <= 0 {
            return;
        }
        let id = transfer.socket.id;
        // Its owner ended, which closes it without a call; another reuses its place in the kernel's memory.
        if let Some(former) = remove_if(&mut self.open, id, |open| !open.is_of(transfer.socket)) {
            self.account(former, moment);
        }
        if !self.open.contains_key(&id) {
            // Opened before tracing began, or accepted: its content tells.
            if self.open.len() >= MAX_SOCKETS {
                self.dropped += 1;
                return;
            }
            self.open.insert(id, Conversation::joined(transfer));
        }
        let Some(conversation) = self.open.get_mut(&id) else { return };
        let mut notices = Vec::new();
        conversation.transfer(transfer, moment, statements, &mut |notice| notices.push(notice));
        let key = conversation.key();
        let reused = conversation.opened_in.is_none_or(|opened| opened.request != moment.request);
        let (peer, inside) = (conversation.peer.clone(), conversation.inside);
        if inside.is_some() && !notices.is_empty() {
            self.seen(key.clone(), &peer).inside = inside;
        }
        for notice in notices {
            self.notice(key.clone(), &peer, notice, reused, moment);
        }
    }

    pub(super) fn rows(&mut self, socket: &Socket, rows: u64, moment: Moment, statements: &mut Statements) {
        if let Some(conversation) = self.open.get(&socket.id) {
            conversation.rows(rows, moment, statements);
        }
    }

    /// A process closed it. A close by one that only inherited it ends nothing: some close everything before they
    /// become another program.
    pub(super) fn close(&mut self, pid: u32, socket: &Socket, moment: Moment) {
        if let Some(conversation) = remove_if(&mut self.open, socket.id, |open| open.pid == pid) {
            self.account(conversation, moment);
        }
    }

    fn notice(&mut self, key: Key, peer: &Peer, notice: Notice, reused: bool, moment: Moment) {
        match notice {
            Notice::Hello { server_name } => {
                self.handshakes.add(key.clone(), moment, 0);
                let seen = self.seen(key, peer);
                seen.server_name = seen.server_name.take().or(server_name);
            }
            Notice::HandshakeDone { took_ns } => self.handshakes.add_time(key, moment, took_ns),
            Notice::Login { took_ns } => {
                self.logins.add(key.clone(), moment, took_ns);
                self.seen(key, peer);
            }
            Notice::Exchange { took_ns } => {
                self.exchanges.add(key.clone(), moment, took_ns);
                if reused {
                    self.seen(key, peer).reused.add(moment.phase, 1);
                } else {
                    self.seen(key, peer);
                }
            }
            Notice::Question { name, kind } => _ = self.questions.add((key.0, name, kind, key.1), moment, 0),
            Notice::Answer { name, kind, took_ns } => {
                self.questions.add_time((key.0, name, kind, key.1), moment, took_ns);
            }
        }
    }

    /// Accounts for a finished connection.
    fn account(&mut self, conversation: Conversation, moment: Moment) {
        if let Some(seen) = self.account_for_opening(&conversation)
            && !conversation.used
        {
            seen.unused.add(moment.phase, 1);
        }
    }

    /// Done at the end, as its protocol is not known earlier. `None` if it was opened before tracing began.
    fn account_for_opening(&mut self, conversation: &Conversation) -> Option<&mut Seen> {
        let opened_in = conversation.opened_in.filter(|_| !conversation.datagram)?;
        let key = conversation.key();
        self.opened.add(key.clone(), opened_in, conversation.opening_ns());
        if let Some(took_ns) = conversation.login() {
            self.logins.add(key.clone(), opened_in, took_ns);
        }
        Some(self.seen(key, &conversation.peer))
    }

    fn seen(&mut self, key: Key, peer: &Peer) -> &mut Seen {
        if self.seen.len() >= MAX_KEYS && !self.seen.contains_key(&key) {
            self.dropped += 1;
            self.beyond = Seen::default();
            return &mut self.beyond;
        }
        self.seen.entry(key).or_insert_with(|| Seen { local: is_local(peer), ..Seen::default() })
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped + self.opened.dropped() + self.questions.dropped()
    }

    pub(super) fn finish(mut self, evidence: &mut Evidence) {
        // Connections that stay open: whether something will be asked over them is unknown.
        for conversation in std::mem::take(&mut self.open).into_values() {
            self.account_for_opening(&conversation);
        }
        let mut connections: BTreeMap<Key, ConnectionSeen> = BTreeMap::new();
        for (key, seen) in self.seen {
            let Seen { local, server_name, inside, refused, reused, unused } = seen;
            let (group, peer, protocol) = key.clone();
            connections.insert(
                key,
                ConnectionSeen {
                    group,
                    peer,
                    local,
                    protocol,
                    server_name,
                    inside,
                    refused,
                    reused,
                    unused,
                    ..Default::default()
                },
            );
        }
        for (key, counted) in self.opened.into_sorted() {
            of(&mut connections, key).opened = counted;
        }
        for (key, counted) in self.handshakes.into_sorted() {
            of(&mut connections, key).handshakes = counted;
        }
        for (key, counted) in self.logins.into_sorted() {
            of(&mut connections, key).logins = counted;
        }
        for (key, counted) in self.exchanges.into_sorted() {
            of(&mut connections, key).exchanges = counted;
        }
        evidence.connections = connections.into_values().collect();
        evidence.dns = self
            .questions
            .into_sorted()
            .into_iter()
            .map(|((group, name, kind, server), counted)| DnsSeen { group, name, kind, server, counted })
            .collect();
    }
}

fn remove_if(
    open: &mut HashMap<u64, Conversation>,
    id: u64,
    is_over: impl Fn(&Conversation) -> bool,
) -> Option<Conversation> {
    if open.get(&id).is_some_and(is_over) { open.remove(&id) } else { None }
}

fn of(connections: &mut BTreeMap<Key, ConnectionSeen>, key: Key) -> &mut ConnectionSeen {
    let (group, peer, protocol) = key.clone();
    connections.entry(key).or_insert_with(|| ConnectionSeen { group, peer, protocol, ..Default::default() })
}

fn is_local(peer: &Peer) -> bool {
    match peer {
        Peer::Ip(address) => address.ip().to_canonical().is_loopback(),
        Peer::Unix(_) => true,
        Peer::Unknown => false,
    }
}

#[cfg(test)]
mod tests;
