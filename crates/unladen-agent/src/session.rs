//! The principal type is [`Session`]: a running agent on another host.

pub(crate) mod reader;
mod start;
mod transport;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use start::SessionOptions;

use self::reader::{Event, Out};
use crate::ask::{Answer, Ask};
use crate::clock::{ClockOffset, Pings, RoundTrips};
use crate::error::SessionError;
use crate::frame::encode;
use crate::hello::Hello;
use crate::host::Host;
use crate::probes::ProbeAnswer;
use crate::shown::shown_without_secrets;
use transport::{LastWords, Transport};

/// Maximum wait for room in the queue: after that nobody reads the frames.
const SEND_PATIENCE: Duration = Duration::from_secs(10);

const SEND_PAUSE: Duration = Duration::from_millis(2);

/// Interval at which a wait checks whether it is still wanted.
const SLICE: Duration = Duration::from_millis(50);

const MAX_SENTENCE: usize = 1000;

/// A running agent on another host, which ends when this is dropped.
#[derive(Debug)]
pub struct Session {
    host: Host,
    hello: Hello,
    path: String,
    pings: Arc<Mutex<Pings>>,
    words: Arc<LastWords>,
    ended: Mutex<Option<String>>,
    /// Number of abandoned answers about connections. They come in the order of the questions.
    given_up: AtomicUsize,
    /// Whether an answer about evidence was abandoned.
    traces_no_more: AtomicBool,
    // Dropped in this order: the agent's stdin ends, then the receiver of its answers goes, then its command is waited
    // for.
    out: SyncSender<Out>,
    events: Receiver<Event>,
    transport: Transport,
}

impl Session {
    /// Runs the host's command with `sh` appended, and has that shell start the agent. Fails if there is no shell, or
    /// it cannot start an agent.
    pub fn start(host: &Host, options: &SessionOptions) -> Result<Self, SessionError> {
        Self::start_unless(host, options, &|| false)
    }

    /// Like [`start`](Self::start), until it is cancelled.
    pub fn start_unless(
        host: &Host,
        options: &SessionOptions,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, SessionError> {
        let started = start::start(host, options, is_cancelled)?;
        Ok(Self {
            host: host.clone(),
            hello: started.hello,
            path: started.path,
            pings: started.link.pings,
            words: started.link.words,
            ended: Mutex::new(None),
            given_up: AtomicUsize::new(0),
            traces_no_more: AtomicBool::new(false),
            out: started.link.out,
            events: started.link.events,
            transport: started.link.transport,
        })
    }

    /// The host.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// The agent's hello.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Path of the agent there; `copied` if it was copied.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The local process that leads there: the shell that runs the host's command, or the command itself.
    pub fn carrier(&self) -> u32 {
        self.transport.pid()
    }

    /// Sends a question. Fails if the session has ended, or the agent takes nothing for ten seconds.
    pub fn send(&self, ask: &Ask) -> Result<(), SessionError> {
        let body = encode(ask).map_err(|error| self.malformed(format!("cannot be asked: {error}")))?;
        self.queue(Out::Frame(body))
    }

    fn queue(&self, mut out: Out) -> Result<(), SessionError> {
        let begun = Instant::now();
        loop {
            out = match self.out.try_send(out) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Disconnected(_)) => return Err(self.gone()),
                Err(TrySendError::Full(_)) if begun.elapsed() > SEND_PATIENCE => return Err(self.late()),
                Err(TrySendError::Full(out)) => out,
            };
            std::thread::sleep(SEND_PAUSE);
        }
    }

    /// The next answer, except to pings, which go into the [`clock`](Self::clock). Fails if none comes before the
    /// deadline, or the session has ended.
    pub fn recv(&self, deadline: Instant) -> Result<Answer, SessionError> {
        loop {
            let answer = self.next(deadline)?;
            // Each skipped answer was requested, so that they come to an end.
            let is_late = matches!(&answer, Answer::Probes(ProbeAnswer::Takers(_) | ProbeAnswer::Asked(_)))
                && self.given_up.try_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok();
            if !is_late {
                return Ok(answer);
            }
        }
    }

    /// As [`recv`](Self::recv), for an answer about connections; gives up early when it is no longer wanted. Then its
    /// late answer is skipped: later questions get their own answers.
    pub(crate) fn recv_of_connections(
        &self,
        deadline: Instant,
        is_wanted: &dyn Fn() -> bool,
    ) -> Result<Answer, SessionError> {
        let answer = self.recv_while(deadline, is_wanted);
        if let Err(SessionError::Late { .. }) = answer {
            self.given_up.fetch_add(1, Relaxed);
        }
        answer
    }

    /// As [`recv`](Self::recv), and gives up early when it is no longer wanted.
    pub(crate) fn recv_while(&self, deadline: Instant, is_wanted: &dyn Fn() -> bool) -> Result<Answer, SessionError> {
        loop {
            let slice = deadline.min(Instant::now() + SLICE);
            match self.recv(slice) {
                Err(SessionError::Late { .. }) if Instant::now() < deadline && is_wanted() => {}
                other => return other,
            }
        }
    }

    /// Marks that an answer about evidence was abandoned and may still come: no more such questions, as their answers
    /// would be confused.
    pub(crate) fn trace_no_more(&self) {
        self.traces_no_more.store(true, Relaxed);
    }

    pub(crate) fn traces_no_more(&self) -> bool {
        self.traces_no_more.load(Relaxed)
    }

    fn next(&self, deadline: Instant) -> Result<Answer, SessionError> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.events.recv_timeout(left) {
            Ok(Event::Answer(answer)) => Ok(answer),
            Ok(Event::End(why)) => {
                lock(&self.ended).get_or_insert(why);
                Err(self.gone())
            }
            Ok(Event::Said(_) | Event::Hello(_)) => Err(self.malformed("a second start".to_owned())),
            Err(RecvTimeoutError::Timeout) => Err(self.late()),
            Err(RecvTimeoutError::Disconnected) => Err(self.gone()),
        }
    }

    /// Pings that many times in sequence, and returns the offset of the clock there. Fails if the agent does not answer
    /// before the deadline, or is gone.
    pub fn measure_clock(&self, pings: usize, deadline: Instant) -> Result<ClockOffset, SessionError> {
        for _ in 0..pings.max(1) {
            let before = lock(&self.pings).count();
            self.queue(Out::Ping)?;
            // The reading thread takes the answer, so no other answer is lost meanwhile.
            while lock(&self.pings).count() == before {
                if Instant::now() >= deadline {
                    return Err(self.late());
                }
                if self.transport.has_ended() {
                    return Err(self.gone());
                }
                std::thread::sleep(SEND_PAUSE);
            }
        }
        self.clock().ok_or_else(|| self.late())
    }

    /// Offset of the clock there, from all pings so far. `None` before the first answer.
    pub fn clock(&self) -> Option<ClockOffset> {
        lock(&self.pings).offset(unladen_probe::monotonic_ns())
    }

    /// The round trips of pings so far.
    pub fn round_trips(&self) -> Option<RoundTrips> {
        lock(&self.pings).round_trips()
    }

    /// Last words of the host's command on stderr; empty if there are none.
    pub fn last_words(&self) -> String {
        self.words.text()
    }

    pub(crate) fn malformed(&self, why: String) -> SessionError {
        SessionError::Malformed { host: self.host.name.clone(), why }
    }

    pub(crate) fn unexpected(&self, answer: &Answer) -> SessionError {
        let host = self.host.name.clone();
        match answer {
            Answer::Refused { why, .. } => {
                SessionError::Refused { host, why: shown_without_secrets(why, MAX_SENTENCE) }
            }
            _ => self.malformed("an answer to a different question".to_owned()),
        }
    }

    pub(crate) fn late(&self) -> SessionError {
        SessionError::Late { host: self.host.name.clone(), words: self.words.behind_colon() }
    }

    fn gone(&self) -> SessionError {
        let why = lock(&self.ended).clone().unwrap_or_else(|| "its pipe ended".to_owned());
        // Its last words may come a moment after the end of its answers.
        self.words.settle();
        SessionError::Gone { host: self.host.name.clone(), why, words: self.words.behind_colon() }
    }
}

/// Ignores poisoning: the guarded value is whole after each statement.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
