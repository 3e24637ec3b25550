//! The principal type is [`Session`]: an agent that runs on another host, and answers.

mod last_words;
mod options;
pub(crate) mod reader;
mod start;
mod transport;
mod writer;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

pub use self::options::SessionOptions;

use self::last_words::LastWords;
use self::reader::Event;
use self::transport::Transport;
use self::writer::Out;
use crate::answer::Answer;
use crate::ask::Ask;
use crate::clock::{ClockOffset, Pings, RoundTrips};
use crate::codec::encode;
use crate::error::SessionError;
use crate::hello::Hello;
use crate::host::Host;
use crate::probes::ProbeAnswer;
use crate::shown::shown_without_secrets;

/// How long to wait for room where frames are not taken: then nobody reads them.
const SEND_PATIENCE: Duration = Duration::from_secs(10);

/// How often to look whether there is room.
const SEND_PAUSE: Duration = Duration::from_millis(2);

/// How often whoever waits is asked whether it still does.
const SLICE: Duration = Duration::from_millis(50);

/// Longest sentence of a host that is shown.
const MAX_SENTENCE: usize = 1000;

/// An agent that runs on another host. It ends when this is dropped.
#[derive(Debug)]
pub struct Session {
    host: Host,
    hello: Hello,
    path: String,
    pings: Arc<Mutex<Pings>>,
    words: Arc<LastWords>,
    ended: Mutex<Option<String>>,
    /// Answers about connections that nobody waits for any more. They come in the order of the questions.
    given_up: AtomicUsize,
    /// Whether an answer about evidence was not waited for.
    traces_no_more: AtomicBool,
    // Dropped in this order: the agent's stdin ends, then nobody waits to hand over its answers, then its command is
    // waited for.
    out: SyncSender<Out>,
    events: Receiver<Event>,
    transport: Transport,
}

impl Session {
    /// Runs the host's command with `sh` behind it, and has that shell start the agent.
    ///
    /// # Errors
    /// If there is no shell, or no agent can be started by it.
    pub fn start(host: &Host, options: &SessionOptions) -> Result<Self, SessionError> {
        let started = start::start(host, options)?;
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

    /// What the agent there is.
    pub fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Where the agent was found there; `copied` if it was copied.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The process of this machine that leads there: the shell that runs the host's command, or the command itself.
    pub fn carrier(&self) -> u32 {
        self.transport.pid()
    }

    /// Sends a question.
    ///
    /// # Errors
    /// If the session has ended, or the agent takes nothing for ten seconds.
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

    /// The next answer. Answers to pings are not among them: they go into the [`clock`](Self::clock).
    ///
    /// # Errors
    /// If none comes until then, or the session has ended.
    pub fn recv(&self, deadline: Instant) -> Result<Answer, SessionError> {
        loop {
            let answer = self.next(deadline)?;
            // Each that is passed by was asked for, so that they come to an end.
            let is_late = matches!(&answer, Answer::Probes(ProbeAnswer::Takers(_) | ProbeAnswer::Asked(_)))
                && self.given_up.try_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok();
            if !is_late {
                return Ok(answer);
            }
        }
    }

    /// As [`recv`](Self::recv), for an answer about connections; gives up early when nobody wants it any more. Then its
    /// answer is passed by when it comes: whatever is asked next has an answer of its own.
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

    /// As [`recv`](Self::recv), and gives up early when nobody wants it any more.
    pub(crate) fn recv_while(&self, deadline: Instant, is_wanted: &dyn Fn() -> bool) -> Result<Answer, SessionError> {
        loop {
            let slice = deadline.min(Instant::now() + SLICE);
            match self.recv(slice) {
                Err(SessionError::Late { .. }) if Instant::now() < deadline && is_wanted() => {}
                other => return other,
            }
        }
    }

    /// An answer about evidence was not waited for, and may come yet: nothing of the kind is asked any more, as it would be
    /// taken for the next one's.
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
            Ok(Event::Said(_) | Event::Hello(_)) => Err(self.malformed("a second beginning".to_owned())),
            Err(RecvTimeoutError::Timeout) => Err(self.late()),
            Err(RecvTimeoutError::Disconnected) => Err(self.gone()),
        }
    }

    /// Pings that many times, one after another, and says how far the clock there is from the one here.
    ///
    /// # Errors
    /// If the agent does not answer until then, or is gone.
    pub fn measure_clock(&self, pings: usize, deadline: Instant) -> Result<ClockOffset, SessionError> {
        for _ in 0..pings.max(1) {
            let before = lock(&self.pings).count();
            self.queue(Out::Ping)?;
            // The answer is taken by the thread that reads, so no other answer is lost meanwhile.
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

    /// How far the clock there is from the one here, by all pings so far. `None` before the first answer.
    pub fn clock(&self) -> Option<ClockOffset> {
        lock(&self.pings).offset(unladen_probe::monotonic_ns())
    }

    /// The round trips of pings so far.
    pub fn round_trips(&self) -> Option<RoundTrips> {
        lock(&self.pings).round_trips()
    }

    /// What the host's command has said last on stderr; empty if nothing.
    pub fn last_words(&self) -> String {
        self.words.text()
    }

    /// The error that the agent said something that cannot be.
    pub(crate) fn malformed(&self, why: String) -> SessionError {
        SessionError::Malformed { host: self.host.name.clone(), why }
    }

    /// The error of an answer that was not asked for.
    pub(crate) fn unexpected(&self, answer: &Answer) -> SessionError {
        let host = self.host.name.clone();
        match answer {
            Answer::Refused { why, .. } => {
                SessionError::Refused { host, why: shown_without_secrets(why, MAX_SENTENCE) }
            }
            _ => self.malformed("an answer to another question".to_owned()),
        }
    }

    /// The error of an answer that did not come in time.
    pub(crate) fn late(&self) -> SessionError {
        SessionError::Late { host: self.host.name.clone(), words: self.words.behind_colon() }
    }

    fn gone(&self) -> SessionError {
        let why = lock(&self.ended).clone().unwrap_or_else(|| "its pipe ended".to_owned());
        // What it says as it ends may come a moment after the end of its answers.
        self.words.settle();
        SessionError::Gone { host: self.host.name.clone(), why, words: self.words.behind_colon() }
    }
}

/// The lock, whoever panicked with it: what it guards is whole after each statement.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
