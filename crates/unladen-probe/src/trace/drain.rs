//! The thread that empties the ring. The principal type is [`Drain`].

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use libbpf_rs::{MapCore, MapHandle, RingBufferBuilder};
use unladen_trace::{Event, What};

use super::TraceError;
use super::functions::Functions;
use super::record::{Decoder, NOBODY};

/// Pause between looks. The kernel's part wakes nobody; at this pace, 16 MiB hold what comes at five million events a
/// second.
const PAUSE: Duration = Duration::from_millis(10);

/// `sizeof(struct record)` in bpf/record.h: no record of the ring is shorter.
const LEAST_RECORD: usize = 128;

/// How often a process that became another program is examined: first it has mapped only the program, later its
/// libraries.
const LOOKS: u8 = 3;

#[derive(Debug, Default)]
pub(super) struct Drained {
    pub(super) events: Vec<Event>,
    /// Events without room, or malformed.
    pub(super) dropped: u64,
}

enum Ask {
    Take(Sender<Drained>),
    Listening(HashSet<u16>, Sender<()>),
}

#[derive(Debug)]
pub(super) struct Drain {
    asks: Option<Sender<Ask>>,
    thread: Option<JoinHandle<()>>,
}

impl Drain {
    pub(super) fn start(
        ring: MapHandle,
        most_events: usize,
        functions: Arc<Mutex<Functions>>,
    ) -> Result<Self, TraceError> {
        let (asks, receiver) = channel();
        let (begun, has_begun) = channel();
        let thread = std::thread::Builder::new()
            .name("trace".into())
            .spawn(move || {
                if let Err(error) = run(&ring, most_events, &functions, &receiver, &begun) {
                    // The receiver still listens: this happens before the thread has begun.
                    let _ = begun.send(Err(error));
                }
            })
            .map_err(|error| TraceError::failed("starting a thread", error))?;
        let drain = Self { asks: Some(asks), thread: Some(thread) };
        match has_begun.recv() {
            Ok(Ok(())) => Ok(drain),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(TraceError::failed("reading events", "its thread ended")),
        }
    }

    /// Events up to now, including those still in the ring.
    pub(super) fn take(&self) -> Result<Drained, TraceError> {
        let (reply, replied) = channel();
        self.ask(Ask::Take(reply));
        replied.recv().map_err(|_| TraceError::failed("reading events", "its thread ended"))
    }

    /// Connections to these ports count as accepted in all events read after this has returned.
    pub(super) fn listening(&self, ports: HashSet<u16>) {
        let (reply, replied) = channel();
        self.ask(Ask::Listening(ports, reply));
        // An ended thread shows at the next `take`.
        let _ = replied.recv();
    }

    fn ask(&self, ask: Ask) {
        // An ended thread shows at the next `take`.
        let _ = self.asks.as_ref().map(|asks| asks.send(ask));
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        drop(self.asks.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct State {
    decoder: Decoder,
    drained: Drained,
    most_events: usize,
    became: Vec<(u32, u8)>,
}

impl State {
    fn accept(&mut self, bytes: &[u8]) {
        match self.decoder.event(bytes) {
            Some(event) if event.group == NOBODY => {}
            Some(event) if self.drained.events.len() < self.most_events => {
                if matches!(event.what, What::Exec { .. }) {
                    self.became.push((event.pid, LOOKS));
                }
                self.drained.events.push(event);
            }
            _ => self.drained.dropped += 1,
        }
    }

    /// A process that became another program may run one whose functions are not traced yet.
    fn look(&mut self, functions: &Mutex<Functions>) {
        if self.became.is_empty() {
            return;
        }
        let Ok(mut functions) = functions.lock() else { return };
        self.became.retain_mut(|(pid, looks)| {
            functions.look(*pid);
            *looks -= 1;
            *looks > 0
        });
    }
}

fn run(
    ring: &MapHandle,
    most_events: usize,
    functions: &Mutex<Functions>,
    asks: &Receiver<Ask>,
    begun: &Sender<Result<(), TraceError>>,
) -> Result<(), TraceError> {
    let state =
        RefCell::new(State { decoder: Decoder::new(), drained: Drained::default(), most_events, became: Vec::new() });
    let failed = |error| TraceError::failed("reading events", error);
    // Most events that can be in the ring at once. Otherwise it would go on for as long as events come faster than they
    // are read, and nobody would get an answer.
    let most_at_once = ring.max_entries() as usize / LEAST_RECORD;
    let mut builder = RingBufferBuilder::new();
    builder
        .add(ring, |bytes| {
            state.borrow_mut().accept(bytes);
            0
        })
        .map_err(failed)?;
    let ring = builder.build().map_err(failed)?;
    let _ = begun.send(Ok(()));
    loop {
        let ask = asks.recv_timeout(PAUSE);
        // Fails only if a callback does.
        let _ = ring.consume_raw_n(most_at_once);
        state.borrow_mut().look(functions);
        match ask {
            Ok(Ask::Take(reply)) => {
                let _ = reply.send(std::mem::take(&mut state.borrow_mut().drained));
            }
            Ok(Ask::Listening(ports, reply)) => {
                state.borrow_mut().decoder.listening.extend(ports);
                let _ = reply.send(());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        }
    }
}
