//! The principal type is [`Writer`]: the access log's own thread.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

use crate::access_log::line;
use crate::troubles::{Trouble, Troubles};
use crate::{Addresses, LogFields, LogSettings};

/// Pause for further lines after the first: a wake-up for each line would cost the threads that carry requests a system
/// call a line.
const GATHER: Duration = Duration::from_millis(20);

const BATCH: usize = 64 * 1024;

pub(super) struct Writer {
    queue: Receiver<Message>,
    shared: Arc<Shared>,
    sink: Sink,
    batch: Vec<u8>,
    torn: bool,
    told: u64,
    stops: bool,
    lost: u64,
    /// Lines that found no room, as far as reported.
    lost_full: u64,
}

impl Writer {
    pub(super) fn new(queue: Receiver<Message>, shared: Arc<Shared>) -> Self {
        let batch = Vec::with_capacity(BATCH + line::LONGEST);
        Self { queue, shared, sink: Sink::nowhere(), batch, torn: false, told: 0, stops: false, lost: 0, lost_full: 0 }
    }

    pub(super) fn run(mut self) {
        while !self.stops {
            let Ok(first) = self.queue.recv() else { return };
            if matches!(first, Message::Line(_)) {
                std::thread::sleep(GATHER);
            }
            self.take(first);
            self.take_what_waits();
            let next = lock(&self.shared.next).take();
            if let Some(next) = next {
                self.turn_to(next);
            }
            self.look_for_lost();
        }
        self.take_what_waits();
        self.look_for_lost();
    }

    /// At most one full queue: a flood of lines must not keep it from all else.
    fn take_what_waits(&mut self) {
        for _ in 0..QUEUE {
            let Ok(message) = self.queue.try_recv() else { break };
            self.take(message);
        }
        self.write();
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Line(line) => {
                self.batch.extend(line);
                if self.batch.len() >= BATCH {
                    self.write();
                }
            }
            Message::Next(next) => {
                self.write();
                self.turn_to(next);
            }
        }
    }

    fn turn_to(&mut self, next: Next) {
        if next.number <= self.told {
            return;
        }
        self.told = next.number;
        match next.sink {
            Some(sink) => {
                self.sink = sink;
                self.torn = false;
            }
            None => self.stops = true,
        }
    }

    fn write(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        if self.torn {
            self.batch.insert(0, b'\n');
        }
        let (written, ended) = self.sink.write(&self.batch);
        let (out, lost) = self.batch.split_at(written);
        // The end of a torn line is no line; it was counted as lost.
        let torn = u64::from(self.torn);
        let (written, lost) = if written > 0 { (lines(out) - torn, lines(lost)) } else { (0, lines(lost) - torn) };
        self.shared.written.fetch_add(written, Ordering::Relaxed);
        self.shared.lost_write.fetch_add(lost, Ordering::Relaxed);
        self.torn = match out.last() {
            Some(&last) => last != b'\n',
            None => self.torn,
        };
        self.batch.clear();
        self.lost += lost;
        match ended {
            Err(error) => {
                let cause = format!("cannot be written: {error}; so far {} lines are lost", self.lost);
                self.tell("lost_write", &cause);
            }
            Ok(()) if self.lost > 0 => {
                let cause = format!("can be written again; {} lines were lost", self.lost);
                self.tell("written_again", &cause);
                self.lost = 0;
            }
            Ok(()) => (),
        }
    }

    fn look_for_lost(&mut self) {
        let lost = self.shared.lost_full.load(Ordering::Relaxed);
        if lost > self.lost_full {
            let cause = format!("is not written fast enough: {} lines are lost; check its disk", lost - self.lost_full);
            self.tell("lost_full", &cause);
            self.lost_full = lost;
        }
    }

    fn tell(&self, reason: &'static str, cause: &str) {
        self.shared.troubles.tell(&Trouble { whom: "access log", place: None, reason, cause }, b"");
    }
}

fn lines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&b| b == b'\n').count() as u64
}

/// Maximum of waiting lines: 40 ms at 200,000 a second; the writer takes them every 20 ms. At most 64 MiB.
pub(super) const QUEUE: usize = 8 * 1024;

/// Message to the writer, in order: each line goes to the sink that was set before it.
#[derive(Debug)]
pub(super) enum Message {
    Line(Vec<u8>),
    Next(Next),
}

/// State shared by the threads that carry requests and the access log's own thread, besides the queue of [`Message`]s.
#[derive(Debug, Default)]
pub(super) struct Shared {
    /// Logged share of requests, as bits of an f64; negative if nothing is logged, not even failures.
    pub(super) share: AtomicU64,
    pub(super) fields: AtomicU32,
    /// Index into [`Addresses::WORDS`].
    pub(super) addresses: AtomicU8,
    /// A command that found no room in the queue: the writer looks here too.
    pub(super) next: Mutex<Option<Next>>,
    pub(super) told: AtomicU64,
    pub(super) written: AtomicU64,
    pub(super) lost_full: AtomicU64,
    pub(super) lost_write: AtomicU64,
    pub(super) troubles: Troubles,
}

#[derive(Debug)]
pub(super) struct Next {
    /// Sequence number: a command that came another way must not undo a later one.
    pub(super) number: u64,
    pub(super) sink: Option<Sink>,
}

impl Shared {
    pub(super) fn set_shape(&self, settings: &LogSettings) {
        let addresses = Addresses::WORDS.iter().position(|(_, meaning)| *meaning == settings.addresses);
        self.fields.store(settings.fields.to_bits(), Ordering::Relaxed);
        self.addresses.store(addresses.and_then(|place| place.try_into().ok()).unwrap_or_default(), Ordering::Relaxed);
    }

    pub(super) fn shape(&self) -> line::Shape {
        let addresses = Addresses::WORDS.get(usize::from(self.addresses.load(Ordering::Relaxed)));
        line::Shape {
            fields: LogFields::from_bits(self.fields.load(Ordering::Relaxed)),
            addresses: addresses.map_or(Addresses::None, |(_, meaning)| *meaning),
        }
    }
}

/// A thread that panicked has left the guarded value valid.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
pub(super) struct Sink(Option<File>);

impl Sink {
    /// A file (appended to, created if missing), or standard error.
    pub(super) fn open(path: Option<&Path>) -> io::Result<Self> {
        let Some(path) = path else {
            // A separate descriptor: std's is locked during writes, and others need it.
            return Ok(Self(Some(File::from(io::stderr().as_fd().try_clone_to_owned()?))));
        };
        let file = appending().create(true).mode(0o640).open(path)?;
        let flags = OFlag::from_bits_retain(fcntl(&file, FcntlArg::F_GETFL)?);
        fcntl(&file, FcntlArg::F_SETFL(flags & !OFlag::O_NONBLOCK))?;
        Ok(Self(Some(file)))
    }

    /// Whether an existing file can be appended to; neither changes nor creates it.
    pub(super) fn try_existing(path: &Path) -> io::Result<()> {
        // A named pipe without a reader cannot be opened for writing; the reader may come later.
        if path.metadata()?.file_type().is_fifo() {
            return Ok(());
        }
        appending().open(path).map(drop)
    }

    pub(super) fn nowhere() -> Self {
        Self(None)
    }

    /// Writes as much as possible; returns the bytes written, and the error that stopped it.
    pub(super) fn write(&self, bytes: &[u8]) -> (usize, io::Result<()>) {
        let Some(mut file) = self.0.as_ref() else { return (bytes.len(), Ok(())) };
        let mut written = 0;
        while written < bytes.len() {
            match io::Write::write(&mut file, &bytes[written..]) {
                Ok(0) => return (written, Err(io::ErrorKind::WriteZero.into())),
                Ok(n) => written += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return (written, Err(error)),
            }
        }
        (written, Ok(()))
    }
}

/// An unread named pipe must not block the opener; once open, the writer waits for its reader.
fn appending() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.append(true).custom_flags((OFlag::O_NONBLOCK | OFlag::O_NOCTTY).bits());
    options
}
