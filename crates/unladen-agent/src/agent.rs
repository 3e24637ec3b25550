//! The principal type is [`Agent`]: the answering end of a session.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read};
use std::os::fd::AsFd as _;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::ask::{Answer, Ask};
use crate::evidence::{EvidenceAsk, EvidenceSide};
use crate::frame::{CodecError, FrameError, FrameReader, FrameWriter, decode, encode};
use crate::hello::{Hello, PROTOCOL};
use crate::load::{FarLoad, LoadAsk};
use crate::probes::{FarSide, ProbeAsk};

/// The answering end of a session.
#[derive(Debug)]
pub struct Agent {
    inbox: Inbox,
    outbox: Outbox,
}

impl Agent {
    /// Serves these pipes. `at_end` is called, on another thread, two seconds after `input` has ended or has been
    /// silent for a minute: an agent that is busy or blocked then has to be ended by force.
    pub fn new(input: File, output: File, at_end: fn()) -> Self {
        Self { inbox: Inbox::new(input, SILENCE, at_end), outbox: Outbox::new(output) }
    }

    /// Answers until the pipe ends, or a bye. Fails if a message is not understood, or nothing comes for a minute.
    pub fn run(self) -> Result<(), AgentError> {
        self.outbox.hello(&Hello::own())?;
        let Some(first) = self.inbox.next()? else { return Ok(()) };
        let hello = Hello::decode(&first).ok_or(AgentError::NoHello)?;
        if !hello.is_understood() {
            return Err(AgentError::Version { theirs: hello.version, protocol: hello.protocol });
        }
        let mut probes = FarSide::default();
        let mut evidence = EvidenceSide::default();
        let mut load = None;
        while let Some(body) = self.inbox.next()? {
            match decode(&body)? {
                Ask::Ping { id } => self.outbox.send(&Answer::Pong { id, at_ns: unladen_probe::monotonic_ns() })?,
                Ask::Probes(ask) => self.probes(&mut probes, ask)?,
                Ask::Load(ask) => self.load(&mut load, ask)?,
                Ask::Evidence(ask) => self.evidence(&mut evidence, &mut probes, ask)?,
                Ask::Bye => break,
            }
        }
        Ok(())
    }

    /// The load client starts on first use: an agent that only reads counters has no thread for it.
    fn load(&self, load: &mut Option<FarLoad>, ask: LoadAsk) -> Result<(), AgentError> {
        let far = match load.take() {
            Some(far) => far,
            None => {
                let outbox = self.outbox.clone();
                let send = move |answer| outbox.send(&Answer::Load(answer)).is_ok();
                match FarLoad::start(send) {
                    Ok(far) => far,
                    Err(error) => {
                        let why = format!("cannot start a thread for a load: {error}");
                        return self.outbox.send(&Answer::Refused { id: 0, why });
                    }
                }
            }
        };
        if !far.ask(ask) {
            return Err(FrameError::End.into());
        }
        *load = Some(far);
        Ok(())
    }

    fn probes(&self, probes: &mut FarSide, ask: ProbeAsk) -> Result<(), AgentError> {
        let id = match ask {
            ProbeAsk::Read { id } => id,
            ProbeAsk::Open { .. } | ProbeAsk::Sees { .. } | ProbeAsk::Takers { .. } | ProbeAsk::Asked { .. } => 0,
        };
        let mut send = |answer| self.outbox.send(&Answer::Probes(answer));
        self.unless_refused(id, probes.answer(ask, &mut send))
    }

    fn evidence(&self, evidence: &mut EvidenceSide, probes: &mut FarSide, ask: EvidenceAsk) -> Result<(), AgentError> {
        let mut send = |answer| self.outbox.send(&Answer::Evidence(answer));
        self.unless_refused(0, evidence.answer(ask, probes.instrument(), &mut send))
    }

    fn unless_refused(&self, id: u64, done: Result<(), AgentError>) -> Result<(), AgentError> {
        match done {
            Err(AgentError::Refused(why)) => self.outbox.send(&Answer::Refused { id, why }),
            done => done,
        }
    }
}

/// An agent that hears nothing for this long ends: the other side sends something each ten seconds.
const SILENCE: Duration = Duration::from_secs(60);

/// Why an agent ended otherwise than requested.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error("{0}")]
    Frame(#[from] FrameError),
    #[error("a frame contains no message of protocol {PROTOCOL}: {0}")]
    Codec(#[from] CodecError),
    #[error("the first message is not a hello: an agent is started by `unladen weigh --host` or `unladen load --from`")]
    NoHello,
    #[error("unladen {theirs} with protocol {protocol} started this agent, which is unladen {} with protocol {PROTOCOL}: install the same version on both", env!("CARGO_PKG_VERSION"))]
    Version { theirs: String, protocol: u32 },
    #[error("nothing was received for {SILENCE:?}: the connection is broken")]
    Silence,
    /// A question is refused; the session goes on, so that [`Agent::run`] never returns it.
    #[error("{0}")]
    Refused(String),
}

impl From<String> for AgentError {
    fn from(why: String) -> Self {
        Self::Refused(why)
    }
}

/// Maximum of waiting questions. Each may take a megabyte.
const MAX_WAITING: usize = 2;

const GRACE: Duration = Duration::from_secs(2);

const PAUSE: Duration = Duration::from_millis(10);

/// The agent's questions, read by a separate thread, which sees the end of the pipe whatever the agent does
/// meanwhile.
#[derive(Debug)]
struct Inbox {
    queue: Receiver<Result<Vec<u8>, FrameError>>,
}

impl Inbox {
    /// Reads this pipe, which must not be silent for longer than `silence`.
    fn new(from: File, silence: Duration, at_end: fn()) -> Self {
        let (sender, queue) = sync_channel(MAX_WAITING);
        std::thread::spawn(move || {
            take(FrameReader::new(Polled { from, silence }), silence, &sender);
            // Ends the queue.
            drop(sender);
            std::thread::sleep(GRACE);
            at_end();
        });
        Self { queue }
    }

    fn next(&self) -> Result<Option<Vec<u8>>, AgentError> {
        match self.queue.recv() {
            Ok(Ok(body)) => Ok(Some(body)),
            Ok(Err(FrameError::End)) | Err(_) => Ok(None),
            Ok(Err(FrameError::Io(error))) if error.kind() == io::ErrorKind::TimedOut => Err(AgentError::Silence),
            Ok(Err(error)) => Err(error.into()),
        }
    }
}

fn take(mut from: FrameReader<Polled>, silence: Duration, queue: &SyncSender<Result<Vec<u8>, FrameError>>) {
    loop {
        let mut body = from.read();
        let is_end = body.is_err();
        let begun = Instant::now();
        loop {
            body = match queue.try_send(body) {
                Ok(()) => break,
                Err(TrySendError::Full(body)) if begun.elapsed() < silence => body,
                Err(_) => return,
            };
            std::thread::sleep(PAUSE);
        }
        if is_end {
            return;
        }
    }
}

struct Polled {
    from: File,
    silence: Duration,
}

impl Read for Polled {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let timeout = PollTimeout::try_from(self.silence).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(self.from.as_fd(), PollFlags::POLLIN)], timeout)? {
            0 => Err(io::ErrorKind::TimedOut.into()),
            _ => self.from.read(buffer),
        }
    }
}

/// Sends answers from any thread.
#[derive(Debug, Clone)]
pub struct Outbox {
    /// Held by the next sender: a load's records, which follow each other at once, would otherwise keep others from the
    /// pipe.
    next: Arc<Mutex<()>>,
    to: Arc<Mutex<FrameWriter<File>>>,
}

impl Outbox {
    fn new(to: File) -> Self {
        Self { next: Arc::default(), to: Arc::new(Mutex::new(FrameWriter::new(to))) }
    }

    /// Sends an answer. Blocks while nobody reads. Fails if the reader is gone, or the answer is too long.
    pub fn send(&self, answer: &Answer) -> Result<(), AgentError> {
        self.write(&encode(answer)?)
    }

    fn hello(&self, hello: &Hello) -> Result<(), AgentError> {
        self.write(&hello.encode())
    }

    fn write(&self, body: &[u8]) -> Result<(), AgentError> {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        drop(next);
        Ok(to.write(body)?)
    }
}

/// Name of a copied agent in `ps` and `top`: its file has no name.
const NAME: &str = "unladen-agent";

/// Answers on stdin and stdout until they end, and then ends this process if need be. Fails, with a sentence, for
/// unusable pipes or the session's error.
pub fn run() -> Result<(), String> {
    if io::stdin().is_terminal() || io::stdout().is_terminal() {
        return Err(
            "an agent exchanges frames on stdin and stdout, which are a terminal here: it is started by `unladen \
                    weigh --host` or `unladen load --from`"
                .to_owned(),
        );
    }
    // Without permission, it keeps its name.
    let _ = std::fs::write("/proc/self/comm", NAME);
    let own = |fd: io::Result<std::os::fd::OwnedFd>| fd.map(File::from).map_err(|error| error.to_string());
    let input = own(io::stdin().as_fd().try_clone_to_owned())?;
    let output = own(io::stdout().as_fd().try_clone_to_owned())?;
    Agent::new(input, output, || std::process::exit(0)).run().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
