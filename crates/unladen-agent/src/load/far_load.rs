//! The principal type is [`FarLoad`]: the agent's own load client.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use unladen_load::{Cancel, ConfigForm, Driver, ErrorKind, LoadError, PlanForm};

use super::message::{LONGEST, LoadAnswer, LoadAsk, gathered, pieces};
use super::spool::{ROOM, Spool, pump};

/// Maximum of waiting questions: a controller asks one after the other.
const WAITING: usize = 4;

/// Sends load for another machine, on its own thread: pings are answered meanwhile, and a stop takes effect.
pub struct FarLoad {
    asks: SyncSender<LoadAsk>,
    cancel: Arc<Mutex<Cancel>>,
}

// === impl FarLoad ===

impl FarLoad {
    /// Starts the thread; it passes answers to `send`, which may block and returns false when the receiver is gone.
    /// Fails when the system gives no thread.
    pub fn start(send: impl Fn(LoadAnswer) -> bool + Send + Sync + 'static) -> std::io::Result<Self> {
        Self::with_room(ROOM, send)
    }

    /// The same, with `room` bytes for waiting records.
    pub(super) fn with_room(
        room: usize,
        send: impl Fn(LoadAnswer) -> bool + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let (asks, received) = sync_channel(WAITING);
        let cancel = Arc::new(Mutex::new(Cancel::new()));
        let mut worker = Worker::new(Box::new(send), room, Arc::clone(&cancel));
        thread::Builder::new().name("unladen-agent-load".into()).spawn(move || {
            while let Ok(ask) = received.recv() {
                if !worker.answer(ask) {
                    return;
                }
            }
        })?;
        Ok(Self { asks, cancel })
    }

    /// Passes a question on; false when the thread has ended.
    pub fn ask(&self, ask: LoadAsk) -> bool {
        if ask == LoadAsk::Stop {
            self.stop();
            return true;
        }
        self.asks.send(ask).is_ok()
    }

    fn stop(&self) {
        self.cancel.lock().unwrap_or_else(PoisonError::into_inner).cancel();
    }
}

impl Drop for FarLoad {
    fn drop(&mut self) {
        // The asking side has left: nothing may be sent for nobody.
        self.stop();
    }
}

/// Its program, a client, and the records on their way, in bytes.
const BASE: u64 = 8_000_000;
/// Bytes of a connection for short answers: the client's buffers and channel, and its tasks.
const CONNECTION: u64 = 41_000;
/// Memory that needs no note.
const USUAL: u64 = 15_000_000;

/// Bytes of an agent with this many connections for short answers, without records that wait for a slow connection
/// ([`ROOM`]).
pub fn memory(connections: usize) -> u64 {
    BASE + CONNECTION * connections as u64
}

/// Note on the memory of agents for the user who starts a load; `None` for a usual number of connections.
///
/// ```
/// assert_eq!(unladen_agent::memory_note(100), None);
/// assert!(unladen_agent::memory_note(500).is_some_and(|note| note.contains("28 MB")));
/// ```
pub fn memory_note(connections: usize) -> Option<String> {
    let bytes = memory(connections);
    (bytes > USUAL).then(|| {
        format!(
            "each agent may need {} MB of memory, and more for long answers, if all of its {connections} requests run \
             at once (--concurrency)",
            bytes / 1_000_000
        )
    })
}

/// A start nearer than this cannot be kept: threads must be started before it.
const NEAREST: Duration = Duration::from_millis(2);

/// Sends answers; see [`FarLoad::start`].
type SendAnswer = Box<dyn Fn(LoadAnswer) -> bool + Send + Sync>;

/// Executes the questions of a load client.
struct Worker {
    send: SendAnswer,
    /// Bytes of records that may wait for the connection.
    room: usize,
    cancel: Arc<Mutex<Cancel>>,
    config: Vec<u8>,
    plan: Vec<u8>,
    planned: Option<PlanForm>,
    driver: Option<Driver>,
}

struct Failed {
    kind: ErrorKind,
    why: String,
}

impl Worker {
    fn new(send: SendAnswer, room: usize, cancel: Arc<Mutex<Cancel>>) -> Self {
        Self { send, room, cancel, config: Vec::new(), plan: Vec::new(), planned: None, driver: None }
    }

    fn answer(&mut self, ask: LoadAsk) -> bool {
        let answer = match ask {
            LoadAsk::Start { piece, last } => self.start(&piece, last),
            LoadAsk::Sample { request } => self.sample(request).map(Some),
            LoadAsk::Plan { piece, last } => self.plan(&piece, last),
            LoadAsk::Begin { at_ns } => self.begin(at_ns).map(Some),
            // Handled before it comes here.
            LoadAsk::Stop => Ok(None),
        };
        match answer {
            Ok(None) => true,
            Ok(Some(answer)) => (self.send)(answer),
            Err(Failed { kind, why }) => (self.send)(LoadAnswer::Failed { kind, why }),
        }
    }

    fn start(&mut self, piece: &[u8], last: bool) -> Result<Option<LoadAnswer>, Failed> {
        let Some(form) = whole::<ConfigForm>(&mut self.config, piece, last)? else { return Ok(None) };
        self.driver = Some(Driver::start(form.config()?)?);
        Ok(Some(LoadAnswer::Started))
    }

    fn sample(&mut self, request: u32) -> Result<LoadAnswer, Failed> {
        let cancel = self.fresh();
        let sample = self.driver()?.sample(request as usize, &cancel)?;
        let latency_ns = u64::try_from(sample.exchange.latency().as_nanos()).unwrap_or(u64::MAX);
        Ok(LoadAnswer::Sampled { version: format!("{:?}", sample.version), latency_ns })
    }

    fn plan(&mut self, piece: &[u8], last: bool) -> Result<Option<LoadAnswer>, Failed> {
        let Some(form) = whole(&mut self.plan, piece, last)? else { return Ok(None) };
        self.planned = Some(form);
        Ok(Some(LoadAnswer::Planned))
    }

    fn begin(&mut self, at_ns: u64) -> Result<LoadAnswer, Failed> {
        let cancel = self.fresh();
        let form = self.planned.take().ok_or_else(|| Failed::of("a load was started that was not planned"))?;
        // Both clocks at the same moment, as one cannot be converted to the other.
        let (now_ns, now) = (unladen_probe::monotonic_ns(), Instant::now());
        let left = Duration::from_nanos(at_ns.saturating_sub(now_ns));
        if left < NEAREST {
            let late = Duration::from_nanos(now_ns.saturating_sub(at_ns));
            return Err(Failed::of(format!(
                "received the start signal {late:?} after the agreed start: the connection to it is too slow"
            )));
        }
        let start = now.checked_add(left).ok_or_else(|| Failed::of("the agreed start is beyond its clock's range"))?;
        let Some(driver) = &mut self.driver else { return Err(Failed::without_driver()) };
        let spool = Spool::new(self.room);
        let end = pump(driver, form.plan(start)?, start, &cancel, &spool, &*self.send)?;
        if let Some(look) = spool.untold() {
            // If this fails, so does the end.
            let _ = (self.send)(look);
        }
        let summary = spool.summary();
        if !summary.is_empty() {
            let pieces = pieces(&summary).map_err(|error| Failed::of(error.to_string()))?;
            // If this fails, so does the end.
            let _ = pieces.into_iter().all(|(piece, last)| (self.send)(LoadAnswer::Summary { piece, last }));
        }
        Ok(LoadAnswer::Ended { end: Box::new(end), strangers: driver.strangers() })
    }

    fn driver(&mut self) -> Result<&mut Driver, Failed> {
        self.driver.as_mut().ok_or_else(Failed::without_driver)
    }

    /// A new switch for the next work: a cancelled one stays so.
    fn fresh(&self) -> Cancel {
        let cancel = Cancel::new();
        *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = cancel.clone();
        cancel
    }
}

fn whole<T: DeserializeOwned>(before: &mut Vec<u8>, piece: &[u8], last: bool) -> Result<Option<T>, Failed> {
    gathered(before, piece, last, LONGEST)
        .map_err(|error| Failed::of(format!("the requests for it are invalid: {error}")))
}

// === impl Failed ===

impl Failed {
    fn of(why: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Client, why: why.into() }
    }

    fn without_driver() -> Self {
        Self::of("it was asked to send requests that it does not know")
    }
}

impl From<LoadError> for Failed {
    fn from(error: LoadError) -> Self {
        Self { kind: ErrorKind::of(&error), why: error.to_string() }
    }
}
