//! The principal type is [`Sqlite`]: asks a SQLite database.
//!
//! One thread of the process reads the database: waiting for a lock or the disk does not delay those who serve. It is
//! opened read-only with the first question, and again when another file has replaced it.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use self::plan::Plan;
use self::reader::SqliteReader;
use crate::ask::{Answer, Ask};
use crate::counts::{locked, text};
use crate::{AskError, Question};

mod plan;
mod reader;

const QUEUE: usize = 1024;

#[derive(Debug)]
pub(crate) struct Sqlite {
    plan: Plan,
    /// `None` before the first question.
    queue: Mutex<Option<SyncSender<Job>>>,
}

#[derive(Debug)]
struct Job {
    parameters: Vec<String>,
    until: Instant,
    reply: oneshot::Sender<Answer>,
}

// === impl Sqlite ===

impl Sqlite {
    pub(crate) fn new(file: PathBuf, query: &str, places: Box<[usize]>, timeout: Duration) -> Self {
        let plan = Plan { file, query: query.to_owned(), places, timeout };
        Self { plan, queue: Mutex::default() }
    }

    pub(crate) fn try_once(&self) -> Result<(), AskError> {
        SqliteReader::open(&self.plan, Instant::now() + self.plan.timeout).map(drop)
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
        let plan = self.plan.clone();
        let started = std::thread::Builder::new().name("validator-sqlite".to_owned()).spawn(move || work(&plan, &jobs));
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
        let (reply, answer) = oneshot::channel();
        self.send(Job { parameters, until: Instant::now() + self.plan.timeout, reply })?;
        answer
            .await
            .unwrap_or_else(|_| Err(AskError::Unreachable(text("the thread that reads the database has ended"))))
    }
}

/// Answers until all senders are gone.
fn work(plan: &Plan, jobs: &Receiver<Job>) {
    let mut reader: Option<SqliteReader> = None;
    while let Ok(job) = jobs.recv() {
        if job.reply.is_closed() || Instant::now() >= job.until {
            continue;
        }
        if reader.as_ref().is_some_and(|reader| reader.is_replaced(plan)) {
            reader = None;
        }
        let answer = match reader.take().map_or_else(|| SqliteReader::open(plan, job.until), Ok) {
            Ok(mut open) => {
                let answer = open.ask(&job.parameters, job.until);
                // A new connection may find what this one does not: another file in its place, a table made anew.
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
