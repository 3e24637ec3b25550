//! The principal type is [`Sqlite`]: asks a database of SQLite.
//!
//! The database is read on a thread of its own, one for the process: what waits for a lock or for the disk does not hold up those who
//! serve. It is opened read-only with the first question, and again when another file has taken its place.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use self::reader::Reader;
use crate::collapse::{Answer, Ask};
use crate::counts::{locked, text};
use crate::{AskError, Question};

mod reader;

/// So many questions wait for the thread.
const QUEUE: usize = 1024;

/// Asks a database of SQLite.
#[derive(Debug)]
pub(crate) struct Sqlite {
    plan: Plan,
    /// None: nothing has been asked yet.
    queue: Mutex<Option<SyncSender<Job>>>,
    running: Arc<Mutex<Running>>,
}

/// What is to be read.
#[derive(Clone, Debug)]
struct Plan {
    file: PathBuf,
    query: String,
    places: Box<[usize]>,
    timeout: Duration,
}

/// A question with who waits for its answer.
#[derive(Debug)]
struct Job {
    parameters: Vec<String>,
    until: Instant,
    reply: oneshot::Sender<Answer>,
    number: u64,
}

/// What the thread is at, so that it can be stopped.
#[derive(Default)]
struct Running {
    next: u64,
    now: Option<(u64, rusqlite::InterruptHandle)>,
}

/// Interrupts a question for which nobody waits any more.
struct Stop {
    running: Arc<Mutex<Running>>,
    number: u64,
}

// === impl Sqlite ===

impl Sqlite {
    pub(crate) fn new(file: PathBuf, query: &str, places: Box<[usize]>, timeout: Duration) -> Self {
        let plan = Plan { file, query: query.to_owned(), places, timeout };
        Self { plan, queue: Mutex::default(), running: Arc::default() }
    }

    /// Opens and prepares.
    pub(crate) fn try_once(&self) -> Result<(), AskError> {
        Reader::open(&self.plan).map(drop)
    }

    fn send(&self, job: Job) -> Result<(), AskError> {
        let mut queue = locked(&self.queue);
        let job = match &*queue {
            None => job,
            Some(sender) => match sender.try_send(job) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(_)) => return Err(AskError::TooMany),
                Err(TrySendError::Disconnected(job)) => job,
            },
        };
        let (sender, jobs) = sync_channel(QUEUE);
        let (plan, running) = (self.plan.clone(), self.running.clone());
        let started =
            std::thread::Builder::new().name("validator-sqlite".to_owned()).spawn(move || work(&plan, &running, &jobs));
        started.map_err(|error| {
            AskError::Unreachable(text(format!("no thread to read {}: {error}", self.plan.file.display())))
        })?;
        let sent = sender.try_send(job).map_err(|_| AskError::TooMany);
        *queue = Some(sender);
        sent
    }
}

impl Ask for Sqlite {
    async fn ask(&self, _: usize, question: &Question) -> Answer {
        let mut parameters = Vec::with_capacity(self.plan.places.len());
        for place in &self.plan.places {
            match question.parameters.get(*place) {
                Some(parameter) => parameters.push(parameter.clone()),
                None => return Ok(None),
            }
        }
        let number = {
            let mut running = locked(&self.running);
            running.next += 1;
            running.next
        };
        let (reply, answer) = oneshot::channel();
        self.send(Job { parameters, until: Instant::now() + self.plan.timeout, reply, number })?;
        let _stop = Stop { running: self.running.clone(), number };
        answer
            .await
            .unwrap_or_else(|_| Err(AskError::Unreachable(text("the thread that reads the database has ended"))))
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        let running = locked(&self.running);
        if let Some((number, handle)) = &running.now
            && *number == self.number
        {
            handle.interrupt();
        }
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Running").field("next", &self.next).finish_non_exhaustive()
    }
}

/// Answers until nobody can ask any more.
fn work(plan: &Plan, running: &Mutex<Running>, jobs: &Receiver<Job>) {
    let mut reader: Option<Reader> = None;
    while let Ok(job) = jobs.recv() {
        let left = job.until.saturating_duration_since(Instant::now());
        if job.reply.is_closed() || left.is_zero() {
            continue;
        }
        if reader.as_ref().is_some_and(|reader| reader.is_replaced(plan)) {
            reader = None;
        }
        let answer = match reader.take().map_or_else(|| Reader::open(plan), Ok) {
            Ok(open) => {
                locked(running).now = Some((job.number, open.interrupt_handle()));
                let answer = open.ask(&job.parameters, left);
                locked(running).now = None;
                // A new connection may find what this one does not: a file in place of another's, a table made anew.
                if answer.is_ok() {
                    reader = Some(open);
                }
                answer
            }
            Err(error) => Err(error),
        };
        let _ = job.reply.send(answer);
    }
}
