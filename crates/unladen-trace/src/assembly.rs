//! The principal type is [`Assembly`]: sorts events into phases and requests, and sums them up as evidence.
//!
//! [`Assembly::phase`] takes what was traced in a phase, and when its requests were sent. Of events, only counts by key
//! are kept, and what later events need: the files behind descriptors, statements prepared over connections.

mod connections;
mod files;
mod logs;
mod processes;
mod statements;
mod syscalls;
mod table;

pub use files::Resolver;
pub use table::Window;

use crate::event::{Batch, Event, FileCall, Language, Object, What};
use crate::evidence::{Evidence, SleepSeen};
use crate::phases::PhaseSeen;
use connections::Connections;
use files::{Descriptors, Files};
use logs::Logs;
use processes::Processes;
use statements::{Sqlite, Statements};
use syscalls::Syscalls;
use table::{Moment, Table, Transfer};

/// Sums the events of a counting up as evidence.
pub struct Assembly {
    resolver: Box<dyn Resolver>,
    phases: Vec<PhaseSeen>,
    requests: u64,
    lost: u64,
    syscalls: Syscalls,
    descriptors: Descriptors,
    files: Files,
    logs: Logs,
    connections: Connections,
    statements: Statements,
    sqlite: Sqlite,
    processes: Processes,
    sleeps: Table<usize>,
}

impl Assembly {
    /// An assembly without events.
    pub fn new(resolver: Box<dyn Resolver>) -> Self {
        Self {
            resolver,
            phases: Vec::new(),
            requests: 0,
            lost: 0,
            syscalls: Syscalls::default(),
            descriptors: Descriptors::default(),
            files: Files::default(),
            logs: Logs::default(),
            connections: Connections::default(),
            statements: Statements::default(),
            sqlite: Sqlite::default(),
            processes: Processes::default(),
            sleeps: Table::default(),
        }
    }

    /// Adds a phase, and what was traced in it.
    pub fn phase(&mut self, window: &Window, batch: Batch) {
        let phase = self.phases.len();
        let requests = window.sent_ns.len() as u64;
        self.phases.push(PhaseSeen {
            on: window.on,
            duration_ns: window.end_ns.saturating_sub(window.begin_ns),
            requests,
        });
        self.lost += batch.lost;
        for count in &batch.counts {
            self.syscalls.count(count, phase, window.on);
        }
        for event in batch.events {
            let moment = Moment { phase, request: self.requests + window.request_at(event.at_ns) };
            self.event(event, moment);
        }
        self.files.end_phase();
        self.statements.end_phase();
        self.processes.end_phase();
        // Request numbers are unique, so that the last of one phase and the first of the next differ.
        self.requests += requests.max(1);
    }

    /// The process of a group that did most in response to requests: of two servers under one name, one that was asked.
    pub fn busiest(&self, group: usize) -> Option<u32> {
        self.syscalls.busiest(group)
    }

    /// Adds all sums to the evidence, without those of an incomplete block.
    pub fn finish(self, evidence: &mut Evidence) {
        for phase in self.phases {
            evidence.phases.push(phase);
        }
        evidence.phases.drop_partial();
        evidence.page.requests = evidence.phases.requests();
        let dropped = self.files.dropped()
            + self.logs.dropped()
            + self.connections.dropped()
            + self.statements.dropped()
            + self.sqlite.dropped();
        evidence.lost += self.lost + dropped;
        self.syscalls.finish(evidence);
        self.files.finish(evidence);
        self.logs.finish(evidence);
        self.connections.finish(evidence);
        self.statements.finish(evidence);
        self.processes.finish(evidence);
        evidence.sleeps =
            self.sleeps.into_sorted().into_iter().map(|(group, counted)| SleepSeen { group, counted }).collect();
    }

    fn event(&mut self, event: Event, moment: Moment) {
        let Event { at_ns, pid, tid, group, what } = event;
        let group = group as usize;
        let resolver = self.resolver.as_ref();
        match what {
            What::File { call, path, target, folder, result, took_ns } => {
                let whole = |descriptors: &mut Descriptors, path: &[u8]| {
                    descriptors.absolute(pid, folder, &String::from_utf8_lossy(path), resolver)
                };
                let path = whole(&mut self.descriptors, &path);
                let target = target.map(|target| whole(&mut self.descriptors, &target));
                if result >= 0 {
                    match call {
                        _ if call.opens() => {
                            self.descriptors.opened(pid, result, &path);
                            self.processes.opened(tid, at_ns, &path);
                            // Python's import reads the compiled file, and has no function common to all its versions
                            // to attach to.
                            if path.ends_with(".pyc") {
                                let module = (Language::Python, Some(path.clone()));
                                self.processes.compiled(group, tid, at_ns, module, 0, false, moment);
                            }
                        }
                        FileCall::Chdir => self.descriptors.changed_folder(pid, path.clone()),
                        _ => {}
                    }
                }
                self.files.call(group, call, path, target, result, took_ns, moment);
            }
            What::Transfer { way, fd, object, result, payload, took_ns } => match object {
                Object::File(name) => {
                    let name = String::from_utf8_lossy(&name);
                    let path = self.descriptors.path(pid, fd, &name, resolver);
                    self.logs.file(group, way, fd, &path, result, &payload, took_ns, moment);
                    self.files.transfer(group, way, path, result, moment);
                }
                Object::Socket(socket) => {
                    let payload = &payload;
                    let transfer = Transfer { at_ns, pid, group, way, socket: &socket, result, payload, took_ns };
                    if !self.logs.socket(&transfer, moment) {
                        self.connections.transfer(&transfer, moment, &mut self.statements);
                    }
                }
                Object::Pipe | Object::Other => self.logs.stream(group, way, fd, result, &payload, took_ns, moment),
            },
            What::Rows { socket, rows } => self.connections.rows(&socket, rows, moment, &mut self.statements),
            What::Connect { socket, result, took_ns, .. } => {
                self.connections.connect((at_ns, pid, group), &socket, result, took_ns, moment);
            }
            What::Established { socket, took_ns } => self.connections.established(&socket, took_ns),
            What::Close { fd, socket } => {
                self.descriptors.closed(pid, fd);
                if let Some(socket) = socket {
                    self.connections.close(pid, &socket, moment);
                }
            }
            What::Lock { call, fd, name, unlock: false, took_ns, .. } => {
                let path = self.descriptors.path(pid, fd, &String::from_utf8_lossy(&name), resolver);
                self.files.lock(group, call, path, took_ns, moment);
            }
            What::Lock { unlock: true, .. } => {}
            What::Sleep { took_ns } => _ = self.sleeps.add(group, moment, took_ns),
            What::Fork { child } => {
                self.descriptors.forked(pid, child);
                self.processes.forked(group, child, moment);
            }
            What::Exec { path } => {
                self.sqlite.ended(pid);
                self.processes.became(pid, group, String::from_utf8_lossy(&path).into_owned(), moment);
            }
            What::Exit { cpu_ns } => {
                self.descriptors.ended(pid);
                self.sqlite.ended(pid);
                self.processes.ended(pid, cpu_ns, moment);
            }
            What::Compile { language, path, took_ns, nested } => {
                let path = path.map(|path| String::from_utf8_lossy(&path).into_owned());
                self.processes.compiled(group, tid, at_ns, (language, path), took_ns, nested, moment);
            }
            What::SqlitePrepare { statement, sql, took_ns } => {
                self.sqlite.prepared(pid, statement, &sql, took_ns);
            }
            What::SqliteStep { statement, row, took_ns } => {
                self.sqlite.stepped(group, pid, statement, row, took_ns, moment, &mut self.statements);
            }
            What::SqliteReset { statement } => self.sqlite.reset(pid, statement),
        }
    }
}

#[cfg(test)]
mod tests;
