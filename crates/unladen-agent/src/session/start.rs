//! The principal function is [`start`]: from a host's command to an agent that answers.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::reader::{self, Event, Out};
use super::transport::{LastWords, Transport};
use crate::binary::AgentBinary;
use crate::bootstrap::{Bootstrap, Said};
use crate::clock::Pings;
use crate::error::SessionError;
use crate::hello::Hello;
use crate::host::Host;
use crate::shown::{shown, shown_without_secrets};

const MAX_ANSWERS: usize = 4;

const MAX_QUEUED: usize = 16;

/// Bytes a second: a slower link is too slow to copy a program.
const SLOWEST_COPY: u64 = 64 << 10;

/// Interval of checks for an interruption.
const PAUSE: Duration = Duration::from_millis(100);

const END_PATIENCE: Duration = Duration::from_secs(2);

const MAX_SHOWN: usize = 1000;

pub(super) struct Link {
    pub(super) out: SyncSender<Out>,
    pub(super) events: Receiver<Event>,
    pub(super) pings: Arc<Mutex<Pings>>,
    pub(super) words: Arc<LastWords>,
    pub(super) transport: Transport,
}

pub(super) struct Started {
    pub(super) link: Link,
    pub(super) hello: Hello,
    pub(super) path: String,
}

struct Starting<'a> {
    host: &'a Host,
    options: &'a SessionOptions,
    is_cancelled: &'a dyn Fn() -> bool,
    link: Link,
    deadline: Instant,
    binary: Option<AgentBinary>,
    copied: String,
    is_dynamic: bool,
    /// Size of the program to copy; 0 until it is requested, which happens once.
    size: u64,
}

pub(super) fn start(
    host: &Host,
    options: &SessionOptions,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Started, SessionError> {
    let spawned = |source| SessionError::Spawn { host: host.name.clone(), source };
    let (transport, pipes) = Transport::start(host).map_err(spawned)?;
    let bootstrap = Bootstrap::new();
    let (out, queue) = sync_channel(MAX_QUEUED);
    let (sender, events) = sync_channel(MAX_ANSWERS);
    let pings = Arc::new(Mutex::new(Pings::default()));
    let words = LastWords::of(pipes.stderr);
    let (marker, for_reader, for_writer) = (bootstrap.marker(), Arc::clone(&pings), Arc::clone(&pings));
    std::thread::spawn(move || reader::read(pipes.stdout, &marker, &sender, &for_reader));
    std::thread::spawn(move || reader::write(pipes.stdin, &queue, &for_writer));
    let link = Link { out, events, pings, words, transport };
    let deadline = Instant::now() + options.connect_timeout;
    let starting = Starting {
        host,
        options,
        is_cancelled,
        link,
        deadline,
        binary: None,
        copied: String::new(),
        is_dynamic: false,
        size: 0,
    };
    starting.send(Out::Line(bootstrap.line(options.copy)))?;
    starting.talk()
}

impl Starting<'_> {
    fn talk(mut self) -> Result<Started, SessionError> {
        let mut path = None;
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let event = match self.link.events.recv_timeout(left.min(PAUSE)) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) if (self.is_cancelled)() => {
                    return Err(SessionError::Cancelled { host: self.name() });
                }
                Err(RecvTimeoutError::Timeout) if left > PAUSE => continue,
                Err(RecvTimeoutError::Timeout) => return Err(self.no_answer()),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended("")),
            };
            match event {
                Event::Said(Said::Run(from)) => path = Some(shown(&from, MAX_SHOWN)),
                Event::Said(said) => self.react(said)?,
                Event::Hello(hello) if hello.is_understood() => {
                    self.send(Out::Frame(Hello::own().encode()))?;
                    let path = path.unwrap_or_default();
                    return Ok(Started { link: self.link, hello, path });
                }
                Event::Hello(Hello { protocol, version }) => {
                    return Err(SessionError::Version { host: self.name(), theirs: version, protocol });
                }
                Event::Answer(_) => return Err(self.malformed("an answer before any question")),
                Event::End(why) => return Err(self.ended(&why)),
            }
        }
    }

    fn react(&mut self, said: Said) -> Result<(), SessionError> {
        let (host, command) = (self.name(), self.host.told_command());
        let plain = |text: &str| shown(text, MAX_SHOWN);
        Err(match said {
            Said::Need { kernel, machine, .. } if kernel == "Linux" && self.options.copy && self.size == 0 => {
                let found = AgentBinary::find(&plain(&machine), self.options.agent.as_deref());
                let binary = found.map_err(|source| SessionError::Binary { host, source })?;
                self.copied = binary.path.display().to_string();
                (self.is_dynamic, self.size) = (binary.is_dynamic, binary.size);
                let line = format!("{} {}\n", binary.size, binary.sha256);
                self.binary = Some(binary);
                return self.send(Out::Line(line));
            }
            Said::Send => {
                let Some(binary) = self.binary.take() else {
                    return Err(self.malformed("that it waits for a program that it did not request"));
                };
                self.deadline += Duration::from_secs(self.size / SLOWEST_COPY);
                let unread = |source| SessionError::Spawn { host, source };
                return self.send(Out::File(binary.into_bytes().map_err(unread)?));
            }
            Said::Need { kernel, .. } if kernel != "Linux" => SessionError::Kernel { host, kernel: plain(&kernel) },
            Said::Need { .. } => self.malformed("that it needs a program that it must not request"),
            Said::Terminal => SessionError::Terminal { host, command },
            Said::Lacks(missing) => {
                let fix = lacking(&missing).to_owned();
                SessionError::Lacks { host, missing: plain(&missing), fix }
            }
            Said::NoAgent(found) => {
                let found = found.as_deref().map_or_else(|| "there is none".to_owned(), plain);
                SessionError::NoAgent { host, found }
            }
            Said::NoFolder(tried) => SessionError::NoFolder { host, tried: plain(&tried) },
            Said::Short(arrived, folder) => {
                let words = self.words();
                let (arrived, folder) = (plain(&arrived), plain(&folder));
                SessionError::Short { host, arrived, size: self.size, folder, words }
            }
            Said::Damaged => SessionError::Damaged { host, command },
            Said::Fails(said) => {
                let said = if said.is_empty() {
                    self.words()
                } else {
                    format!(": {}", shown_without_secrets(&said, MAX_SHOWN))
                };
                SessionError::DoesNotStart { host, binary: self.copied.clone(), said, fix: self.fix_of_start() }
            }
            // Handled by the caller.
            Said::Run(_) => return Ok(()),
        })
    }

    fn fix_of_start(&self) -> String {
        let fix = if self.is_dynamic {
            " It is linked to libraries that the host may lack: build the static agent (`make agent`) and name it \
             with --agent, or install unladen there"
        } else {
            " Install unladen there, or name another program with --agent"
        };
        fix.to_owned()
    }

    fn send(&self, out: Out) -> Result<(), SessionError> {
        self.link.out.try_send(out).map_err(|_| self.ended(""))
    }

    fn name(&self) -> String {
        self.host.name.clone()
    }

    fn words(&self) -> String {
        self.link.words.settle();
        self.link.words.behind_colon()
    }

    fn malformed(&self, why: &str) -> SessionError {
        SessionError::Malformed { host: self.name(), why: why.to_owned() }
    }

    fn no_answer(&self) -> SessionError {
        if self.size > 0 {
            let words = self.link.words.behind_colon();
            return SessionError::SlowCopy { host: self.name(), size: self.size, words };
        }
        SessionError::NoAnswer {
            host: self.name(),
            command: self.host.told_command(),
            after: self.options.connect_timeout,
            words: self.link.words.behind_colon(),
        }
    }

    fn ended(&self, why: &str) -> SessionError {
        let (host, command) = (self.name(), self.host.told_command());
        if let Some(begins) = why.strip_prefix(reader::TOO_MUCH) {
            return SessionError::Noise { host, command, begins: begins.to_owned() };
        }
        let status = self.link.transport.wait(END_PATIENCE);
        let status = status.map_or_else(|| "its stdout is closed".to_owned(), |status| status.to_string());
        let written = why.strip_prefix(reader::ENDED).map(str::trim).filter(|written| !written.is_empty());
        let written = written.map(|written| format!("; it wrote {written:?}")).unwrap_or_default();
        SessionError::Ended { host, command, status, words: self.words() + &written }
    }
}

fn lacking(missing: &str) -> &'static str {
    match missing {
        "/proc" => "mount it (mount -t proc proc /proc): the counters are read from there, too",
        "/dev/null" => "create it (mknod -m 666 /dev/null c 1 3)",
        _ => "install it (coreutils or busybox), or install unladen there",
    }
}

/// Default of `connect_timeout`: some users type a password meanwhile.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(60);

/// How a session is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionOptions {
    pub copy: bool,
    /// The program to copy; else it is searched ([`AgentBinary::find`](crate::AgentBinary::find)).
    pub agent: Option<PathBuf>,
    pub connect_timeout: Duration,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self { copy: true, agent: None, connect_timeout: CONNECT_TIMEOUT }
    }
}
